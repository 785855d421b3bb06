"""Asynchronous events: tried again, let go of, recorded; and those that other services bring."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.services.lambda_.resources import EventInvokeConfig
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import eventually, running
from tests.local_aws.functions import LOGS, Functions

COUNTS = """
import json
def handler(event, context):
    with open(event["record"], "a") as record:
        record.write(context.aws_request_id + "\\n")
    if len(open(event["record"]).readlines()) < event["fails"] + 1:
        raise RuntimeError("not yet")
    return {"done": True}
"""
NOTES = """
import json
def handler(event, context):
    with open("%s", "a") as record:
        record.write(json.dumps(event) + "\\n")
"""


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """AWS's minutes between attempts are tenths of a second here."""
    with running(tmp_path_factory.mktemp("events"), settings=Settings(time_scale=600)) as started:
        yield started


def test_an_event_is_tried_three_times_with_one_request_id(
    functions: Functions, tmp_path: Path
) -> None:
    functions.create("thrice", COUNTS)
    record = tmp_path / "record"
    payload = json.dumps({"record": str(record), "fails": 2}).encode()
    answer = functions.api.invoke(FunctionName="thrice", InvocationType="Event", Payload=payload)
    assert answer["StatusCode"] == 202
    eventually(lambda: len(lines(record)) == 3)
    assert set(lines(record)) == {answer["ResponseMetadata"]["RequestId"]}


def test_what_fails_for_good_goes_to_the_dead_letters_and_the_destination(
    functions: Functions, tmp_path: Path
) -> None:
    sqs = functions.client("sqs")
    urls = {name: sqs.create_queue(QueueName=name)["QueueUrl"] for name in ("dead", "failed")}
    arn = "arn:aws:sqs:eu-west-1:123456789012"
    role = _role_that_may(functions, "sender", "sqs:SendMessage")
    functions.create("never", COUNTS, Role=role, DeadLetterConfig={"TargetArn": f"{arn}:dead"})
    functions.api.put_function_event_invoke_config(
        FunctionName="never",
        MaximumRetryAttempts=1,
        DestinationConfig={"OnFailure": {"Destination": f"{arn}:failed"}},
    )
    event = {"record": str(tmp_path / "record"), "fails": 9}
    functions.api.invoke(
        FunctionName="never", InvocationType="Event", Payload=json.dumps(event).encode()
    )

    def received(name: str) -> Any:
        messages = sqs.receive_message(QueueUrl=urls[name]).get("Messages")
        if not messages:
            return None
        sqs.delete_message(QueueUrl=urls[name], ReceiptHandle=messages[0]["ReceiptHandle"])
        return json.loads(messages[0]["Body"])

    assert eventually(lambda: received("dead")) == event
    record = eventually(lambda: received("failed"))
    assert record["requestContext"]["condition"] == "RetriesExhausted"
    assert record["requestContext"]["approximateInvokeCount"] == 2
    assert record["requestPayload"] == event
    assert record["responsePayload"]["errorType"] == "RuntimeError"
    assert len(lines(tmp_path / "record")) == 2

    functions.api.put_function_concurrency(FunctionName="never", ReservedConcurrentExecutions=0)
    functions.api.invoke(FunctionName="never", InvocationType="Event", Payload=b"1")
    record = eventually(lambda: received("failed"))
    assert record["requestContext"]["condition"] == "ZeroReservedConcurrency"
    assert record["requestContext"]["approximateInvokeCount"] == 0


FAILS = "def handler(event, context):\n    raise RuntimeError('no')\n"


@pytest.mark.parametrize(("age", "attempts"), [(60, 1), (90, 2), (170, 2), (300, 3)])
def test_an_event_ages_by_the_minutes_that_aws_waits(
    functions: Functions, age: int, attempts: int
) -> None:
    """A minute before the second attempt and two before the third: AWS Lambda developer guide, "How
    Lambda handles errors and retries with asynchronous invocation"; recorded by LocalStack's suite,
    2023."""
    sqs = functions.client("sqs")
    url = sqs.create_queue(QueueName=f"aged-{age}")["QueueUrl"]
    role = _role_that_may(functions, f"aging-{age}", "sqs:SendMessage")
    functions.create(f"aging-{age}", FAILS, Role=role)
    functions.api.put_function_event_invoke_config(
        FunctionName=f"aging-{age}",
        MaximumEventAgeInSeconds=age,
        DestinationConfig={
            "OnFailure": {"Destination": f"arn:aws:sqs:eu-west-1:123456789012:aged-{age}"}
        },
    )
    functions.api.invoke(FunctionName=f"aging-{age}", InvocationType="Event")
    (message,) = eventually(lambda: sqs.receive_message(QueueUrl=url).get("Messages"))
    context = json.loads(message["Body"])["requestContext"]
    assert context["approximateInvokeCount"] == attempts
    assert context["condition"] == ("RetriesExhausted" if attempts == 3 else "EventAgeExceeded")


def test_a_dead_letter_says_why_in_its_attributes(functions: Functions) -> None:
    """AWS's page "Adding a dead-letter queue"; its role needs leave for sqs:SendMessage alone."""
    sqs = functions.client("sqs")
    url = sqs.create_queue(QueueName="letters")["QueueUrl"]
    functions.create(
        "letters",
        FAILS,
        Role=_role_that_may(functions, "letters", "sqs:SendMessage"),
        DeadLetterConfig={"TargetArn": "arn:aws:sqs:eu-west-1:123456789012:letters"},
    )
    sent = functions.api.invoke(FunctionName="letters", InvocationType="Event", Payload=b"[1]")
    (message,) = eventually(
        lambda: sqs.receive_message(QueueUrl=url, MessageAttributeNames=["All"]).get("Messages")
    )
    assert message["Body"] == "[1]"
    assert {name: each["StringValue"] for name, each in message["MessageAttributes"].items()} == {
        "RequestID": sent["ResponseMetadata"]["RequestId"],
        "ErrorCode": "200",
        "ErrorMessage": "no",
    }


def test_a_target_and_a_key_that_are_taken_away_are_shown_no_more(functions: Functions) -> None:
    functions.client("sqs").create_queue(QueueName="taken-away")
    functions.create(
        "taken-away",
        FAILS,
        Role=_role_that_may(functions, "taken-away", "sqs:SendMessage"),
        DeadLetterConfig={"TargetArn": "arn:aws:sqs:eu-west-1:123456789012:taken-away"},
        KMSKeyArn="arn:aws:kms:eu-west-1:123456789012:key/k",
    )
    both = {"DeadLetterConfig", "KMSKeyArn"}
    assert functions.api.get_function_configuration(FunctionName="taken-away").keys() >= both
    functions.api.update_function_configuration(
        FunctionName="taken-away", DeadLetterConfig={"TargetArn": ""}, KMSKeyArn=""
    )
    left = functions.api.get_function_configuration(FunctionName="taken-away")
    assert left.keys().isdisjoint(both)


@pytest.mark.parametrize(
    "target", ["arn:aws:s3:::told", "arn:aws:events:eu-west-1:123456789012:event-bus/default"]
)
def test_a_bucket_or_a_bus_is_refused_as_a_destination(functions: Functions, target: str) -> None:
    destination = {"OnFailure": {"Destination": target}}
    put = functions.api.put_function_event_invoke_config
    functions.create("tells-nobody", FAILS)
    with pytest.raises(ClientError, match="queues, topics and functions only"):
        put(FunctionName="tells-nobody", DestinationConfig=destination)
    functions.api.delete_function(FunctionName="tells-nobody")
    given = {
        "FunctionName": "tells-nobody",
        "Qualifier": "$LATEST",
        "DestinationConfig": destination,
    }
    assert list(EventInvokeConfig().problems(given))


def _role_that_may(functions: Functions, name: str, *actions: str) -> str:
    role = functions.role(name, "lambda.amazonaws.com", LOGS)
    statement = {"Effect": "Allow", "Action": list(actions), "Resource": "*"}
    functions.client("iam").put_role_policy(
        RoleName=name,
        PolicyName="own",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
    )
    return role


def test_an_event_that_finds_no_room_waits_for_it(functions: Functions, tmp_path: Path) -> None:
    source = f"""
import os, time
def handler(event, context):
    open("{tmp_path}/" + event, "w").close()
    while not os.path.exists("{tmp_path}/go"):
        time.sleep(0.01)
"""
    functions.create("one-by-one", source, Timeout=60)
    functions.api.put_function_concurrency(
        FunctionName="one-by-one", ReservedConcurrentExecutions=1
    )

    def send(name: str) -> None:
        functions.api.invoke(
            FunctionName="one-by-one", InvocationType="Event", Payload=json.dumps(name).encode()
        )

    send("first")
    eventually((tmp_path / "first").exists)
    send("second")
    with pytest.raises(functions.api.exceptions.TooManyRequestsException):
        functions.invoke("one-by-one")
    assert not (tmp_path / "second").exists()
    (tmp_path / "go").touch()
    eventually((tmp_path / "second").exists)


def test_events_at_the_same_time_have_a_process_each(functions: Functions, tmp_path: Path) -> None:
    source = f"""
import os, time
def handler(event, context):
    open("{tmp_path}/" + str(os.getpid()), "w").close()
    while len(os.listdir("{tmp_path}")) < 3:
        time.sleep(0.01)
"""
    functions.create("together", source, Timeout=60)
    for _ in range(3):
        functions.api.invoke(FunctionName="together", InvocationType="Event")
    eventually(lambda: len(list(tmp_path.iterdir())) == 3)


def test_a_role_that_may_not_write_logs_loses_them(functions: Functions) -> None:
    role = functions.role(
        "mute", "lambda.amazonaws.com", "arn:aws:iam::aws:policy/job-function/Billing"
    )
    source = "def handler(event, context):\n    print('said')\n    return 1\n"
    assert functions.run("mute", source, Role=role).payload == 1
    functions.run("heard", source)  # written after, by the same thread
    logs = functions.client("logs")
    eventually(
        lambda: logs.describe_log_groups(logGroupNamePrefix="/aws/lambda/heard")["logGroups"]
    )
    assert logs.describe_log_groups(logGroupNamePrefix="/aws/lambda/mute")["logGroups"] == []


def test_a_topic_reaches_a_function_that_lets_it_in(functions: Functions, tmp_path: Path) -> None:
    sns = functions.client("sns")
    topic = sns.create_topic(Name="news")["TopicArn"]
    for name, allowed in (("shut", "arn:aws:sns:eu-west-1:123456789012:other"), ("open", topic)):
        arn = functions.create(name, NOTES % (tmp_path / name))["FunctionArn"]
        _permit(functions, name, "sns.amazonaws.com", allowed)
        sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=arn)
    sent = sns.publish(TopicArn=topic, Subject="s", Message="hello")
    (line,) = eventually(lambda: lines(tmp_path / "open"))
    (record,) = json.loads(line)["Records"]
    assert record["EventSource"] == "aws:sns"
    assert record["Sns"]["Message"] == "hello"
    assert record["Sns"]["Subject"] == "s"
    assert record["Sns"]["MessageId"] == sent["MessageId"]
    assert record["Sns"]["TopicArn"] == topic
    assert lines(tmp_path / "shut") == []


def test_an_event_reaches_a_function_as_its_target_shapes_it(
    functions: Functions, tmp_path: Path
) -> None:
    events = functions.client("events")
    arn = functions.create("rule", NOTES % (tmp_path / "rule"))["FunctionArn"]
    pattern = json.dumps({"source": ["mine"]})
    rule = events.put_rule(Name="rule", EventPattern=pattern)["RuleArn"]
    _permit(functions, "rule", "events.amazonaws.com", rule)
    targets = [
        {"Id": "whole", "Arn": arn},
        {"Id": "path", "Arn": arn, "InputPath": "$.detail.n"},
        {"Id": "fixed", "Arn": arn, "Input": '{"fixed": true}'},
    ]
    events.put_targets(Rule="rule", Targets=targets)
    events.put_events(
        Entries=[{"Source": "mine", "DetailType": "t", "Detail": json.dumps({"n": 1})}]
    )
    found = [json.loads(line) for line in eventually(lambda: _three(lines(tmp_path / "rule")))]
    assert 1 in found
    assert {"fixed": True} in found
    assert any(isinstance(each, dict) and each.get("detail") == {"n": 1} for each in found)


def test_an_object_reaches_a_function(functions: Functions, tmp_path: Path) -> None:
    s3 = functions.client("s3")
    s3.create_bucket(Bucket="inbox", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    arn = functions.create("object", NOTES % (tmp_path / "object"))["FunctionArn"]
    _permit(functions, "object", "s3.amazonaws.com", "arn:aws:s3:::inbox")
    s3.put_bucket_notification_configuration(
        Bucket="inbox",
        NotificationConfiguration={
            "LambdaFunctionConfigurations": [
                {"LambdaFunctionArn": arn, "Events": ["s3:ObjectCreated:*"]}
            ]
        },
    )
    s3.put_object(Bucket="inbox", Key="a/b", Body=b"12")
    (line,) = eventually(lambda: lines(tmp_path / "object"))
    (record,) = json.loads(line)["Records"]
    assert record["s3"]["bucket"]["name"] == "inbox"
    assert record["s3"]["object"]["size"] == 2


def test_an_event_starts_a_state_machine_in_the_targets_role(functions: Functions) -> None:
    states, events = functions.client("stepfunctions"), functions.client("events")
    role = functions.role("starter", "events.amazonaws.com", LOGS)
    policy = {"Effect": "Allow", "Action": "states:StartExecution", "Resource": "*"}
    functions.client("iam").put_role_policy(
        RoleName="starter",
        PolicyName="start",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [policy]}),
    )
    definition = {"StartAt": "Pass", "States": {"Pass": {"Type": "Pass", "End": True}}}
    machine = states.create_state_machine(
        name="started",
        definition=json.dumps(definition),
        roleArn=functions.role("started", "states.amazonaws.com", LOGS),
    )["stateMachineArn"]
    events.put_rule(Name="starts", EventPattern=json.dumps({"source": ["starts"]}))
    target = {"Id": "it", "Arn": machine, "RoleArn": role, "InputPath": "$.detail"}
    events.put_targets(Rule="starts", Targets=[target])
    events.put_events(Entries=[{"Source": "starts", "DetailType": "t", "Detail": '{"n": 1}'}])
    (started,) = eventually(lambda: states.list_executions(stateMachineArn=machine)["executions"])
    described = states.describe_execution(executionArn=started["executionArn"])
    assert json.loads(described["input"]) == {"n": 1}


def _permit(functions: Functions, name: str, service: str, source: str) -> None:
    functions.api.add_permission(
        FunctionName=name,
        StatementId="it",
        Action="lambda:InvokeFunction",
        Principal=service,
        SourceArn=source,
    )


def _three(found: list[str]) -> list[str]:
    return found if len(found) == 3 else []


def test_what_a_function_said_last_is_written_before_it_is_gone(functions: Functions) -> None:
    functions.create("gone", "def handler(event, context):\n    print('last words')")
    functions.invoke("gone")
    functions.api.delete_function(FunctionName="gone")
    logs = functions.client("logs")
    group = "/aws/lambda/gone"
    (stream,) = logs.describe_log_streams(logGroupName=group)["logStreams"]
    written = logs.get_log_events(logGroupName=group, logStreamName=stream["logStreamName"])
    assert "last words" in "".join(event["message"] for event in written["events"])
