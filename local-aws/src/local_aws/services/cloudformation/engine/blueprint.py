"""A version of a stack, evaluated: which resources it has and what each is to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Protocol

from local_aws.protocol import AwsError
from local_aws.schemas import is_custom, schema_of
from local_aws.services.cloudformation.engine.graph import Graph, resource_graph
from local_aws.services.cloudformation.engine.names import (
    NoReferences,
    References,
    StackNames,
    Surroundings,
)
from local_aws.services.cloudformation.engine.refusals import format_error, validation_error
from local_aws.services.cloudformation.engine.stacks import Output, Resource, Version
from local_aws.template import NO_VALUE, Evaluator, as_text, needed, references


class StackReferences(References, Protocol):
    """What a stack's resources answer, and whether it may be shown."""

    def conceals(self, logical_id: str) -> bool:
        """Whether the resource's attributes are not to be shown."""


class Blueprint:
    """What a version's template says, with its parameters, for one stack.

    ``references`` answer for the template's own resources: those that exist while a
    deployment runs, those that are foreseen while it is planned.
    """

    def __init__(
        self,
        version: Version,
        surroundings: Surroundings,
        references: StackReferences,
        import_value: Callable[[str], Any],
    ) -> None:
        self.template = version.template
        self._references = references
        self.tags = version.tags
        self._surroundings = surroundings
        parameters = {key: each.reference for key, each in version.parameters.items()}
        values = {**surroundings.pseudo_parameters(), **parameters}

        def evaluator(answers: References) -> Evaluator:
            return Evaluator(
                StackNames(values, answers, import_value),
                mappings=self.template.mappings,
                conditions=self.template.conditions,
            )

        self._static = evaluator(NoReferences())
        self._live = evaluator(references)

    @cached_property
    def resources(self) -> dict[str, dict[str, Any]]:
        """The definitions whose condition holds, by logical id."""
        return {
            logical_id: definition
            for logical_id, definition in self.template.resources.items()
            if "Condition" not in definition or self._static.condition(definition["Condition"])
        }

    @cached_property
    def graph(self) -> Graph:
        """The resources that are deployed and what each needs."""
        whole = resource_graph(self.template)
        return Graph({logical_id: whole.needs[logical_id] for logical_id in self.resources})

    def broken_rules(self) -> list[str]:
        """The assertions of the Rules section that do not hold."""
        return [
            f"Rule {name} failed: {assertion.get('AssertDescription', assertion['Assert'])}"
            for name, rule in self.template.rules.items()
            if "RuleCondition" not in rule or self._static.holds(rule["RuleCondition"])
            for assertion in rule.get("Assertions", [])
            if not self._static.holds(assertion["Assert"])
        ]

    def resource(self, logical_id: str) -> Resource:
        """One resource as it is to be, its properties evaluated, not made yet."""
        definition = self.resources[logical_id]
        properties = self._live.evaluate(definition.get("Properties") or {})
        type_name = definition["Type"]
        schema = schema_of(type_name, self._surroundings.region)
        if schema is not None:
            properties = schema.without_read_only(properties)
        return Resource(
            logical_id,
            type_name,
            properties=self._with_stack_tags(type_name, properties),
            metadata=definition.get("Metadata") or {},
            deletion_policy=self._chosen(definition, "DeletionPolicy", "Delete"),
            update_replace_policy=self._chosen(definition, "UpdateReplacePolicy", "Delete"),
            needs=sorted(needed(definition) & self.resources.keys()),
        )

    def outputs(self) -> dict[str, Output]:
        """The outputs whose condition holds; in a plan, what is unknown says so in their values."""
        outputs = {}
        for key, definition in self.template.outputs.items():
            if "Condition" in definition and not self._static.condition(definition["Condition"]):
                continue
            export = definition.get("Export")
            try:
                value = self._live.evaluate(definition["Value"])
                name = None if export is None else as_text(self._live.evaluate(export["Name"]))
            except NotDeployed as error:
                raise validation_error(
                    f"Unresolved resource dependencies [{error.logical_id}] in the Outputs block "
                    "of the template"
                ) from None
            if value is NO_VALUE or isinstance(value, dict | list):
                raise format_error(
                    f"Output {key} is malformed. The Value field of every Outputs member must "
                    "evaluate to a String."
                )
            outputs[key] = Output(
                key,
                as_text(value),
                definition.get("Description"),
                name,
                self.conceals(definition["Value"]),
            )
        return outputs

    def conceals(self, value: Any) -> bool:
        """Whether ``value``, unevaluated, has an attribute in it that is not to be shown."""
        return any(
            reference.attribute is not None and self._references.conceals(reference.name)
            for reference in references(value)
        )

    def _chosen(self, definition: dict[str, Any], attribute: str, default: Any) -> Any:
        """A policy, which a function of parameters and conditions may choose.

        AWS takes one without the transform that its documentation asks for (recorded in 2026).
        """
        chosen = self._static.evaluate([definition.get(attribute, default)])
        return chosen[0] if chosen else default

    def _with_stack_tags(self, type_name: str, properties: dict[str, Any]) -> dict[str, Any]:
        """The stack's tags on what can be tagged; the resource's own come first."""
        schema = schema_of(type_name, self._surroundings.region)
        name = None if schema is None else schema.tag_property
        if not self.tags or schema is None or name is None:
            return properties
        own = properties.get(name)
        if schema.tags_are_a_map:
            return {**properties, name: {**self.tags, **(own or {})}}
        tags = list(own or [])
        keys = {tag.get("Key") for tag in tags}
        more = dict.fromkeys(schema.tag_switches, True)
        tags += [{"Key": k, "Value": v, **more} for k, v in self.tags.items() if k not in keys]
        return {**properties, name: tags}


class Existing:
    """References to resources that are there; ``refresh`` reads an attribute anew that changes by
    itself."""

    def __init__(
        self,
        resources: Mapping[str, Resource],
        refresh: Callable[[Resource, str], None] = lambda resource, attribute: None,
    ) -> None:
        self._resources = resources
        self._refresh = refresh

    def ref(self, logical_id: str) -> Any:
        """The physical id."""
        return self._found(logical_id).physical_id

    def attribute(self, logical_id: str, name: str) -> Any:
        """An attribute that the service gave, or a property that was set."""
        resource = self._found(logical_id)
        self._refresh(resource, name)
        return attribute_of(resource, name)

    def conceals(self, logical_id: str) -> bool:
        """Whether the resource said that its attributes are not to be shown."""
        return logical_id in self._resources and self._resources[logical_id].no_echo

    def _found(self, logical_id: str) -> Resource:
        resource = self._resources.get(logical_id)
        if resource is None:
            raise NotDeployed(logical_id)
        return resource


class NotDeployed(AwsError):
    """CloudFormation's answer for a reference to what the deployment does not have."""

    def __init__(self, logical_id: str) -> None:
        super().__init__(
            "ValidationError",
            f"Template format error: Unresolved resource dependencies [{logical_id}] in the "
            "Resources block of the template",
        )
        self.logical_id = logical_id


def attribute_of(resource: Resource, name: str) -> Any:
    """A resource's attribute; dots lead into nested ones.

    A property with a dynamic reference to SSM is what that pointed to when it was deployed.
    Raises AwsError ``ValidationError`` when the resource has no such attribute.
    """
    custom = is_custom(resource.type)
    properties = {} if custom else {**resource.properties, **resource.resolved}
    for values in (resource.attributes, properties):
        if name in values:
            return values[name]
        found: Any = values
        for step in name.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        if found is not None:
            return found
    if custom:
        raise validation_error(
            f"CustomResource attribute error: Vendor response doesn't contain {name} key in the "
            f"Data of {resource.logical_id}"
        )
    raise validation_error(
        f"Template error: resource {resource.logical_id} does not support attribute type "
        f"{name} in Fn::GetAtt"
    )
