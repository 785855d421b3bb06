"""State machines, which the emulator keeps: finding one, and refusing what cannot be one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moto.stepfunctions.exceptions import StateMachineDoesNotExist
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local_aws.integration import Integrations
from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine import definition, jsonata, language
from local_aws.services.stepfunctions.engine.execution import Machine
from local_aws.services.stepfunctions.engine.problems import Problem, schema_problem


class Machines:
    """The state machines of an account, in every region."""

    def __init__(self, account_id: str) -> None:
        self._account_id = account_id

    def find(self, arn: str, region: str) -> Machine:
        """The machine, version or alias of an ARN, as it is now.

        Raises AwsError StateMachineDoesNotExist.
        """
        backend = stepfunctions_parser_backends[self._account_id][region]
        try:
            found = backend.describe_state_machine(_version_of(backend, arn))
        except StateMachineDoesNotExist:
            raise AwsError(
                "StateMachineDoesNotExist", f"State Machine Does Not Exist: '{arn}'"
            ) from None
        return Machine(
            arn=found.source_arn if hasattr(found, "source_arn") else found.arn,
            name=found.name,
            definition=found.definition,
            role_arn=found.roleArn,
            kind=found.type,
            logging=found.loggingConfiguration,
        )

    def refuse_taken(self, asked: Mapping[str, Any], region: str) -> None:
        """Raise AwsError StateMachineAlreadyExists for a name that another machine has.

        The same definition, role and type make it the same machine.
        """
        for machine in stepfunctions_parser_backends[self._account_id][region].state_machines:
            own = (machine.definition, machine.roleArn, machine.type)
            same = (asked["definition"], asked["roleArn"], asked.get("type", "STANDARD"))
            if machine.name == asked["name"] and own != same:
                raise AwsError(
                    "StateMachineAlreadyExists", f"State Machine Already Exists: '{machine.arn}'"
                )


def refuse_invalid(text: str, kind: str, integrations: Integrations) -> None:
    """Raise AwsError InvalidDefinition, with every problem, for what no machine can be made of."""
    found = problems(text, kind, integrations)
    if found:
        listed = ", ".join(str(each) for each in found)
        raise AwsError("InvalidDefinition", f"Invalid State Machine Definition: '{listed}'")


def problems(text: str, kind: str, integrations: Integrations) -> list[Problem]:
    """What is wrong with a definition, by its rules and then by the interpreter's grammar."""
    found = definition.problems(text, jsonata.problem, integrations, kind)
    if found:
        return found
    try:
        language.program(text)
    except Exception as error:  # the grammar's own errors are of many kinds
        return [schema_problem(str(error).removeprefix("ASLParserException "), "/")]
    return []


def _version_of(backend: Any, arn: str) -> str:
    """The version that an alias leads most calls to; any other ARN as it is."""
    for machine in backend.state_machines:
        for alias in machine.aliases.values():
            if alias.arn == arn:
                routes = alias.routing_configuration
                heaviest = max(routes, key=lambda route: route["weight"])
                return str(heaviest["stateMachineVersionArn"])
    return arn
