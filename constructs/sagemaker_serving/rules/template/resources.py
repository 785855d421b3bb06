"""A template's resources, with their intrinsics worked out, found by id or by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from local_aws.template import NO_VALUE, Evaluator, Names, Unknown, joined, region_names
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.engine.numbers import decimal_number, whole_number
from sagemaker_serving.rules.facts import Entries, Fact
from sagemaker_serving.rules.template.reading import Template


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource, its intrinsic functions worked out as far as the template alone tells."""

    logical_id: str
    kind: Fact
    properties: Fact

    @property
    def type(self) -> str:
        """``AWS::SageMaker::Model``, or "" when it is no text."""
        text = self.kind.text
        return text if text is not None else ""


class Resources:
    """The resources of one template, deployed to ``region`` if that is known."""

    def __init__(self, template: Template, region: str | None) -> None:
        self.region = Fact(region, Where(template.where.source))
        evaluator = _Properties(
            Names(region_names(region)),
            mappings=template.mappings,
            conditions=template.conditions,
            tolerant=True,
        )
        self._by_id = {
            str(name): _resource(str(name), raw, template.where / str(name), evaluator)
            for name, raw in template.resources.items()
            if isinstance(raw, dict) and not str(name).startswith("Fn::")
        }

    def all(self) -> Iterator[Resource]:
        """Every resource, in the template's order."""
        yield from self._by_id.values()

    def of(self, resource_type: str) -> Iterator[Resource]:
        """The resources of one type."""
        return (resource for resource in self.all() if resource.type == resource_type)

    def referred(self, reference: Fact, resource_type: str, name: str) -> Resource | None:
        """The resource that a reference means: by logical id, or by its property ``name``."""
        if isinstance(reference.value, Unknown):
            found = self._by_id.get(reference.value.name or "")
            return found if found is not None and found.type == resource_type else None
        text = reference.text
        named = (r for r in self.of(resource_type) if r.properties.get(name).text == text)
        return next(named, None) if text is not None else None

    @cached_property
    def on_serverless(self) -> frozenset[str]:
        """The logical ids of the models that some serverless variant runs."""
        variants = (
            variant
            for config in self.of("AWS::SageMaker::EndpointConfig")
            for variant in config.properties.get("ProductionVariants").items()
            if isinstance(variant.get("ServerlessConfig").value, dict)
        )
        models = (
            self.referred(variant.get("ModelName"), "AWS::SageMaker::Model", "ModelName")
            for variant in variants
        )
        return frozenset(model.logical_id for model in models if model is not None)

    def numbered(self, fact: Fact) -> Fact:
        """The fact with every number that is spelt as text read as the number it is.

        CloudFormation takes ``"1"`` where a number belongs.
        """
        return Fact(_numbered(fact.value), fact.where)


class _Properties(Evaluator):
    """Works out properties. What AWS looks up during the deploy, ``{{resolve:…}}``, is unknown, and
    entries of lists keep their places when others are left out."""

    def evaluate(self, value: Any) -> Any:
        if isinstance(value, list):
            items = [self.evaluate(item) for item in value]
            places = tuple(n for n, item in enumerate(items) if item is not NO_VALUE)
            return Entries((items[n] for n in places), places=places)
        worked_out = super().evaluate(value)
        if isinstance(worked_out, str) and "{{resolve:" in worked_out:
            return joined(
                Unknown() if part.startswith("{{resolve:") else part
                for part in _RESOLVED.split(worked_out)
            )
        return worked_out


_RESOLVED = re.compile(r"({{resolve:[^{}]*}})")
"""A dynamic reference (CloudFormation's user guide, read 2026-11-23)."""


def _resource(
    logical_id: str, raw: Mapping[str, Any], where: Where, evaluator: Evaluator
) -> Resource:
    return Resource(
        logical_id=logical_id,
        kind=Fact(raw.get("Type"), where / "Type"),
        properties=Fact(evaluator.evaluate(raw.get("Properties", {})), where),
    )


def _numbered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbered(inner) for key, inner in value.items()}
    if isinstance(value, list):
        places = getattr(value, "places", None)
        return Entries((_numbered(inner) for inner in value), places=places)
    if isinstance(value, str):
        whole = whole_number(value)
        number = decimal_number(value) if whole is None else whole
        return value if number is None else number
    return value
