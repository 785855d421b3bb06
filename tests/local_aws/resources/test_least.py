"""Every type's schema takes the least of its properties, and none of the steps away from there."""

from __future__ import annotations

import pytest

from local_aws.resources.kept import REFUSED
from local_aws.schemas import is_custom, schema_of, type_names
from tests.local_aws.aws import REGION
from tests.local_aws.resources.least import least, violations

TYPES = [name for name in type_names(REGION) if not is_custom(name) and name not in REFUSED]
QUICK = TYPES[::40]


@pytest.mark.parametrize("type_name", QUICK)
def test_the_least_is_taken_and_each_step_from_there_refused(type_name: str) -> None:
    assert _wrongly_judged(type_name) == []


@pytest.mark.long
@pytest.mark.parametrize("service", sorted({name.split("::")[1] for name in TYPES}))
def test_every_types_least_is_taken_and_each_step_from_there_refused(service: str) -> None:
    types = [name for name in TYPES if name.split("::")[1] == service]

    assert [wrong for name in types for wrong in _wrongly_judged(name)] == []


def _wrongly_judged(type_name: str) -> list[str]:
    schema = schema_of(type_name, REGION)
    assert schema is not None
    properties = least(schema)
    problems = schema.problems(properties, whole=True)
    if problems:
        return [f"{type_name} {properties}: {problems}"]
    return [
        f"{type_name}: {what} is taken"
        for what, wrong in violations(schema, properties)
        if not schema.problems(wrong, whole=True)
    ]
