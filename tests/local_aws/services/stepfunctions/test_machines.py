"""State machines, their logs and tags, as AWS answers about them.

What is asserted of answers and refusals was recorded of AWS by LocalStack's suite, 2023 to 2025,
but where a page of AWS's documentation is named.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from tests.local_aws.aws import REGION, Aws
from tests.local_aws.services.stepfunctions.answers import (
    ARN,
    OFF,
    PLAIN,
    commented,
    described,
    refusal,
)
from tests.local_aws.services.stepfunctions.machines import PASS, ROLE, begin, create


@pytest.fixture(scope="module")
def role(aws: Aws) -> str:
    """Another role that Step Functions may take."""
    return aws.role("other-states", "states")


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
