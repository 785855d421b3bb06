"""Records in = answers out + records on the list, whatever the input and the container."""

from __future__ import annotations

import os
from collections.abc import Mapping
from random import Random

import pytest

from tests.functions.batch_transform.drawn import Case, cases, draw, unaccounted
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import begun, put
from tests.functions.batch_transform.simulation import Simulation
from tests.functions.batch_transform.test_simulation import RETRIES, listed, outputs

CASES = cases()
DRAWS = int(os.environ.get("BATCH_DRAWS", "2"))
"""Of each case, one of them with a line for each record; `make fuzz` draws more."""


def named(case: Case) -> str:
    return "-".join(str(value) for value in case.fields.values()).replace("/", "_")


@pytest.mark.parametrize("number", range(len(CASES)), ids=[named(case) for case in CASES])
def test_every_record_has_its_own_answer_or_its_place_on_the_list(number: int) -> None:
    for seed in range(DRAWS):
        chance = Random(f"{number}-{seed}")
        wrong, counts = outcome(CASES[number], chance, line_per_record=seed % 2 == 1)
        assert wrong == [], f"seed {number}-{seed}"
        assert counts["unaccounted"] == 0, f"seed {number}-{seed}"
        known = [counts[name] for name in ("records", "records_answered", "records_quarantined")]
        assert known[0] == known[1] + known[2], f"seed {number}-{seed}"


def outcome(
    case: Case, chance: Random, *, line_per_record: bool
) -> tuple[list[str], Mapping[str, int]]:
    """What is wrong with a simulated execution over drawn inputs, and its own counts."""
    drawn = draw(chance, case)
    s3 = MemoryS3()
    put(s3, drawn.files)
    run = begun(
        s3,
        max_objects_per_shard=chance.randint(1, 3),
        retries=RETRIES,
        requests_alone=case.requests_alone,
        line_per_record=line_per_record,
        **case.fields,
    )
    simulation = Simulation(
        s3,
        case.container.ask,
        dies=chance.choice([0.0, 0.05]),
        seed=chance.randint(0, 1000),
        in_time=lambda: chance.random() < 0.9,
    )
    counts = simulation.execute(run)
    wrong = unaccounted(case, drawn, outputs(s3), listed(s3), line_per_record=line_per_record)
    return wrong, counts
