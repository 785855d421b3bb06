"""Every type's schema takes the least of its properties, and none of the steps away from there."""

from __future__ import annotations

import os

import pytest

from local_aws.resources.kept import REFUSED
from local_aws.schemas import is_custom, schema_of, type_names
from tests.local_aws.aws import REGION
from tests.local_aws.resources.least import least, violations

TYPES = [name for name in type_names(REGION) if not is_custom(name) and name not in REFUSED]
EVERY_NTH = int(os.environ.get("SCHEMA_EVERY_NTH", "80"))
"""Of the types; `make fuzz` takes each one."""


@pytest.mark.parametrize("type_name", TYPES[::EVERY_NTH])
def test_the_least_is_taken_and_each_step_from_there_refused(type_name: str) -> None:
    schema = schema_of(type_name, REGION)
    assert schema is not None
    properties = least(schema)
    assert schema.problems(properties, whole=True) == [], properties
    taken = [
        what
        for what, wrong in violations(schema, properties)
        if not schema.problems(wrong, whole=True)
    ]
    assert taken == []
