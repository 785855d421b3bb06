"""A field says once which member of AWS's it becomes, and all that follows is derived."""

from __future__ import annotations

from typing import Annotated

from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import in_aws_words
from sagemaker_serving.spec.aws import Aws, aws_values, written_members
from sagemaker_serving.spec.base import Spec


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
