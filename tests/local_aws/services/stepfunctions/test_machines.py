"""State machines, their versions, aliases and tags, as AWS answers about them.

What is asserted of answers and refusals was recorded of AWS by LocalStack's suite, 2023 to 2025,
but where a page of AWS's documentation is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.services.stepfunctions.machines import PASS, ROLE, begin, create, result

ARN = f"arn:aws:states:{REGION}:123456789012"
OFF = {"level": "OFF", "includeExecutionData": False}
PLAIN = {
    "roleArn": ROLE,
    "status": "ACTIVE",
    "type": "STANDARD",
    "loggingConfiguration": OFF,
    "tracingConfiguration": {"enabled": False},
    "encryptionConfiguration": {"type": "AWS_OWNED_KEY"},
}


@pytest.fixture(scope="module")
def role(aws: Aws) -> str:
    """Another role that Step Functions may take."""
    return aws.role("other-states", "states")


def commented(comment: str) -> str:
    return json.dumps({**PASS, "Comment": comment})


def described(aws: Aws, machine: str, **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = aws.client("stepfunctions").describe_state_machine(
        stateMachineArn=machine, **more
    )
    return {name: answer[name] for name in answer if name != "ResponseMetadata"}


def refusal(call: Callable[[], Any]) -> tuple[str, str]:
    with pytest.raises(ClientError) as refused:
        call()
    error = refused.value.response["Error"]
    return error["Code"], error["Message"]


# Making and changing


def test_a_new_machine_has_every_default_and_no_revision(aws: Aws) -> None:
    machine = create(aws, PASS, name="plain")
    found = described(aws, machine)
    assert found.pop("creationDate")
    assert found == {
        **PLAIN,
        "stateMachineArn": machine,
        "name": "plain",
        "definition": json.dumps(PASS),
    }
    # API_DescribeStateMachine, "includedData"
    assert described(aws, machine, includedData="METADATA_ONLY")["definition"] == "{}"


def test_a_machine_is_made_once_whatever_its_role_and_tags(aws: Aws, role: str) -> None:
    """API_CreateStateMachine, "idempotent": role and tags do not count, all else does."""
    machine = create(aws, PASS, name="once")
    again = {"roleArn": role, "tags": [{"key": "a", "value": "b"}]}
    assert create(aws, PASS, name="once", **again) == machine
    assert described(aws, machine)["roleArn"] == ROLE
    taken = ("StateMachineAlreadyExists", f"State Machine Already Exists: '{machine}'")
    others: list[dict[str, Any]] = [
        {"type": "EXPRESS"},
        {"tracingConfiguration": {"enabled": True}},
        {"definition": {**PASS, "Comment": "another"}},
    ]
    for other in others:
        assert (
            refusal(partial(create, aws, **{"definition": PASS, "name": "once", **other})) == taken
        )


def test_a_change_makes_a_revision_and_the_same_again_does_not(aws: Aws, role: str) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS)

    def update(**change: Any) -> Any:
        return client.update_state_machine(stateMachineArn=machine, **change).get("revisionId")

    assert update(definition=json.dumps(PASS), roleArn=ROLE) is None
    first = update(definition=commented("first"))
    assert first is not None
    assert update(definition=commented("first")) == first
    second = update(roleArn=role)
    assert second not in (None, first)
    assert update(loggingConfiguration={"level": "OFF"}) == second
    found = described(aws, machine)
    assert (found["revisionId"], found["roleArn"]) == (second, role)
    assert (found["definition"], found["loggingConfiguration"]) == (commented("first"), OFF)


def test_an_update_of_nothing_is_refused(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS)
    code, message = refusal(lambda: client.update_state_machine(stateMachineArn=machine))
    assert code == "MissingRequiredParameter"
    assert message.startswith("Either the definition, the role ARN, the LoggingConfiguration, or")


def test_a_deleted_machine_leaves_nothing_and_one_that_is_not_there_is_deleted_too(
    aws: Aws,
) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS, name="gone", tags=[{"key": "a", "value": "b"}])
    for _ in range(2):
        client.delete_state_machine(stateMachineArn=machine)
    missing = ("StateMachineDoesNotExist", f"State Machine Does Not Exist: '{machine}'")
    assert refusal(lambda: described(aws, machine)) == missing
    assert refusal(lambda: begin(aws, machine)) == missing
    create(aws, PASS, name="gone")
    assert client.list_tags_for_resource(resourceArn=machine)["tags"] == []


@pytest.mark.parametrize(
    ("operation", "asked", "refused"),
    [
        (
            "describe_state_machine",
            {"stateMachineArn": "machine"},
            ("InvalidArn", "Invalid Arn: 'Invalid ARN prefix: machine'"),
        ),
        (
            "get_execution_history",
            {"executionArn": "execution"},
            ("InvalidArn", "Invalid Arn: 'Invalid ARN prefix: execution'"),
        ),
        (
            "describe_execution",
            {"executionArn": f"{ARN}:express:a:b:c"},
            ("InvalidArn", "Invalid Arn: 'Resource type not valid in this context: express'"),
        ),
        (
            "describe_execution",
            {"executionArn": f"{ARN}:execution:a:b"},
            ("ExecutionDoesNotExist", f"Execution Does Not Exist: '{ARN}:execution:a:b'"),
        ),
        (
            "create_state_machine",
            {"name": "a b", "definition": json.dumps(PASS), "roleArn": ROLE},
            ("InvalidName", "Invalid Name: 'a b'"),
        ),
        (
            "create_state_machine",
            {"name": "a", "definition": json.dumps(PASS), "roleArn": "role"},
            ("InvalidArn", "Invalid Role Arn: 'role'"),
        ),
        (
            "list_state_machines",
            {"maxResults": 1001},
            (
                "ValidationException",
                "1 validation error detected: Value '1001' at 'maxResults' failed to satisfy "
                "constraint: Member must have value less than or equal to 1000",
            ),
        ),
        (
            "list_state_machines",
            {"nextToken": "other"},
            ("InvalidToken", "Invalid Token: 'Invalid token'"),
        ),
        (
            "send_task_success",
            {"taskToken": "any", "output": "{"},
            (
                "InvalidOutput",
                "Invalid Output: 'Expecting property name enclosed in double quotes: line 1 "
                "column 2 (char 1)'",
            ),
        ),
        (
            "tag_resource",
            {"resourceArn": f"{ARN}:stateMachine:none", "tags": []},
            ("ResourceNotFound", f"Resource not found: '{ARN}:stateMachine:none'"),
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_words_of_aws(
    aws: Aws, operation: str, asked: dict[str, Any], refused: tuple[str, str]
) -> None:
    client = aws.client("stepfunctions")
    assert refusal(lambda: getattr(client, operation)(**asked)) == refused


def test_a_status_that_there_is_not_lists_nothing_but_is_refused(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS)
    code, message = refusal(
        lambda: client.list_executions(stateMachineArn=machine, statusFilter="succeeded")
    )
    assert code == "ValidationException"
    assert "'succeeded' at 'statusFilter' failed to satisfy constraint: Member must" in message


def test_executions_of_an_express_machine_are_not_listed(aws: Aws) -> None:
    machine = create(aws, PASS, type="EXPRESS")
    code, _ = refusal(lambda: aws.client("stepfunctions").list_executions(stateMachineArn=machine))
    assert code == "StateMachineTypeNotSupported"


def test_machines_are_listed_by_name_and_page(aws: Aws) -> None:
    for name in ("list-2", "list-1", "list-10"):
        create(aws, PASS, name=name)
    pages = aws.client("stepfunctions").get_paginator("list_state_machines")
    listed = [
        each["name"]
        for page in pages.paginate(PaginationConfig={"PageSize": 1})
        for each in page["stateMachines"]
    ]
    assert [name for name in listed if name.startswith("list-")] == ["list-1", "list-10", "list-2"]


def test_tags_are_written_over_taken_away_and_no_versions(aws: Aws) -> None:
    client = aws.client("stepfunctions")
    machine = create(aws, PASS, tags=[{"key": "a", "value": "1"}], publish=True)
    client.tag_resource(
        resourceArn=machine, tags=[{"key": "a", "value": "2"}, {"key": "b", "value": ""}]
    )
    client.untag_resource(resourceArn=machine, tagKeys=["b", "none"])
    assert client.list_tags_for_resource(resourceArn=machine)["tags"] == [
        {"key": "a", "value": "2"}
    ]
    code, _ = refusal(lambda: client.tag_resource(resourceArn=f"{machine}:1", tags=[]))
    assert code == "ResourceNotFound"


def test_there_are_fifty_tags_at_most(aws: Aws) -> None:
    """Service quotas of Step Functions."""
    tags = [{"key": f"key-{number}", "value": ""} for number in range(51)]
    machine = create(aws, PASS, tags=tags[:50])
    tag = aws.client("stepfunctions").tag_resource
    tag(resourceArn=machine, tags=tags[:50])
    for ask in (
        partial(create, aws, PASS, tags=tags),
        partial(tag, resourceArn=machine, tags=tags[50:]),
    ):
        assert refusal(ask)[0] == "TooManyTags"


# Logging


@pytest.fixture(scope="module")
def group(aws: Aws) -> str:
    aws.client("logs").create_log_group(logGroupName="/aws/vendedlogs/states/there")
    return f"arn:aws:logs:{REGION}:123456789012:log-group:/aws/vendedlogs/states/there:*"


def destinations(*groups: str) -> list[dict[str, Any]]:
    return [{"cloudWatchLogsLogGroup": {"logGroupArn": each}} for each in groups]


@pytest.mark.parametrize(
    ("given", "kept"), [({}, OFF), ({"destinations": []}, {**OFF, "destinations": []})]
)
def test_a_logging_configuration_has_its_defaults(
    aws: Aws, given: dict[str, Any], kept: dict[str, Any]
) -> None:
    machine = create(aws, PASS, loggingConfiguration=given)
    assert described(aws, machine)["loggingConfiguration"] == kept


def test_logs_go_to_one_group_that_is_there(aws: Aws, group: str) -> None:
    one = "Invalid Logging Configuration: Must specify exactly one Log Destination."
    gone = "Invalid Logging Configuration: Log Destination not found."
    wanted = {"level": "ALL", "destinations": destinations(group)}
    machine = create(aws, PASS, loggingConfiguration=wanted)
    assert described(aws, machine)["loggingConfiguration"] == {**OFF, **wanted}
    for given, why in [
        ({"level": "FATAL"}, one),
        ({"level": "ALL", "destinations": destinations(group, group)}, one),
        ({"level": "ALL", "destinations": destinations(group.replace("there", "the"))}, gone),
    ]:
        for ask in (
            lambda given=given: create(aws, PASS, loggingConfiguration=given),
            lambda given=given: aws.client("stepfunctions").update_state_machine(
                stateMachineArn=machine, loggingConfiguration=given
            ),
        ):
            assert refusal(ask) == ("InvalidLoggingConfiguration", why)


# Versions


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


# Aliases


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
