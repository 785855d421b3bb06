"""What a field says it takes is what AWS's API takes of the member that it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated

import pytest

from sagemaker_serving.catalog.actions import shape
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import in_aws_words
from sagemaker_serving.spec import BatchTransformSettings
from sagemaker_serving.spec.aws import Aws, aws_fields, aws_values, written_members
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.compilation import Compilation
from sagemaker_serving.spec.data_capture import DataCapture
from sagemaker_serving.spec.kinds import Asynchronous
from sagemaker_serving.spec.network import ExistingNetwork
from sagemaker_serving.spec.schema import descriptions
from sagemaker_serving.spec.update import WAYS
from sagemaker_serving.spec.variants import (
    AdapterSettings,
    ComponentSettings,
    InstanceHost,
    ServerlessHost,
)

ROOTS: list[tuple[type[Spec], str]] = [
    (InstanceHost, "ProductionVariant"),
    (ServerlessHost, "ProductionVariant"),
    (ComponentSettings, "CreateInferenceComponentInput"),
    (AdapterSettings, "CreateInferenceComponentInput"),
    (Asynchronous, "AsyncInferenceConfig"),
    (DataCapture, "DataCaptureConfig"),
    (ExistingNetwork, "VpcConfig"),
    (BatchTransformSettings, "CreateTransformJobRequest"),
    (Compilation, "CreateCompilationJobRequest"),
    *((way, way.policy) for way in WAYS.values()),
]


OWN = {
    "BatchTransformSettings.max_payload_in_mb",
    *("CanaryUpdate.canary_percent", "LinearUpdate.linear_percent"),
    *("RollingUpdate.rolling_percent", "RollingUpdate.rollback_percent"),
}
"""Those whose end AWS's shapes do not tell; rules have them, each with its source."""
RANGE = re.compile(r"\b([0-9]+) to ([0-9]+)\b", re.ASCII)


def ranges(spec: type[Spec], root: str) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """The fields below ``spec`` whose text says a range, each with its shape and that range."""
    texts = descriptions(spec)
    for field in aws_fields(spec):
        for member in field.members:
            place = root
            for name in member.replace("[]", "").split("."):
                place = shape(_entry(place)).get("members", {}).get(name, "")
            found = RANGE.search(texts.get(field.name, ""))
            if field.inner is not None:
                yield from ranges(field.inner, _entry(place))
            elif found is not None and place:
                yield f"{spec.__name__}.{field.name}", place, (int(found[1]), int(found[2]))


def _entry(place: str) -> str:
    """The shape of a list's entries, or the one that is no list."""
    return str(shape(place).get("of", place)) if place else ""


SAID = {found[0]: found[1:] for spec, root in ROOTS for found in ranges(spec, root)}


@pytest.mark.parametrize("field", SAID)
def test_a_range_in_a_fields_text_is_the_one_of_awss_shape(field: str) -> None:
    place, (low, high) = SAID[field]
    known = shape(place)
    if field in OWN:
        assert known.get("max") is None
        assert low >= known.get("min", 0)
    else:
        assert (low, high) == (known.get("min"), known.get("max"))


def test_most_members_with_a_range_say_it() -> None:
    assert len(SAID) > 25


class Inner(Spec):
    prefix_length: int | None = None


class Outer(Spec):
    instance_type: str
    volume_size_in_gb: Annotated[int | None, Aws("VolumeSizeInGB")] = None
    routing: Annotated[Inner | None, Aws("RoutingConfig.Prefixes")] = None
    strategy: Annotated[str | None, Aws("RoutingConfig.RoutingStrategy")] = None
    types: Annotated[list[str], Aws("Pools.Type", "Pools.Priority")] = []  # noqa: RUF012
    own: Annotated[str | None, Aws()] = None


def test_each_member_has_the_field_that_writes_it() -> None:
    assert dict(written_members(Outer, "outer.")) == {
        "InstanceType": "outer.instance_type",
        "VolumeSizeInGB": "outer.volume_size_in_gb",
        "RoutingConfig.Prefixes.PrefixLength": "outer.routing.prefix_length",
        "RoutingConfig.RoutingStrategy": "outer.strategy",
        "Pools.Type": "outer.types",
        "Pools.Priority": "outer.types",
    }


def test_values_are_written_by_aws_names_and_none_writes_nothing() -> None:
    given = Outer(instance_type="ml.c5.large", routing=Inner(prefix_length=0), own="x")
    assert aws_values(Outer, vars(given)) == {
        "InstanceType": "ml.c5.large",
        "RoutingConfig": {"Prefixes": {"PrefixLength": 0}},
    }


def test_facts_in_aws_words_keep_the_place_of_what_the_user_wrote() -> None:
    where = Where() / "variants" / 0
    fact = Fact({"volume_size_in_gb": 600, "routing": {"prefix_length": 1}}, where)
    members = in_aws_words(fact, Outer)
    assert members.get("VolumeSizeInGB") == fact.get("volume_size_in_gb")
    prefixes = members.get("RoutingConfig").get("Prefixes")
    assert prefixes.get("PrefixLength") == fact.get("routing").get("prefix_length")
    assert not members.get("InstanceType").given
    assert [name for name, _ in members.entries()] == ["VolumeSizeInGB", "RoutingConfig"]
