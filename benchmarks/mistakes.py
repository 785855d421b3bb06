"""How many wrong environment files and templates `check` names: each has one wrong change, its twin
a right one.

``MISTAKES`` and ``MISTAKES_SEED`` set how many of each, and which; with ``MISTAKES_SHOWN`` set,
those that are not judged right are printed. cfn-lint takes a tenth of a second and more for a
template: it judges the first ``MISTAKES_PEERS`` of them, 240 where nothing else is said.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import yaml

from benchmarks.figures import Figure, Ratio
from benchmarks.wrong import ENVIRONMENTS, TEMPLATES, Document, Pair, drawn
from benchmarks.wrong.templates import REGION
from sagemaker_serving.catalog.support import support_as_of
from sagemaker_serving.errors import Problem, ProblemsFound, Severity
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
    file, tally = folder / "drawn.yaml", Tally("environment files")

    def problems(document: Document) -> Iterable[Problem]:
        file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        return check_environment(read_environment(file), today=support_as_of())

    for number in range(CASES):
        tally.count(*drawn(ENVIRONMENTS, SEED, number), problems)
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

    def count(
        self, family: str, pair: Pair, problems: Callable[[Document], Iterable[Problem]]
    ) -> None:
        """Judges a wrong file and its right twin.

        The right one is named for any problem, the wrong one for one that its twin has not.
        """
        wrong, right = pair
        try:
            usual = _told(problems, right)
            missed, alarm = not _told(problems, wrong) - usual, bool(usual)
        except Exception as error:
            self.drawn[family] += 1
            self.crashed += 1
            print(f"traceback: {family}: {error!r}")
            return
        self.add(family, named=not missed, alarm=alarm)
        if "MISTAKES_SHOWN" in os.environ and (missed or alarm):
            print(f"{'unnamed' if missed else 'false alarm'}: {family}: {pair!r:.2000}")

    def add(self, family: str, *, named: bool, alarm: bool) -> None:
        """Counts a pair that was judged."""
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
    file, ours, beside = folder / "drawn.template.json", Tally("templates"), Tally("templates")

    def problems(document: Document) -> Iterable[Problem]:
        file.write_text(json.dumps(document), encoding="utf-8")
        return check_template(read_template(file), REGION, today=support_as_of())

    for number in range(CASES):
        ours.count(*drawn(TEMPLATES, SEED, number), problems)
    yield (f"wrong and right templates, seed {SEED}", f"{CASES} each")
    yield from ours.figures()
    sample = [drawn(TEMPLATES, SEED, number) for number in range(min(PEERS, CASES))]
    for family, pair in sample:
        beside.count(family, pair, problems)
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


def _of_cfn_lint(sample: Sequence[tuple[str, Pair]]) -> Tally:
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


def _cfn_lint(document: Document) -> set[tuple[str, str]]:
    """What cfn-lint finds, run as a library: each rule, and what it says."""
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    try:
        found = lint(json.dumps(document), config=ManualArgs(regions=[REGION]))
    except Exception as error:  # it ends in a traceback on some
        return {("ended", type(error).__name__)}
    return {(each.rule.id, each.message) for each in found}


def _told(
    problems: Callable[[Document], Iterable[Problem]], document: Document
) -> set[tuple[str, str]]:
    try:
        found = [*problems(document)]
    except ProblemsFound as refused:
        found = [*refused.problems]
    return {(each.rule, each.message) for each in found if each.severity is not Severity.NOTE}
