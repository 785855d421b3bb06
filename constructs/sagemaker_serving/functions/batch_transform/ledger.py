"""Which inputs are done: those with a whole output, and those in quarantine.

SageMaker "doesn't upload partially processed objects" (API reference, TransformOutput), and an
output with records in it is put where it goes when it was counted, so an output
that is there is whole. It answers the input as it stands if it is no
older; S3 tells the time of both, in seconds. The same holds for what the quarantine says. Of what
an execution has found, and not made itself, an input of the same second may be the younger one:
that is done again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from .quarantine import OBJECTS, RECORDS
from .run import Run
from .sharding import Input
from .store import Entry, Place


@dataclass(frozen=True, kw_only=True)
class Accounts:
    """Names of inputs: ``answered`` have an output; ``refused`` stand in quarantine whole.

    ``in_part`` have an output for all but the records that are in quarantine.
    ``doubtful`` have one of these that may be of what they were before, in the same second.
    ``overtaken`` are answered, by an output that is younger than their place on the list.
    """

    answered: frozenset[str]
    refused: frozenset[str]
    in_part: frozenset[str]
    doubtful: frozenset[str]
    overtaken: frozenset[str]

    @property
    def settled(self) -> frozenset[str]:
        """Nothing is to be done for these."""
        return self.answered | self.refused


def accounts(run: Run, inputs: Sequence[Input], *, made_before: bool = False) -> Accounts:
    """What S3 says of inputs at this moment; what has an output is not refused.

    ``made_before`` is whether another execution has made what is found.
    """
    places = (
        (run.output_place, ".out"),
        (run.quarantined / OBJECTS, ".jsonl"),
        (run.quarantined / RECORDS, ".jsonl"),
    )
    ages = [_ages(run, place, ending, inputs) for place, ending in places]
    at_least = int(made_before)
    answered, refused, in_part = (
        frozenset(name for name, age in each.items() if age >= at_least) for each in ages
    )
    outputs, wholes, _ = ages
    return Accounts(
        answered=answered,
        refused=refused - answered,
        in_part=in_part & answered,
        doubtful=frozenset(name for each in ages for name, age in each.items() if age == 0),
        overtaken=frozenset(name for name in answered if wholes.get(name, inf) < outputs[name]),
    )


def stale(run: Run, inputs: Sequence[Input]) -> frozenset[str]:
    """Those of inputs with outputs for all their records that the list still names."""
    ages = _ages(run, run.output_place, ".out", inputs)
    answered = frozenset(name for name, age in ages.items() if age >= 0)
    objects, records = (
        _there(run, run.quarantined / kind, ".jsonl", inputs).keys() for kind in (OBJECTS, RECORDS)
    )
    return answered & (objects | records)


def _ages(run: Run, place: Place, ending: str, inputs: Sequence[Input]) -> dict[str, int]:
    """By how many seconds what there is of inputs is younger than they are, by their names."""
    found = _there(run, place, ending, inputs)
    return {
        entry.name: found[entry.name].modified - entry.modified
        for entry in inputs
        if entry.name in found
    }


def _there(run: Run, place: Place, ending: str, inputs: Sequence[Input]) -> dict[str, Entry]:
    """What there is of inputs, by their names."""
    by_key = {f"{place.key}{entry.name}{ending}": entry.name for entry in inputs}
    return {by_key[key]: there for key, there in run.store.found(place, sorted(by_key)).items()}
