"""Outputs as botocore reads them: every member in its place."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from botocore.eventstream import EventStreamBuffer
from botocore.parsers import create_parser
from hypothesis import given
from hypothesis import strategies as st
from werkzeug import Request, Response
from werkzeug.test import EnvironBuilder

from local_aws.credentials import ACCOUNT_ID
from local_aws.protocol import AwsError
from local_aws.protocol.answers import error_answer, write_answer
from local_aws.protocol.call import Call
from local_aws.protocol.event_stream import event, exception
from local_aws.protocol.models import service_model

PROTOCOLS = {
    "cloudformation": "query",
    "lambda": "rest-json",
    "sagemaker": "json",
    "stepfunctions": "json",
    "sts": "query",
}
NOW = datetime(2026, 11, 22, 12, 0, 0, 500000, tzinfo=UTC)


def answer(service: str, operation: str, output: dict[str, Any]) -> Response:
    call = Call(
        service=service,
        operation=operation,
        account=ACCOUNT_ID,
        region="eu-west-1",
        protocol=PROTOCOLS[service],
    )
    return write_answer(call, output)


def read(service: str, operation: str, written: Response) -> Any:
    parser = create_parser(PROTOCOLS[service])
    shape = service_model(service).operation_model(operation).output_shape
    headers = dict(written.headers.items())
    given = {"body": written.data, "headers": headers, "status_code": written.status_code}
    found = parser.parse(given, shape)
    found.pop("ResponseMetadata", None)
    return found


@pytest.mark.parametrize(
    ("service", "operation", "output"),
    [
        ("cloudformation", "DescribeStacks", {"Stacks": [{"StackName": "a<b", "Outputs": []}]}),
        ("cloudformation", "ListExports", {"Exports": [], "NextToken": "é\r\n"}),
        ("sagemaker", "DescribeModel", {"ModelName": "m", "CreationTime": NOW}),
        ("stepfunctions", "StartExecution", {"executionArn": "a", "startDate": NOW}),
        ("lambda", "GetFunction", {"Configuration": {"MemorySize": 1}, "Tags": {"a": "b"}}),
        ("sts", "GetCallerIdentity", {"Account": "1", "Arn": "a", "UserId": "u"}),
    ],
)
def test_what_is_written_is_what_botocore_reads(
    service: str, operation: str, output: dict[str, Any]
) -> None:
    assert read(service, operation, answer(service, operation, output)) == output


def test_times_may_be_seconds_since_the_epoch() -> None:
    written = answer("sagemaker", "DescribeModel", {"CreationTime": NOW.timestamp()})
    assert read("sagemaker", "DescribeModel", written)["CreationTime"] == NOW


def test_absent_members_are_left_out() -> None:
    written = answer("cloudformation", "DescribeStacks", {"Stacks": [], "NextToken": None})
    assert b"NextToken" not in written.data


def test_status_headers_and_payload_have_their_places() -> None:
    output = {"StatusCode": 202, "FunctionError": "Unhandled", "Payload": b"{}", "Other": 1}
    written = answer("lambda", "Invoke", output)
    assert (written.status_code, written.content_type) == (202, "application/json")
    assert written.headers["X-Amz-Function-Error"] == "Unhandled"
    assert written.data == b"{}"
    nothing = answer("lambda", "TagResource", {})
    assert (nothing.status_code, nothing.data) == (204, b"")
    assert "Content-Type" not in nothing.headers


def test_what_xml_cannot_carry_does_not_break_the_answer() -> None:
    stack = {"StackStatusReason": "\x1b[31mred\r\n"}
    text = answer("cloudformation", "DescribeStacks", {"Stacks": [stack]}).data.decode()
    reason = next(
        element.text
        for element in ElementTree.fromstring(text).iter()
        if element.tag.endswith("StackStatusReason")
    )
    assert reason == "\ufffd[31mred\r\n"


@pytest.mark.parametrize(
    ("service", "code", "status", "members"),
    [
        ("lambda", "ResourceNotFoundException", 404, {"Message": "m", "Type": "User"}),
        ("lambda", "InvalidParameterValueException", 400, {"message": "m", "Type": "User"}),
        ("lambda", "ServiceException", 500, {"Message": "m", "Type": "Service"}),
        ("lambda", "AccessDeniedException", 403, {"Message": "m"}),
        ("sagemaker-runtime", "ModelError", 424, {"Message": "m"}),
    ],
)
def test_an_error_has_the_members_of_its_model(
    service: str, code: str, status: int, members: dict[str, str]
) -> None:
    """That Lambda's say whose fault it is was recorded by LocalStack's suite, November 2025."""
    request = Request(EnvironBuilder(path="/2015-03-31/functions/f").get_environ())
    answer = error_answer(request, service, AwsError(code, "m", status=status))
    assert (answer.status_code, answer.json) == (status, members)


NAMES = st.text("abcXYZ", min_size=1, max_size=40)


@given(parts=st.lists(st.tuples(NAMES, st.binary(max_size=200))), cut=st.integers(1, 64))
def test_events_are_read_as_they_were_written_wherever_they_are_cut(
    parts: list[tuple[str, bytes]], cut: int
) -> None:
    written = b"".join(event(name, content) for name, content in parts)
    buffer = EventStreamBuffer()
    for start in range(0, len(written), cut):
        buffer.add_data(written[start : start + cut])
    read = [(message.headers, message.payload) for message in buffer]
    assert read == [
        (
            {
                ":event-type": name,
                ":content-type": "application/octet-stream",
                ":message-type": "event",
            },
            content,
        )
        for name, content in parts
    ]


@given(members=st.dictionaries(NAMES, st.text(max_size=40)))
def test_an_error_carries_its_members(members: dict[str, str]) -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(exception("ModelStreamError", members))
    (message,) = buffer
    assert message.headers == {
        ":exception-type": "ModelStreamError",
        ":content-type": "application/json",
        ":message-type": "exception",
    }
    assert json.loads(message.payload) == members
