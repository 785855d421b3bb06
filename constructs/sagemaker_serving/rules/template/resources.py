"""A template's resources, with their intrinsics worked out, found by id or by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from typing import Any

from local_aws.template import (
    NO_VALUE,
    Evaluator,
    Names,
    TemplateError,
    Unknown,
    function_name,
    joined,
    needed,
    references,
)
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Entries, Fact
from sagemaker_serving.rules.facts.kinds import Renamed
from sagemaker_serving.rules.facts.numbers import decimal_number, whole_number
from sagemaker_serving.rules.template.marks import same_text
from sagemaker_serving.rules.template.reading import Template
from sagemaker_serving.rules.template.scenarios import Asked, Scenario, Scenarios
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL

ALARM, COMPOSITE = "AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"
TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
KINDS = {
    MODEL: "model",
    ENDPOINT_CONFIG: "endpoint configuration",
    ENDPOINT: "endpoint",
    COMPONENT: "inference component",
}
"""What SageMaker's types are called in messages."""
NAMED_BY: Mapping[str, str] = {
    MODEL: "ModelName",
    ENDPOINT_CONFIG: "EndpointConfigName",
    ENDPOINT: "EndpointName",
    COMPONENT: "InferenceComponentName",
    TARGET: "ResourceId",
    ALARM: "AlarmName",
    COMPOSITE: "AlarmName",
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::ECR::Repository": "RepositoryName",
}
"""The property that gives a resource the name by which others may mean it (CloudFormation template
reference, each type's page)."""


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource, its intrinsic functions worked out as far as the template alone tells."""

    logical_id: str
    type: str
    properties: Fact


class Resources:
    """The resources of one template in one scenario; ``asked`` is what they depend on there.

    What is worked out is kept for every scenario that answers alike.
    """

    def __init__(self, template: Template, region: str | None) -> None:
        self.region = Fact(region, Where(template.where.source))
        self.scenarios = Scenarios(template, region)
        self.asked: Asked = {}
        self._scenario = self.scenarios.where({})
        self.template = template
        self._declared = {
            str(name): raw
            for name, raw in template.resources.items()
            if isinstance(raw, dict) and not str(name).startswith("Fn::")
        }
        self._kept: dict[str, list[tuple[Asked, Resource | None]]] = defaultdict(list)
        self._by_text: dict[tuple[str, str], Mapping[str | None, list[str]]] = {}
        self._above: dict[str, set[str]] = {}
        self._of: dict[str, list[str]] = defaultdict(list)
        for name in self._declared:
            self._of[self.kind(name).text or ""].append(name)
        self._serverless = [
            name
            for name in self._of[ENDPOINT_CONFIG]
            if "ServerlessConfig" in repr(self._declared[name])
        ]

    def under(self, scenario: Scenario) -> Resources:
        """The same resources in another scenario, of which nothing was asked yet."""
        resources = copy(self)
        resources._scenario = scenario
        resources.asked = {}
        return resources

    def __iter__(self) -> Iterator[str]:
        """Every logical id, in the template's order."""
        return iter(self._declared)

    def of_types(self, *types: str) -> Iterator[Resource]:
        """The resources of these types that there are in this scenario."""
        for kind in types:
            for logical_id in self._of.get(kind, ()):
                resource = self.find(logical_id)
                if resource is not None:
                    yield resource

    def above(self, resource: Resource, name: str) -> Iterator[Resource]:
        """Those of its type above it whose property ``name`` is written as its own is."""
        declared = self._declared.get(resource.logical_id)
        of_call = resource.properties.value  # which comes after all that there is
        own = (of_call if declared is None else declared["Properties"]).get(name)
        for logical_id in self._of[resource.type]:
            if logical_id == resource.logical_id:
                return
            properties = self._declared[logical_id].get("Properties")
            if isinstance(properties, dict) and properties.get(name) == own:
                found = self.find(logical_id)
                if found is not None:
                    yield found

    def parameters_in(self, logical_id: str, name: str) -> tuple[str, ...]:
        """The parameters that a resource's property mentions, as it is written."""
        written = self._declared.get(logical_id, {}).get("Properties")
        mentioned = references(written.get(name) if isinstance(written, dict) else None)
        return tuple(each.name for each in mentioned if self.scenarios.varies(each.name))

    def kind(self, logical_id: str) -> Fact:
        """The type that a resource says it has."""
        where = self.template.where / logical_id / "Type"
        return Fact(self._declared[logical_id].get("Type"), where)

    def find(self, logical_id: str) -> Resource | None:
        """The resource, or None where there is none in this scenario."""
        if logical_id not in self._declared:
            return None
        kept = self._kept[logical_id]
        known = next((one for one in kept if self._scenario.agrees(one[0])), None)
        if known is None:
            asked: Asked = {}
            known = (asked, self._worked_out(logical_id, asked))
            kept.append(known)
        self.asked |= known[0]
        return known[1]

    def referred(
        self, reference: Fact, resource_type: str, name: str | None = None
    ) -> Resource | None:
        """The resource that a reference means: by logical id, or by its property ``name``, which is
        that of `NAMED_BY` unless given.

        Two names are the same whose parts are, as ``${AWS::StackName}-model`` and a parameter.
        """
        name = NAMED_BY.get(resource_type, "") if name is None else name
        if reference.unknown and reference.value.name in self._declared:
            found = self.find(reference.value.name or "")
            return found if found is not None and found.type == resource_type else None
        text = same_text(reference.value)
        by_text = self._named(resource_type, name)
        for logical_id in (*by_text.get(text, ()), *by_text[None]) if text is not None else ():
            resource = self.find(logical_id)
            named = None if resource is None else resource.properties.get(name)
            if named is not None and same_text(named.value) == text:
                return resource
        return None

    def _named(self, resource_type: str, name: str) -> Mapping[str | None, list[str]]:
        """The resources that have the property ``name``, by its text; None has those whose text is
        to be worked out."""
        if (resource_type, name) not in self._by_text:
            by_text: dict[str | None, list[str]] = {None: []}
            for logical_id in self._of[resource_type]:
                written = self._declared[logical_id].get("Properties")
                if isinstance(written, dict) and (name in written or function_name(written)):
                    text = written.get(name)
                    plain = isinstance(text, str) and not _LOOKED_UP.search(text)
                    by_text.setdefault(text if plain else None, []).append(logical_id)
            self._by_text[resource_type, name] = by_text
        return self._by_text[resource_type, name]

    def waits(self, one: str, other: str) -> bool:
        """Whether a resource is made after another: what it refers to, by whichever function or
        DependsOn, is made before it, and what that refers to, too."""
        if one not in self._above:
            found: set[str] = set()
            waiting = [one]
            while waiting:
                names = self._needed(waiting.pop()) - found
                found |= names
                waiting += names
            self._above[one] = found
        return other in self._above[one]

    def _needed(self, logical_id: str) -> set[str]:
        try:
            return needed(self._declared[logical_id]) & self._declared.keys()
        except (TemplateError, TypeError):
            return set(self._declared)  # not to be read, so that nobody can tell

    def is_on_serverless(self, model: Resource) -> bool:
        """Whether a serverless variant runs the model."""
        named = model.properties.get("ModelName").given
        for logical_id in self._serverless:
            mentioned = named or model.logical_id in repr(self._declared[logical_id])
            config = self.find(logical_id) if mentioned else None
            for variant in config.properties.get("ProductionVariants").items() if config else ():
                if isinstance(variant.get("ServerlessConfig").value, dict):
                    run = self.referred(variant.get("ModelName"), MODEL)
                    if run is not None and run.logical_id == model.logical_id:
                        return True
        return False

    def numbered(self, fact: Fact) -> Fact:
        """The fact with every number that is spelt as text read as the number it is.

        CloudFormation takes ``"1"`` where a number belongs.
        """
        return Fact(_numbered(fact.value), fact.where)

    def numbered_in(self, members: Fact, *names: str) -> Fact:
        """The same with numbers as numbers in ``names``; elsewhere a version may look like one."""
        if not isinstance(members.value, Mapping):
            return members
        numbers = {name: self.numbered(members.get(name)) for name in names}
        return Renamed(members.value, members.where, {**dict(members.entries()), **numbers})

    def _worked_out(self, logical_id: str, asked: Asked) -> Resource | None:
        declared = self._declared[logical_id]
        evaluator = _Properties(self._scenario, self.template, asked)
        condition = declared.get("Condition")
        if isinstance(condition, str) and evaluator.condition(condition) is False:
            return None
        return Resource(
            logical_id=logical_id,
            type=self.kind(logical_id).text or "",
            properties=Fact(
                evaluator.evaluate(declared.get("Properties", {})), self.template.where / logical_id
            ),
        )


class _Asking(Names):
    """Answers as a scenario does, and notes what was asked."""

    def __init__(self, scenario: Scenario, asked: Asked) -> None:
        super().__init__({})
        self._scenario = scenario
        self._asked = asked

    def ref(self, name: str) -> Any:
        if self._scenario.scenarios.varies(name):
            self._asked["parameter", name] = self._scenario.text(name)
        return self._scenario.value(name)


class _Properties(Evaluator):
    """Works out properties in a scenario. What is looked up later is unknown, and entries of lists
    keep their places when others are left out."""

    def __init__(self, scenario: Scenario, template: Template, asked: Asked) -> None:
        super().__init__(
            _Asking(scenario, asked),
            mappings=template.mappings,
            conditions=template.conditions,
            tolerant=True,
        )
        self._scenario = scenario
        self._asked = asked

    def condition(self, name: str) -> bool | Unknown:
        holds = self._scenario.condition(name)
        self._asked["condition", name] = holds
        return holds

    def evaluate(self, value: Any) -> Any:
        if isinstance(value, list):
            items = [self.evaluate(item) for item in value]
            places = tuple(n for n, item in enumerate(items) if item is not NO_VALUE)
            return Entries((items[n] for n in places), places=places)
        worked_out = super().evaluate(value)
        if isinstance(worked_out, str) and _LOOKED_UP.search(worked_out):
            return joined(
                Unknown() if _LOOKED_UP.fullmatch(part) else part
                for part in _LOOKED_UP.split(worked_out)
            )
        return worked_out


_LOOKED_UP = re.compile(
    r"({{resolve:[^{}]*}}|dummy-value-for-[A-Za-z0-9_./-]*"
    r"|^(?:ami-1234|vpc-12345|[ps]-(?:12345|67890))$)"
)
"""A dynamic reference (CloudFormation's user guide), and what stands in a CDK app for an image, a
VPC, its subnets or a parameter until the CLI has looked it up: a test of a stack sees no more
(aws-cdk-lib 2.276.0, ``dummyValue`` and ``DUMMY_VPC_PROPS``)."""


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
