"""How many wrong environment files and templates `check` names: each has one wrong change, its twin
a right one.

``MISTAKES`` and ``MISTAKES_SEED`` set how many of each, and which; with ``MISTAKES_SHOWN`` set,
those that are not judged right are printed. cfn-lint takes a tenth of a second and more for a
template: it judges the first ``MISTAKES_PEERS`` of them, 240 where nothing else is said.
"""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from benchmarks import wrong_templates
from benchmarks.figures import Figure, Ratio
from benchmarks.wrong_environments import BASES, GONE, Change, drawn
from sagemaker_serving.catalog import support_as_of
from sagemaker_serving.errors import ProblemsFound, Severity
from sagemaker_serving.rules import check_environment, check_template, read_template
from sagemaker_serving.spec import read_environment

CASES = int(os.environ.get("MISTAKES", "2000"))
PEERS = int(os.environ.get("MISTAKES_PEERS", "240"))
SEED = int(os.environ.get("MISTAKES_SEED", "25"))
ROOT = Path(__file__).parents[1]


def measure() -> list[Figure | Ratio]:
    """The share of wrong files that are named, and how many right ones are called wrong."""
    with tempfile.TemporaryDirectory() as folder:
        return [*environments(Path(folder)), *templates(Path(folder))]


def environments(folder: Path) -> Iterator[Figure | Ratio]:
    """Of environment files."""
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    judge = _Judge(folder)
    tally = Tally("environment files")
    for family, (base, wrong, right) in (drawn(SEED, number) for number in range(CASES)):
        tally.count(family, partial(judge.finds, base), wrong, right)
    yield (f"wrong and right environment files, seed {SEED}", f"{CASES} each")
    yield from tally.figures()


class Tally:
    """Counts what is judged right; ``what`` are the files."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.drawn: Counter[str] = Counter()
        self.unnamed: Counter[str] = Counter()
        self.alarms: Counter[str] = Counter()
        self.crashed = 0

    def count(self, family: str, judge: Callable[[Any], bool], wrong: Any, right: Any) -> None:
        """Judges a wrong file and its right twin by ``judge``, which says whether it finds any."""
        self.drawn[family] += 1
        try:
            missed, alarm = not judge(wrong), judge(right)
        except Exception as error:
            self.crashed += 1
            print(f"traceback: {family}: {error!r}")
            return
        self.unnamed[family] += missed
        self.alarms[family] += alarm
        if "MISTAKES_SHOWN" in os.environ and (missed or alarm):
            print(f"{'unnamed' if missed else 'false alarm'}: {family}: {(wrong, right)!r:.2000}")

    def add(self, family: str, *, named: bool, alarm: bool) -> None:
        """Counts a pair that was judged elsewhere."""
        self.drawn[family] += 1
        self.unnamed[family] += not named
        self.alarms[family] += alarm

    @property
    def named(self) -> float:
        """The share of the wrong ones that are named, in percent."""
        return 100 * (1 - (self.unnamed.total() + self.crashed) / max(1, self.drawn.total()))

    def figures(self) -> Iterator[Figure | Ratio]:
        """What is wanted of it, beside what it is."""
        yield Ratio(name=f"wrong {self.what} named", value=self.named, at_least=98, unit=" %")
        yield Ratio(name=f"right {self.what} called wrong", value=self.alarms.total(), at_most=0)
        yield Ratio(name=f"tracebacks of {self.what}", value=self.crashed, at_most=0)


def templates(folder: Path) -> Iterator[Figure | Ratio]:
    """The same of CloudFormation templates, and what others say of the first of the same files."""
    ours, beside = Tally("templates"), Tally("templates")
    sample: list[tuple[str, wrong_templates.Pair]] = []
    for number in range(CASES):
        family, (wrong, right) = wrong_templates.drawn(SEED, number)
        judge = _Templates(folder, right)
        ours.count(family, judge.finds, wrong, right)
        if number < PEERS:
            beside.count(family, judge.finds, wrong, right)
            sample.append((family, (wrong, right)))
    yield (f"wrong and right templates, seed {SEED}", f"{CASES} each")
    yield from ours.figures()
    if sample:
        yield from _beside(beside, _of_cfn_lint(sample))


def _beside(*tallies: Tally) -> Iterator[Figure]:
    """Of check and cfn-lint: what each named, in all and by family."""
    ours, *_ = tallies
    programs = "check, cfn-lint"
    yield (
        f"of the first {ours.drawn.total()}: named by {programs}",
        ", ".join(f"{each.named:.1f} %" for each in tallies),
    )
    yield (
        f"right ones of these that {programs} find something wrong in",
        ", ".join(str(each.alarms.total()) for each in tallies),
    )
    for family, drawn_ones in sorted(ours.drawn.items()):
        named = ", ".join(str(drawn_ones - each.unnamed[family]) for each in tallies)
        yield f"{family}: named of {drawn_ones}, in the same order", named


def _of_cfn_lint(sample: list[tuple[str, wrong_templates.Pair]]) -> Tally:
    """What cfn-lint says of wrong and right templates.

    A wrong one is named by a finding that its twin does not have. A right one is called wrong by
    an error; warnings are of style.
    """
    tally = Tally("templates")
    for family, (wrong, right) in sample:
        usual = _cfn_lint(right)
        tally.add(
            family,
            named=bool(_cfn_lint(wrong) - usual),
            alarm=any(rule.startswith("E") for rule, _ in usual),
        )
    return tally


def _cfn_lint(document: wrong_templates.Document) -> set[tuple[str, str]]:
    """What cfn-lint finds, run as a library: each rule, and what it says."""
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    try:
        found = lint(json.dumps(document), config=ManualArgs(regions=[wrong_templates.REGION]))
    except Exception as error:  # it ends in a traceback on some
        return {("ended", type(error).__name__)}
    return {(each.rule.id, each.message) for each in found}


class _Templates:
    """Judges a template: a right one is named at all, a wrong one for what its twin is not."""

    def __init__(self, folder: Path, right: wrong_templates.Document) -> None:
        self._file = folder / "drawn.template.json"
        self._right = right
        self._before = self._problems(right)

    def finds(self, document: wrong_templates.Document) -> bool:
        """Whether `check` names it."""
        if document is self._right:
            return bool(self._before)
        return bool(self._problems(document) - self._before)

    def _problems(self, document: wrong_templates.Document) -> set[tuple[str, str]]:
        self._file.write_text(json.dumps(document), encoding="utf-8")
        try:
            read = read_template(self._file)
            found = check_template(read, wrong_templates.REGION, today=support_as_of())
        except ProblemsFound as refused:
            found = list(refused.problems)
        return {(each.rule, each.message) for each in found if each.severity is not Severity.NOTE}


class _Judge:
    """Checks changed files in a folder that has their model."""

    def __init__(self, folder: Path) -> None:
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
