"""The names of a template for a stack: its parameters, its own resources, where it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from typing_extensions import override

from local_aws.services.cloudformation.engine.refusals import validation_error
from local_aws.template import Names, region_names


class References(Protocol):
    """What a template's own resources answer."""

    def ref(self, logical_id: str) -> Any:
        """The resource's Ref value."""

    def attribute(self, logical_id: str, name: str) -> Any:
        """The resource's attribute ``name``."""


class NoReferences:
    """Where resources may not be referred to: conditions and rules."""

    def ref(self, logical_id: str) -> Any:
        """Refuse: conditions and rules see parameters only."""
        raise validation_error(
            f"Template format error: Unresolved dependencies [{logical_id}]. "
            "Cannot reference resources in the Conditions block of the template"
        )

    def attribute(self, logical_id: str, name: str) -> Any:
        """Refuse: conditions and rules see parameters only."""
        return self.ref(logical_id)


@dataclass(frozen=True)
class Surroundings:
    """Where a template is evaluated: its stack, region, account."""

    stack_name: str
    stack_id: str
    region: str
    account_id: str
    notification_arns: tuple[str, ...] = ()

    def pseudo_parameters(self) -> dict[str, Any]:
        """The ``AWS::…`` parameters by name."""
        return {
            **region_names(self.region),
            "AWS::AccountId": self.account_id,
            "AWS::NotificationARNs": list(self.notification_arns),
            "AWS::StackId": self.stack_id,
            "AWS::StackName": self.stack_name,
        }


class StackNames(Names):
    """Every name that a stack's template may use; another is refused in CloudFormation's words.

    ``values`` are the parameters' by name; ``references`` answers for the template's
    resources; ``import_value`` gives another stack's export by name.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        references: References,
        import_value: Callable[[str], Any],
    ) -> None:
        super().__init__(values)
        self._references = references
        self._import_value = import_value

    @override
    def ref(self, name: str) -> Any:
        return self._values[name] if name in self._values else self._references.ref(name)

    @override
    def attribute(self, logical_id: str, name: str) -> Any:
        return self._references.attribute(logical_id, name)

    @override
    def imported(self, name: str) -> Any:
        return self._import_value(name)

    @override
    def zones(self, region: str) -> list[str]:
        return [f"{region}{zone}" for zone in "abc"]  # the three that the local AWS has
