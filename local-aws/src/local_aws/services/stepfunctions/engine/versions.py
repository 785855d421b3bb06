"""Versions of state machines: numbered copies that nothing changes any more.

https://docs.aws.amazon.com/step-functions/latest/dg/concepts-state-machine-version.html, and what
AWS was recorded to answer (LocalStack's suite, 2023).
"""

from __future__ import annotations

from typing import Any

from local_aws.protocol import AwsError
from local_aws.services.stepfunctions.engine import answers
from local_aws.services.stepfunctions.engine.machines import (
    Machines,
    machine_arn,
    publish,
    revision_of,
)
from local_aws.services.stepfunctions.engine.requests import Parameters

_FIRST_REVISION = "INITIAL"


class Versions:
    """Publishes, lists and deletes versions of machines."""

    def __init__(self, machines: Machines) -> None:
        self._machines = machines

    def publish_state_machine_version(self, asked: Parameters, region: str) -> dict[str, Any]:
        """A version of the machine as it is, if it is of the revision that is asked for."""
        machine = self._machines.machine(asked["stateMachineArn"], region)
        revision = revision_of(machine) or _FIRST_REVISION
        if asked.get("revisionId", revision) != revision:
            raise AwsError(
                "ConflictException",
                "Failed to publish the State Machine version for revision "
                f"{asked['revisionId']}. The current State Machine revision is {revision}.",
            )
        version = publish(machine, asked.get("description"))
        return {
            "stateMachineVersionArn": version.arn,
            "creationDate": version.creation_date,
        }

    def list_state_machine_versions(self, asked: Parameters, region: str) -> dict[str, Any]:
        """A machine's versions, the newest first."""
        machine = self._machines.machine(asked["stateMachineArn"], region)
        listed = [
            {"stateMachineVersionArn": each.arn, "creationDate": each.creation_date}
            for _, each in sorted(machine.versions.items(), reverse=True)
        ]
        return answers.page("stateMachineVersions", listed, asked)

    def delete_state_machine_version(self, asked: Parameters, region: str) -> dict[str, Any]:
        """Forget a version, if there is one that no alias leads to; its number is not used again.

        Raises AwsError ConflictException for one that an alias leads to.
        """
        arn = asked["stateMachineVersionArn"]
        machine = self._machines.machine_if_any(machine_arn(arn), region)
        if machine is None:
            return {}
        leading = [
            alias.name
            for alias in machine.aliases.values()
            if any(route["stateMachineVersionArn"] == arn for route in alias.routing_configuration)
        ]
        if leading:
            raise AwsError(
                "ConflictException",
                "Version to be deleted must not be referenced by an alias. Current list of "
                f"aliases referencing this version: [{', '.join(leading)}]",
            )
        for number, version in list(machine.versions.items()):
            if version.arn == arn:
                del machine.versions[number]
        return {}
