"""Aliases of state machines: names that lead to one or two versions, by weight.

https://docs.aws.amazon.com/step-functions/latest/dg/concepts-state-machine-alias.html, and what
AWS was recorded to answer (LocalStack's suite, 2025).
"""

from __future__ import annotations

from typing import Any

from moto.stepfunctions.models import StateMachineAlias

from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine import answers
from local_aws.services.stepfunctions.engine.machines import Machines, machine_arn
from local_aws.services.stepfunctions.engine.requests import Parameters


class Aliases:
    """Makes, changes, describes, lists and deletes aliases of machines."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines

    def create_state_machine_alias(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Make an alias; the same one again when all of it is the same."""
        name, routes = asked["name"], asked["routingConfiguration"]
        machine = self._machine_of(routes, region)
        alias = machine.aliases.get(name)
        wanted = (routes, asked.get("description"))
        if alias is None:
            alias = StateMachineAlias(name, machine.arn, *wanted)
            machine.aliases[name] = alias
        elif (alias.routing_configuration, alias.description) != wanted:
            raise AwsError(
                "ConflictException",
                "Failed to create alias because an alias with the same name and a different "
                "routing configuration already exists.",
            )
        return {"stateMachineAliasArn": alias.arn, "creationDate": alias.creation_date}

    def update_state_machine_alias(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Change where an alias leads to, or what is said of it."""
        if not asked.keys() & {"description", "routingConfiguration"}:
            raise AwsError(
                "ValidationException",
                "You must provide at least one of routingConfiguration or description",
            )
        alias = self._alias(asked["stateMachineAliasArn"], region)
        if "routingConfiguration" in asked:
            machine = self._machine_of(asked["routingConfiguration"], region)
            if machine.arn != machine_arn(alias.arn):
                raise _not_of_one_machine(asked["routingConfiguration"])
        alias.update(
            description=asked.get("description"),
            routing_configuration=asked.get("routingConfiguration"),
        )
        return {"updateDate": alias.update_date}

    def describe_state_machine_alias(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Where an alias leads to."""
        alias = self._alias(asked["stateMachineAliasArn"], region)
        return answers.present(
            {
                "stateMachineAliasArn": alias.arn,
                "name": alias.name,
                "description": alias.description or None,
                "routingConfiguration": alias.routing_configuration,
                "creationDate": alias.creation_date,
                "updateDate": alias.update_date,
            }
        )

    def list_state_machine_aliases(self, asked: Parameters, region: str) -> dict[str, Any]:
        """The aliases of a machine, or those that lead to one of its versions; oldest first."""
        arn = asked["stateMachineArn"]
        machine = self._machines.machine(machine_arn(arn), region)
        listed = [
            {"stateMachineAliasArn": each.arn, "creationDate": each.creation_date}
            for each in sorted(machine.aliases.values(), key=lambda each: each.creation_date)
            if arn == machine.arn or arn in _versions(each.routing_configuration)
        ]
        return answers.page("stateMachineAliases", listed, asked)

    def delete_state_machine_alias(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Forget an alias, if there is one."""
        alias = self._machines.alias(asked["stateMachineAliasArn"], region)
        if alias is not None:
            machine = self._machines.machine(machine_arn(alias.arn), region)
            del machine.aliases[alias.name]
        return {}

    def _alias(self, arn: str, region: str) -> Any:
        alias = self._machines.alias(arn, region)
        if alias is None:
            raise _missing()
        return alias

    def _machine_of(self, routes: list[dict[str, Any]], region: str) -> Any:
        """The machine of the versions that an alias shall lead to.

        Raises AwsError ValidationException for routes that cannot be, and ResourceNotFound for
        versions that are not there.
        """
        versions, weights = _versions(routes), [each["weight"] for each in routes]
        if any(machine_arn(each) == each for each in versions):
            raise _unfit("contain state machine version ARNs", versions)
        if len(set(versions)) < len(versions):
            raise _unfit("contain distinct state machine version ARNs", versions)
        if sum(weights) != 100:
            raise AwsError(
                "ValidationException",
                f"Sum of routing configuration weights must equal 100. Received: {weights}",
            )
        if len({machine_arn(each) for each in versions}) > 1:
            raise _not_of_one_machine(routes)
        machine = self._machines.machine_if_any(machine_arn(versions[0]), region)
        there = set() if machine is None else {each.arn for each in machine.versions.values()}
        if not there >= set(versions):
            raise _missing()
        return machine


def _versions(routes: list[dict[str, Any]]) -> list[str]:
    return [each["stateMachineVersionArn"] for each in routes]


def _not_of_one_machine(routes: list[dict[str, Any]]) -> AwsError:
    return _unfit("contain versions of the same state machine", _versions(routes))


def _unfit(rule: str, versions: list[str]) -> AwsError:
    received = ", ".join(versions)
    return AwsError(
        "ValidationException", f"Routing configuration must {rule}. Received: [{received}]"
    )


def _missing() -> AwsError:
    return AwsError("ResourceNotFound", "Request references a resource that does not exist.")
