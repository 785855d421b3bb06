"""How many wrong environment files `check` names: each has one wrong change, its twin a right one.

``MISTAKES`` and ``MISTAKES_SEED`` set how many, and which; with ``MISTAKES_SHOWN`` set, those that
are not judged right are printed.
"""

from __future__ import annotations

import copy
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from benchmarks.figures import Figure, Ratio
from benchmarks.wrong_environments import BASES, GONE, Change, drawn
from sagemaker_serving.catalog import support_as_of
from sagemaker_serving.errors import ProblemsFound, Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment

CASES = int(os.environ.get("MISTAKES", "2000"))
SEED = int(os.environ.get("MISTAKES_SEED", "25"))
ROOT = Path(__file__).parents[1]


def measure() -> list[Figure | Ratio]:
    """The share of wrong files that are named, and how many right ones are called wrong."""
    cases = [drawn(SEED, number) for number in range(CASES)]
    unnamed: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    crashed = 0
    with tempfile.TemporaryDirectory() as folder:
        judged = _Judge(Path(folder))
        for family, (base, wrong, right) in cases:
            try:
                if not judged.finds(base, wrong):
                    unnamed[family] += 1
                    _tell("unnamed", family, base, wrong)
                if judged.finds(base, right):
                    alarms[family] += 1
                    _tell("false alarm", family, base, right)
            except Exception as error:
                crashed += 1
                print(f"traceback: {family} {base} {wrong} {right}: {error!r}")
    named = 100 * (len(cases) - sum(unnamed.values()) - crashed) / len(cases)
    return [
        (f"wrong and right environment files, seed {SEED}", f"{len(cases)} each"),
        Ratio(name="wrong ones named", value=named, at_least=98, unit=" %"),
        Ratio(name="right ones called wrong", value=sum(alarms.values()), at_most=0),
        Ratio(name="tracebacks", value=crashed, at_most=0),
    ]


def _tell(what: str, family: str, base: str, change: Change) -> None:
    if "MISTAKES_SHOWN" in os.environ:
        shown = {".".join(map(str, place)): value for place, value in change.items()}
        print(f"{what}: {family}: {base}: {shown!r:.300}")


class _Judge:
    """Checks changed files in a folder that has their model."""

    def __init__(self, folder: Path) -> None:
        (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
        self._file = folder / "drawn.yaml"
        self._before = {name: self._problems(base) for name, base in BASES.items()}

    def finds(self, base: str, change: Change) -> bool:
        """Whether `check` says something of the change that it does not say without."""
        return bool(self._problems(_changed(BASES[base], change)) - self._before[base])

    def _problems(self, environment: Any) -> set[tuple[str, str]]:
        self._file.write_text(yaml.safe_dump(environment, sort_keys=False), encoding="utf-8")
        try:
            found = check_environment(read_environment(self._file), today=support_as_of())
        except ProblemsFound as refused:
            found = list(refused.problems)
        return {(each.rule, each.message) for each in found if each.severity is not Severity.NOTE}


def _changed(base: Any, change: Change) -> Any:
    environment = copy.deepcopy(base)
    for place, value in change.items():
        at = environment
        for key in place[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        if value is GONE:
            del at[place[-1]]
        else:
            at[place[-1]] = value
    return environment
