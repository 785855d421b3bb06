"""What is put into a log group goes on to where its subscription filters lead."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.protocol import AwsError
from local_aws.services.logs.subscriptions import matcher_of
from tests.local_aws.aws import REGION, eventually, gateway_of
from tests.local_aws.functions import ACCOUNT, Functions, Stacks

TAKING = """
import base64, gzip, json
def handler(event, context):
    data = json.loads(gzip.decompress(base64.b64decode(event["awslogs"]["data"])))
    print("taken", json.dumps(data))
"""
GROUP = {"Type": "AWS::Logs::LogGroup", "Properties": {"LogGroupName": "/orders"}}


@pytest.fixture(scope="module")
def stacks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stacks]:
    gateway = gateway_of(tmp_path_factory.mktemp("logs"))
    gateway.start()
    yield Stacks(gateway)
    gateway.stop()


@pytest.fixture(scope="module")
def functions(stacks: Stacks) -> Functions:
    return stacks.functions


@pytest.fixture(scope="module")
def orders(functions: Functions) -> dict[str, Any]:
    """A stack: a log group that a function, `taker`, is subscribed to, for errors."""
    arn = functions.create("taker", TAKING)["FunctionArn"]
    return {
        "Group": GROUP,
        "Leave": {
            "Type": "AWS::Lambda::Permission",
            "Properties": {
                "FunctionName": arn,
                "Action": "lambda:InvokeFunction",
                "Principal": "logs.amazonaws.com",
                "SourceArn": {"Fn::GetAtt": ["Group", "Arn"]},
            },
        },
        "Errors": {
            "Type": "AWS::Logs::SubscriptionFilter",
            "DependsOn": "Leave",
            "Properties": {
                "LogGroupName": {"Ref": "Group"},
                "DestinationArn": arn,
                "FilterPattern": "ERROR",
            },
        },
    }


def test_a_function_is_given_what_the_pattern_lets_through(
    stacks: Stacks, orders: dict[str, Any]
) -> None:
    made = stacks.create(
        "orders", {"Resources": orders, "Outputs": {"Ref": {"Value": {"Ref": "Errors"}}}}
    )
    assert made["StackStatus"] == "CREATE_COMPLETE"
    name = stacks.outputs("orders")["Ref"]
    assert name.startswith("orders-Errors-")

    put(stacks.functions, "/orders", "2026", "INFO all is well", "ERROR one is lost")
    (taken,) = eventually(lambda: taken_by(stacks.functions, "taker"))
    (event,) = taken.pop("logEvents")
    assert taken == {
        "messageType": "DATA_MESSAGE",
        "owner": ACCOUNT,
        "logGroup": "/orders",
        "logStream": "2026",
        "subscriptionFilters": [name],
    }
    assert (event["message"], len(event["id"])) == ("ERROR one is lost", 56)

    orders["Errors"]["Properties"]["FilterPattern"] = "?INFO ?ERROR"
    assert stacks.update("orders", {"Resources": orders})["StackStatus"] == "UPDATE_COMPLETE"
    put(stacks.functions, "/orders", "2026", "INFO again", "DEBUG nothing")
    taken = eventually(lambda: taken_by(stacks.functions, "taker")[1:])
    assert [each["message"] for each in taken[0]["logEvents"]] == ["INFO again"]

    logs = stacks.functions.client("logs")
    assert stacks.delete("orders")["StackStatus"] == "DELETE_COMPLETE"
    assert logs.describe_log_groups(logGroupNamePrefix="/orders")["logGroups"] == []


def test_a_filter_that_leads_to_a_stream_is_refused_by_name(functions: Functions) -> None:
    logs = functions.client("logs")
    logs.create_log_group(logGroupName="/streamed")
    given = {"logGroupName": "/streamed", "filterName": "all", "filterPattern": ""}
    with pytest.raises(ClientError, match="to functions alone, not to kinesis"):
        logs.put_subscription_filter(
            **given, destinationArn=f"arn:aws:kinesis:{REGION}:{ACCOUNT}:stream/lines"
        )


def test_a_function_that_does_not_let_logs_in_is_refused(functions: Functions) -> None:
    arn = functions.create("closed", "def handler(event, context): pass")["FunctionArn"]
    logs = functions.client("logs")
    logs.create_log_group(logGroupName="/closed")
    for destination in (arn, arn.replace("closed", "absent")):
        with pytest.raises(ClientError, match="Could not execute the lambda function"):
            logs.put_subscription_filter(
                logGroupName="/closed", filterName="f", filterPattern="", destinationArn=destination
            )


def test_a_function_may_let_logs_in_by_its_regions_name_and_for_one_group(
    functions: Functions,
) -> None:
    arn = functions.create("regional", TAKING)["FunctionArn"]
    logs = functions.client("logs")
    for name in ("/let", "/other"):
        logs.create_log_group(logGroupName=name)
    functions.client("lambda").add_permission(
        FunctionName="regional",
        StatementId="logs",
        Action="lambda:InvokeFunction",
        Principal=f"logs.{REGION}.amazonaws.com",
        SourceArn=f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/let:*",
    )
    given = {"filterName": "f", "filterPattern": "", "destinationArn": arn}
    with pytest.raises(ClientError, match="Could not execute the lambda function"):
        logs.put_subscription_filter(logGroupName="/other", **given)
    logs.put_subscription_filter(logGroupName="/let", **given)
    put(functions, "/let", "s", "seen")
    (taken,) = eventually(lambda: taken_by(functions, "regional"))
    assert [each["message"] for each in taken["logEvents"]] == ["seen"]


@pytest.mark.parametrize(
    ("pattern", "lets_through", "stops"),
    [
        ("", ["anything"], []),
        ("ERROR", ["an ERROR"], ["an error"]),
        ("one two", ["two, one"], ["one"]),
        ('"one two"', ["one two"], ["two one"]),
        ("?one ?two", ["one", "two"], ["three"]),
        ("one -two", ["one"], ["one two"]),
        ("%4[0-9]{2}%", ["404"], ["500"]),
    ],
)
def test_patterns_of_terms(pattern: str, lets_through: list[str], stops: list[str]) -> None:
    matches = matcher_of(pattern)
    assert [each for each in lets_through + stops if matches(each)] == lets_through


@pytest.mark.parametrize("pattern", ['{ $.level = "ERROR" }', "[ip, user]"])
def test_other_patterns_are_refused_by_name(pattern: str) -> None:
    with pytest.raises(AwsError, match="does not follow the filter pattern"):
        matcher_of(pattern)


def test_a_regular_expression_that_is_none_is_refused() -> None:
    with pytest.raises(AwsError, match="no regular expression"):
        matcher_of("%4[%")


def put(functions: Functions, group: str, stream: str, *messages: str) -> None:
    logs = functions.client("logs")
    names = [
        each["logStreamName"]
        for each in logs.describe_log_streams(logGroupName=group)["logStreams"]
    ]
    if stream not in names:
        logs.create_log_stream(logGroupName=group, logStreamName=stream)
    now = int(time.time() * 1000)
    events = [{"timestamp": now, "message": each} for each in messages]
    logs.put_log_events(logGroupName=group, logStreamName=stream, logEvents=events)


def taken_by(functions: Functions, name: str) -> list[dict[str, Any]]:
    """What the function has written that it was given."""
    try:
        events = functions.client("logs").filter_log_events(logGroupName=f"/aws/lambda/{name}")
    except ClientError:  # it has not run yet
        return []
    lines = [each["message"] for each in events["events"]]
    return [json.loads(each.split(" ", 1)[1]) for each in lines if each.startswith("taken ")]
