"""Versions and aliases of state machines, and executions of them, as AWS answers about them.

What is asserted of answers and refusals was recorded of AWS by LocalStack's suite, 2023 to 2025,
but where a page of AWS's documentation is named.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from tests.local_aws.aws import Aws
from tests.local_aws.services.stepfunctions.answers import ARN, PLAIN, commented, described, refusal
from tests.local_aws.services.stepfunctions.machines import PASS, begin, create, result


def test_a_version_is_of_one_revision_and_keeps_its_definition(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS)
    first = client.publish_state_machine_version(stateMachineArn=machine, revisionId="INITIAL")
    assert first["stateMachineVersionArn"] == f"{machine}:1"
    again = client.publish_state_machine_version(stateMachineArn=machine)
    assert again["stateMachineVersionArn"] == f"{machine}:1"
    changed = client.update_state_machine(
        stateMachineArn=machine,
        definition=commented("second"),
        publish=True,
        versionDescription="the second",
    )
    assert changed["stateMachineVersionArn"] == f"{machine}:2"
    found = described(aws, f"{machine}:2")
    assert (found["stateMachineArn"], found["description"]) == (f"{machine}:2", "the second")
    assert found["revisionId"] == changed["revisionId"]
    assert described(aws, f"{machine}:1")["definition"] == json.dumps(PASS)
    assert refusal(
        lambda: client.publish_state_machine_version(stateMachineArn=machine, revisionId="INITIAL")
    ) == (
        "ConflictException",
        "Failed to publish the State Machine version for revision INITIAL. The current State "
        f"Machine revision is {changed['revisionId']}.",
    )


def test_versions_are_listed_the_newest_first_and_a_number_is_used_once(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS, publish=True)
    client.update_state_machine(stateMachineArn=machine, definition=commented("two"), publish=True)

    def listed() -> list[str]:
        answer = client.list_state_machine_versions(stateMachineArn=machine)
        return [each["stateMachineVersionArn"] for each in answer["stateMachineVersions"]]

    assert listed() == [f"{machine}:2", f"{machine}:1"]
    for _ in range(2):
        client.delete_state_machine_version(stateMachineVersionArn=f"{machine}:2")
    assert listed() == [f"{machine}:1"]
    client.publish_state_machine_version(stateMachineArn=machine)
    assert listed() == [f"{machine}:3", f"{machine}:1"]


def test_publishing_alone_is_an_update_and_only_machines_have_them(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS)
    answer = client.update_state_machine(stateMachineArn=machine, publish=True)
    assert answer["stateMachineVersionArn"] == f"{machine}:1"
    assert "revisionId" not in answer
    version = f"{machine}:1"
    missing = ("StateMachineDoesNotExist", f"State Machine Does Not Exist: '{version}'")
    for ask in (
        lambda: client.update_state_machine(stateMachineArn=version, publish=True),
        lambda: client.publish_state_machine_version(stateMachineArn=version),
    ):
        assert refusal(ask) == missing
    assert refusal(lambda: create(aws, PASS, versionDescription="of nothing")) == (
        "ValidationException",
        "Version description can only be set when publish is true",
    )


def route(version: str, weight: int = 100) -> dict[str, Any]:
    return {"stateMachineVersionArn": version, "weight": weight}


@pytest.fixture
def machine(aws: Aws) -> str:
    """A machine with two versions."""
    made = create(aws, PASS, publish=True)
    aws.client("stepfunctions").update_state_machine(
        stateMachineArn=made, definition=commented("two"), publish=True
    )
    return made


def test_an_alias_lives_as_aws_says(aws: Aws, machine: str) -> None:
    client = aws.client("stepfunctions")
    given = {"name": "live", "routingConfiguration": [route(f"{machine}:1")]}
    alias = client.create_state_machine_alias(**given)["stateMachineAliasArn"]
    assert alias == f"{machine}:live"
    assert client.create_state_machine_alias(**given)["stateMachineAliasArn"] == alias
    code, message = refusal(
        lambda: client.create_state_machine_alias(**given, description="another")
    )
    assert (code, message) == (
        "ConflictException",
        "Failed to create alias because an alias with the same name and a different routing "
        "configuration already exists.",
    )
    assert refusal(
        lambda: client.delete_state_machine_version(stateMachineVersionArn=f"{machine}:1")
    ) == (
        "ConflictException",
        "Version to be deleted must not be referenced by an alias. Current list of aliases "
        "referencing this version: [live]",
    )
    client.update_state_machine_alias(
        stateMachineAliasArn=alias,
        description="on its way",
        routingConfiguration=[route(f"{machine}:1", 20), route(f"{machine}:2", 80)],
    )
    found = client.describe_state_machine_alias(stateMachineAliasArn=alias)
    assert (found["name"], found["description"]) == ("live", "on its way")
    assert [each["weight"] for each in found["routingConfiguration"]] == [20, 80]
    for _ in range(2):
        client.delete_state_machine_alias(stateMachineAliasArn=alias)
    for ask in (
        lambda: client.describe_state_machine_alias(stateMachineAliasArn=alias),
        lambda: client.update_state_machine_alias(stateMachineAliasArn=alias, description=""),
    ):
        assert refusal(ask) == (
            "ResourceNotFound",
            "Request references a resource that does not exist.",
        )


def test_aliases_are_listed_by_machine_or_version_and_page(aws: Aws, machine: str) -> None:
    client = aws.client("stepfunctions")
    for name, number in (("a", 1), ("b", 2), ("c", 1)):
        client.create_state_machine_alias(
            name=name, routingConfiguration=[route(f"{machine}:{number}")]
        )

    def listed(arn: str, **page: Any) -> Any:
        answer = client.list_state_machine_aliases(stateMachineArn=arn, **page)
        names = [each["stateMachineAliasArn"][-1] for each in answer["stateMachineAliases"]]
        return names, answer.get("nextToken")

    names, token = listed(machine, maxResults=1)
    assert (names, listed(machine, nextToken=token)) == (["a"], (["b", "c"], None))
    # API_ListStateMachineAliases, "stateMachineArn"
    assert listed(f"{machine}:1") == (["a", "c"], None)


@pytest.mark.parametrize(
    ("numbers", "weights", "why"),
    [
        (["1", "1"], [50, 50], "Routing configuration must contain distinct state machine vers"),
        ([""], [100], "Routing configuration must contain state machine version ARNs. Received:"),
        (["1", "2"], [70, 29], "Sum of routing configuration weights must equal 100. Received: [7"),
        (["1"], [101], "Value '101' at 'routingConfiguration.1.member.weight' failed to satisfy"),
        (["1", "2", "3"], [50, 30, 20], "Member must have length less than or equal to 2"),
        (["9"], [100], "Request references a resource that does not exist."),
    ],
)
def test_an_alias_that_leads_nowhere_is_refused(
    aws: Aws, machine: str, numbers: list[str], weights: list[int], why: str
) -> None:
    routes = [
        route(f"{machine}:{number}".removesuffix(":"), weight)
        for number, weight in zip(numbers, weights, strict=True)
    ]
    client = aws.client("stepfunctions")
    _, message = refusal(
        lambda: client.create_state_machine_alias(name="no", routingConfiguration=routes)
    )
    assert why in message


@pytest.mark.parametrize("name", ["123", "a b", "!a", "a" * 81])
def test_an_alias_is_told_from_a_version_by_its_name(aws: Aws, machine: str, name: str) -> None:
    client = aws.client("stepfunctions")
    code, message = refusal(
        lambda: client.create_state_machine_alias(
            name=name, routingConfiguration=[route(f"{machine}:1")]
        )
    )
    assert code == "ValidationException"
    assert f"Value '{name}' at 'name' failed to satisfy constraint" in message


def test_executions_know_the_version_and_the_alias_that_they_were_asked_of(
    aws: Aws, machine: str
) -> None:
    client = aws.client("stepfunctions")
    client.create_state_machine_alias(
        name="live",
        routingConfiguration=[route(f"{machine}:1", 100), route(f"{machine}:2", 0)],
    )

    def qualified(asked: str) -> tuple[Any, Any]:
        found = result(aws, begin(aws, asked))
        assert found["stateMachineArn"] == machine
        return found.get("stateMachineVersionArn"), found.get("stateMachineAliasArn")

    assert qualified(machine) == (None, None)
    assert qualified(f"{machine}:2") == (f"{machine}:2", None)
    assert qualified(f"{machine}:live") == (f"{machine}:1", f"{machine}:live")

    def listed(asked: str) -> int:
        return len(client.list_executions(stateMachineArn=asked)["executions"])

    counts = [listed(f"{machine}{each}") for each in ("", ":1", ":2", ":live")]
    assert counts == [3, 1, 1, 1]


def test_executions_are_listed_of_a_machine_or_of_a_map_run(aws: Aws, machine: str) -> None:
    """API_ListExecutions; nothing is redriven here."""
    client = aws.client("stepfunctions")
    begin(aws, machine)
    for asked in ({}, {"stateMachineArn": machine, "mapRunArn": f"{ARN}:mapRun:a/b:c"}):
        assert refusal(partial(client.list_executions, **asked))[0] == "ValidationException"
    for redriven, count in (("REDRIVEN", 0), ("NOT_REDRIVEN", 1)):
        found = client.list_executions(stateMachineArn=machine, redriveFilter=redriven)
        assert len(found["executions"]) == count


def test_an_execution_is_described_with_its_trace_and_without_its_data(
    aws: Aws, machine: str
) -> None:
    """API_DescribeExecution, "traceHeader" and "includedData"."""
    execution = begin(aws, machine, input='{"a": 1}', traceHeader="Root=1-2-3")
    assert result(aws, execution)["traceHeader"] == "Root=1-2-3"
    found = aws.client("stepfunctions").describe_execution(
        executionArn=execution, includedData="METADATA_ONLY"
    )
    assert found.keys() & {"input", "output"} == set()
    assert found["inputDetails"] == found["outputDetails"] == {"included": False}


def test_an_execution_describes_the_machine_as_it_was(aws: Aws, machine: str) -> None:
    client = aws.client("stepfunctions")
    execution = begin(aws, f"{machine}:1")
    found = client.describe_state_machine_for_execution(executionArn=execution)
    asked = {key: value for key, value in PLAIN.items() if key not in ("status", "type")}
    assert {**found, **asked} == found
    assert found["definition"] == json.dumps(PASS)
    assert "revisionId" not in found
