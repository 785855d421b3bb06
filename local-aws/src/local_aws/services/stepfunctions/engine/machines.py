"""State machines, which the emulator keeps: made, changed, described and found.

https://docs.aws.amazon.com/step-functions/latest/apireference/API_CreateStateMachine.html,
API_UpdateStateMachine.html and API_DescribeStateMachine.html, and what AWS was
recorded to answer (LocalStack's suite, 2023 to 2025).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from moto.stepfunctions.models import StateMachine
from moto.stepfunctions.parser.models import stepfunctions_parser_backends

from local_aws.arn import arn_in
from local_aws.clock import iso
from local_aws.context import LocalContext
from local_aws.integration import Integrations
from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine import (
    answers,
    definition,
    jsonata,
    language,
    log_delivery,
)
from local_aws.services.stepfunctions.engine.execution import Machine
from local_aws.services.stepfunctions.engine.requests import (
    Parameters,
    refuse_name,
    refuse_too_many,
    role_of,
)
from local_aws.states_language import Problem, schema_problem

STANDARD = "STANDARD"

_CONFIGURATIONS = ("loggingConfiguration", "tracingConfiguration", "encryptionConfiguration")
_CHANGEABLE = ("definition", "roleArn", *_CONFIGURATIONS)


class Machines:
    """The state machines of an account, in every region."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def create_state_machine(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Make a machine; the same one again when all that counts is the same."""
        refuse_name(asked["name"])
        refuse_invalid(asked["definition"], asked.get("type", STANDARD), self._context.integrations)
        settings = self._settings(asked)
        refuse_publication(asked)
        arn = arn_in(region, "states", self._context.account_id, f"stateMachine:{asked['name']}")
        kept = self.backend(region)
        machine, tags = self.machine_if_any(arn, region), asked.get("tags", [])
        refuse_too_many(tags, arn)
        if machine is None:
            kind = asked.get("type", STANDARD)
            machine = StateMachine(arn, asked["name"], backend=kept, sm_type=kind, **settings)
            kept.state_machines.append(machine)
            kept.tagger.tag_resource(arn, tags)
        elif not _is_same(machine, asked, settings):
            raise AwsError("StateMachineAlreadyExists", f"State Machine Already Exists: '{arn}'")
        return {"stateMachineArn": arn, "creationDate": machine.creation_date}

    def update_state_machine(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Change a machine; it has another revision if that differs from what it was."""
        machine = self.machine(asked["stateMachineArn"], region)
        refuse_publication(asked)
        if not asked.keys() & {*_CHANGEABLE}:
            raise AwsError(
                "MissingRequiredParameter",
                "Either the definition, the role ARN, the LoggingConfiguration, or the "
                "TracingConfiguration must be specified",
            )
        if "definition" in asked:
            refuse_invalid(asked["definition"], machine.type, self._context.integrations)
        changes = {
            name: value
            for name, value in self._settings(asked).items()
            if name in asked and value != getattr(machine, name)
        }
        machine.update(**changes)
        if changes:
            machine.revision_id = str(uuid.uuid4())
        return answers.present(
            {"revisionId": revision_of(machine), "updateDate": machine.update_date}
        )

    def forget(self, arn: str, region: str) -> None:
        """Delete a machine, if there is one, with its tags."""
        kept, machine = self.backend(region), self.machine_if_any(arn, region)
        if machine is not None:
            kept.state_machines.remove(machine)
            kept.tagger.delete_all_tags_for_resource(machine.arn)

    def describe_state_machine(self, asked: Parameters, region: str) -> dict[str, Any]:
        """A machine."""
        found = self.machine(asked["stateMachineArn"], region)
        return answers.describe_machine(_as_it_is(found), asked) | answers.present(
            {
                "stateMachineArn": found.arn,
                "status": "ACTIVE",
                "type": found.type,
                "creationDate": found.creation_date,
                "description": found.description,
            }
        )

    def list_state_machines(self, asked: Parameters, region: str) -> dict[str, Any]:
        """The machines of a region, by name."""
        found = sorted(self.backend(region).state_machines, key=lambda each: str(each.name))
        listed = [
            {
                "stateMachineArn": each.arn,
                "name": each.name,
                "type": each.type,
                "creationDate": each.creation_date,
            }
            for each in found
        ]
        return answers.page("stateMachines", listed, asked)

    def list_state_machine_versions(self, asked: Parameters, region: str) -> dict[str, Any]:
        """None, as none can be published here; Terraform asks for those of every machine."""
        self.machine(asked["stateMachineArn"], region)
        return {"stateMachineVersions": []}

    def list_state_machine_aliases(self, asked: Parameters, region: str) -> dict[str, Any]:
        """None, as none can be made here."""
        self.machine(asked["stateMachineArn"], region)
        return {"stateMachineAliases": []}

    def find(self, arn: str, region: str) -> Machine:
        """What an execution of a machine runs, as it is now.

        Raises AwsError StateMachineDoesNotExist.
        """
        return _as_it_is(self.machine(arn, region))

    def machine(self, arn: str, region: str) -> Any:
        """The emulator's machine of an ARN. Raises AwsError StateMachineDoesNotExist."""
        found = self.machine_if_any(arn, region)
        if found is None:
            raise AwsError("StateMachineDoesNotExist", f"State Machine Does Not Exist: '{arn}'")
        return found

    def machine_if_any(self, arn: str, region: str) -> Any:
        """`machine`, or None."""
        found = self.backend(region).state_machines
        return next((each for each in found if each.arn == arn), None)

    def backend(self, region: str) -> Any:
        """What the emulator keeps of a region."""
        return stepfunctions_parser_backends[self._context.account_id][region]

    def _settings(self, asked: Parameters) -> dict[str, Any]:
        """What of a request can be changed later, with its defaults."""
        return {
            "definition": asked.get("definition"),
            "roleArn": role_of(asked),
            "loggingConfiguration": log_delivery.configuration(asked, self._context),
            "tracingConfiguration": {"enabled": False, **asked.get("tracingConfiguration", {})},
            "encryptionConfiguration": asked.get("encryptionConfiguration")
            or {"type": "AWS_OWNED_KEY"},
        }


def revision_of(found: Any) -> str | None:
    """The revision of the emulator's machine or version; None before the first change."""
    return getattr(found, "revision_id", None)


def refuse_publication(asked: Parameters) -> None:
    """Raise AwsError ValidationException for a version, published or described."""
    if asked.get("publish") or asked.get("versionDescription"):
        raise AwsError(
            "ValidationException", "the local AWS publishes no versions of state machines"
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
        return [schema_problem(str(error).removeprefix("ASLParserException "), ())]
    return []


def _is_same(machine: Any, asked: Parameters, settings: Mapping[str, Any]) -> bool:
    """Whether creating a machine again asks for what it is; its role and tags do not count."""
    counts = ("definition", *_CONFIGURATIONS)
    return machine.type == asked.get("type", STANDARD) and all(
        getattr(machine, name) == settings[name] for name in counts
    )


def _as_it_is(found: Any) -> Machine:
    return Machine(
        arn=found.arn,
        name=found.name,
        definition=found.definition,
        role_arn=found.roleArn,
        kind=found.type,
        logging=found.loggingConfiguration,
        tracing=found.tracingConfiguration,
        encryption=found.encryptionConfiguration,
        update_date=iso(found.update_date),
        revision_id=revision_of(found),
    )
