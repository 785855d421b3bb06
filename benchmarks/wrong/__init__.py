"""Wrong changes of right environment files and templates, each beside the nearest right one.

What is wrong follows from the JSON Schema, from botocore's service models and from the guides of
the services, never from this project's rules. Of templates it is what SageMaker, what asks it, or a
container refuses: what is wrong in any template is a linter's.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.wrong import endpoints, environments, machines, roles, schemas, templates
from benchmarks.wrong.changes import Document, Family, Pair

__all__ = ["ENVIRONMENTS", "TEMPLATES", "Document", "Pair", "drawn"]


def drawn(families: Sequence[Family], seed: int, at: int) -> tuple[str, Pair]:
    """The family's name, and the documents that ``at`` stands for."""
    family = families[at % len(families)]
    return family.__name__, family(random.Random(f"{seed}-{at}"))


ENVIRONMENTS: Sequence[Family] = (
    *(schemas.unknown_field, schemas.missing_field, schemas.wrong_type, schemas.choice),
    *(schemas.number, schemas.number, schemas.text),
    *(environments.schedule, environments.schedule, environments.schedule, environments.time_zone),
    *(environments.container_variable, environments.container_variable),
    *(environments.together, environments.together),
)

TEMPLATES: Sequence[Family] = (
    *(roles.trust, roles.permission, machines.machine, templates.schedule, templates.time_zone),
    *(templates.container_variable, endpoints.together, endpoints.together),
)
