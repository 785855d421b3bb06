"""Queues give their messages to functions, as AWS's event source mappings do."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.local_aws.aws import REGION, eventually
from tests.local_aws.functions import ACCOUNT, LOGS, Functions

SQS = "arn:aws:iam::aws:policy/AmazonSQSFullAccess"

FORWARDS = """
import boto3, json, os

def handler(event, context):
    queue = boto3.client("sqs")
    queue.send_message(QueueUrl=os.environ["SEEN"], MessageBody=json.dumps(event["Records"]))
    bodies = [record.get("body") for record in event["Records"]]
    if any("fail" in str(record) for record in event["Records"]):
        raise ValueError("told to")
    failures = [record["messageId"] for record in event["Records"] if record.get("body") == "part"]
    return {"batchItemFailures": [{"itemIdentifier": each} for each in failures]}
"""


class Seen:
    """A function that forwards what it is given, what it is given it from, and what it saw."""

    def __init__(self, functions: Functions, name: str) -> None:
        self.functions = functions
        self.sqs = functions.client("sqs")
        self.name = name
        self.url = self.queue(f"{name}-seen")
        self.role = functions.role(name, "lambda.amazonaws.com", LOGS, SQS)
        functions.create(
            name,
            FORWARDS,
            Role=self.role,
            Environment={"Variables": {"SEEN": self.url}},
        )

    def queue(self, name: str, **attributes: str) -> str:
        made = self.sqs.create_queue(QueueName=name, Attributes=attributes)
        return str(made["QueueUrl"])

    def map(self, arn: str, **more: Any) -> str:
        made = self.functions.api.create_event_source_mapping(
            FunctionName=self.name, EventSourceArn=arn, **more
        )
        return str(made["UUID"])

    def batches(self, count: int) -> list[Any]:
        """The next so many batches that the function was given, by the order of their arrival."""
        found: list[Any] = []

        def look() -> bool:
            answer = self.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10)
            for message in answer.get("Messages", ()):
                found.append(json.loads(message["Body"]))
                self.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
            return len(found) >= count

        eventually(look)
        return found

    def show_again(self, url: str, batch: Any) -> None:
        """Let a queue's messages be received again, as when their visibility timeout has passed."""
        for record in batch:
            self.sqs.change_message_visibility(
                QueueUrl=url, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0
            )

    def is_empty(self, url: str) -> bool:
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)
        return set(answer["Attributes"].values()) == {"0"}


Make = Callable[[str], Seen]


@pytest.fixture
def make(functions: Functions) -> Iterator[Make]:
    yield lambda name: Seen(functions, name)
    for each in functions.api.list_event_source_mappings()["EventSourceMappings"]:
        functions.api.delete_event_source_mapping(UUID=each["UUID"])


@pytest.fixture(scope="module")
def mapped(functions: Functions) -> None:
    """Two functions, of which one may read queues."""
    functions.create("powerless", "")
    role = functions.role("mapped", "lambda.amazonaws.com", SQS)
    functions.create("mapped", "", Role=role)


def arn_of(name: str) -> str:
    """A queue's."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"


def test_a_message_reaches_the_function_and_is_deleted(make: Make) -> None:
    seen = make("message")
    source = seen.queue("message")
    uuid = seen.map(arn_of("message"))
    attributes = {"kind": {"DataType": "String", "StringValue": "test"}}
    sent = seen.sqs.send_message(
        QueueUrl=source, MessageBody="körper", MessageAttributes=attributes
    )
    ((record,),) = seen.batches(1)
    assert record["body"] == "körper"
    assert record["messageId"] == sent["MessageId"]
    assert record["md5OfBody"] == sent["MD5OfMessageBody"]
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert record["messageAttributes"]["kind"] == {
        "stringValue": "test",
        "stringListValues": [],
        "binaryListValues": [],
        "dataType": "String",
    }
    assert [record[name] for name in ("eventSource", "eventSourceARN", "awsRegion")] == [
        "aws:sqs",
        arn_of("message"),
        REGION,
    ]
    eventually(lambda: seen.is_empty(source))
    seen.functions.api.delete_event_source_mapping(UUID=uuid)
    seen.sqs.send_message(QueueUrl=source, MessageBody="late")
    assert not seen.is_empty(source)


def test_a_batch_waits_for_its_window(make: Make) -> None:
    seen = make("window")
    source = seen.queue("window")
    entries = [{"Id": str(each), "MessageBody": str(each)} for each in range(10)]
    seen.sqs.send_message_batch(QueueUrl=source, Entries=entries)
    seen.map(arn_of("window"), BatchSize=20, MaximumBatchingWindowInSeconds=300)
    seen.sqs.send_message_batch(QueueUrl=source, Entries=entries)
    (batch,) = seen.batches(1)
    assert len(batch) == 20


def test_what_failed_comes_again_after_its_visibility_and_ends_among_the_dead(make: Make) -> None:
    seen = make("failing")
    dead = seen.queue("failing-dead")
    redrive = json.dumps({"deadLetterTargetArn": arn_of("failing-dead"), "maxReceiveCount": 2})
    source = seen.queue("failing", RedrivePolicy=redrive, VisibilityTimeout="300")
    seen.map(arn_of("failing"))
    seen.sqs.send_message(QueueUrl=source, MessageBody="fail")
    for count in ("1", "2"):
        (batch,) = seen.batches(1)
        assert batch[0]["attributes"]["ApproximateReceiveCount"] == count
        seen.show_again(source, batch)
    eventually(lambda: not seen.is_empty(dead))


def test_only_the_failures_that_a_function_reports_come_again(make: Make) -> None:
    seen = make("partial")
    source = seen.queue("partial", VisibilityTimeout="300")
    entries = [{"Id": each, "MessageBody": each} for each in ("whole", "part")]
    seen.sqs.send_message_batch(QueueUrl=source, Entries=entries)
    seen.map(arn_of("partial"), FunctionResponseTypes=["ReportBatchItemFailures"])
    (first,) = seen.batches(1)
    assert sorted(each["body"] for each in first) == ["part", "whole"]
    # The other one is hidden until it is deleted.
    seen.show_again(source, [each for each in first if each["body"] == "part"])
    (second,) = seen.batches(1)
    assert [each["body"] for each in second] == ["part"]


def test_a_message_that_no_filter_wants_is_deleted_unseen(make: Make) -> None:
    seen = make("filtered")
    source = seen.queue("filtered")
    pattern = json.dumps({"body": {"kind": ["wanted"]}})
    seen.map(arn_of("filtered"), FilterCriteria={"Filters": [{"Pattern": pattern}]})
    for kind in ("other", "wanted"):
        seen.sqs.send_message(QueueUrl=source, MessageBody=json.dumps({"kind": kind}))
    ((record,),) = seen.batches(1)
    assert json.loads(record["body"]) == {"kind": "wanted"}
    eventually(lambda: seen.is_empty(source))


def test_a_fifo_queue_keeps_the_order_of_a_group(make: Make) -> None:
    seen = make("ordered")
    source = seen.queue("ordered.fifo", FifoQueue="true", ContentBasedDeduplication="true")
    for body in "abc":
        seen.sqs.send_message(QueueUrl=source, MessageBody=body, MessageGroupId="one")
    seen.map(arn_of("ordered.fifo"))
    records = [record for batch in seen.batches(1) for record in batch]
    eventually(lambda: seen.is_empty(source))
    assert [each["body"] for each in records] == list("abc")
    assert {each["attributes"]["MessageGroupId"] for each in records} == {"one"}


def test_a_disabled_mapping_gives_nothing_until_it_is_enabled(make: Make) -> None:
    seen = make("disabled")
    source = seen.queue("disabled")
    uuid = seen.map(arn_of("disabled"), Enabled=False)
    api = seen.functions.api
    assert api.get_event_source_mapping(UUID=uuid)["State"] == "Disabled"
    seen.sqs.send_message(QueueUrl=source, MessageBody="waits")
    assert api.update_event_source_mapping(UUID=uuid, Enabled=True)["State"] == "Enabling"
    ((record,),) = seen.batches(1)
    assert record["body"] == "waits"
    listed = api.list_event_source_mappings(FunctionName="disabled")["EventSourceMappings"]
    assert [each["UUID"] for each in listed] == [uuid]
    assert api.list_event_source_mappings(EventSourceArn=arn_of("no"))["EventSourceMappings"] == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"EventSourceArn": None}, "Unrecognized event source."),
        ({"FunctionName": "nobody"}, "Function does not exist"),
        ({"BatchSize": 11},
         "Maximum batch window in seconds must be greater than 0 if maximum batch size is "
         "greater than 10"),
        ({"FilterCriteria": {"Filters": [{"Pattern": "text"}]}},
         "Invalid filter pattern definition."),
        ({"FunctionName": "powerless"},
         "The function execution role does not have permissions to call ReceiveMessage on SQS"),
        ({"TumblingWindowInSeconds": 5},
         "the local AWS does not carry out TumblingWindowInSeconds of an event source mapping"),
        ({"EventSourceArn": f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/t/stream/1"},
         "the local AWS takes no events from dynamodb, only from SQS"),
    ],
)  # fmt: skip
def test_a_mapping_that_cannot_be_is_refused(
    functions: Functions, mapped: None, given: dict[str, Any], message: str
) -> None:
    whole = {"FunctionName": "mapped", "EventSourceArn": arn_of("refused"), **given}
    asked = {name: value for name, value in whole.items() if value is not None}
    with pytest.raises(functions.api.exceptions.InvalidParameterValueException) as refusal:
        functions.api.create_event_source_mapping(**asked)
    assert refusal.value.response["Error"]["Message"] == message


def test_one_mapping_of_a_queue_and_a_function_is_enough(make: Make) -> None:
    seen = make("twice")
    seen.queue("twice")
    uuid = seen.map(arn_of("twice"))
    with pytest.raises(
        seen.functions.api.exceptions.ResourceConflictException, match=f"with UUID {uuid}"
    ):
        seen.map(arn_of("twice"))
