"""Wrong changes of right CloudFormation templates, each beside the nearest right one.

What is wrong follows from CloudFormation's schemas and reference, from botocore's service models
and from the services' guides, never from this project's rules. Half of all values stand behind a
function or a parameter.
"""

from __future__ import annotations

import random

from benchmarks.wrong_templates.arguments import function
from benchmarks.wrong_templates.bases import REGION, Document, Family, Pair
from benchmarks.wrong_templates.documented import (
    container_variable,
    permission,
    policy,
    schedule,
    time_zone,
    trust,
)
from benchmarks.wrong_templates.endpoints import together
from benchmarks.wrong_templates.machines import machine
from benchmarks.wrong_templates.schemas import (
    action_limit,
    count,
    missing_member,
    number,
    other_word,
    text,
    unknown_member,
    wrong_type,
)
from benchmarks.wrong_templates.sections import (
    attribute,
    condition,
    cycle,
    limit,
    mapping,
    reference,
    section,
)

__all__ = ["REGION", "Document", "Pair", "drawn"]


def drawn(seed: int, at: int) -> tuple[str, Pair]:
    """The family's name, and the templates that ``at`` stands for."""
    family = _FAMILIES[at % len(_FAMILIES)]
    return family.__name__, family(random.Random(f"{seed}-{at}"))


_FAMILIES: list[Family] = [
    *(missing_member, unknown_member, wrong_type, other_word, number, text, count, action_limit),
    *(reference, attribute, condition, mapping, cycle, function, section, limit),
    *(trust, permission, policy, machine, schedule, time_zone, container_variable, together),
]
