"""What `aws-sdk` tasks send to an API and make of its answer."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.response import StreamingBody

from local_aws.protocol.models import operation
from local_aws.services.stepfunctions.engine.sdk_tasks import as_json, as_request


@pytest.mark.parametrize(
    ("service", "action", "parameters", "request_"),
    [
        ("stepfunctions", "startExecution", {"Input": {"a": 1}}, {"input": '{"a": 1}'}),
        ("s3", "putObject", {"Body": {"a": [1]}}, {"Body": b'{"a":[1]}'}),
        ("s3", "putObject", {"Body": "text"}, {"Body": b'"text"'}),
        ("s3", "putObject", {"SseKmsKeyId": "k"}, {"SSEKMSKeyId": "k"}),
        ("s3", "putObject", {"Metadata": {"Own-Key": 1}}, {"Metadata": {"Own-Key": "1"}}),
        (
            "cloudwatch",
            "putMetricData",
            {"MetricData": [{"Dimensions": [{"Name": "n", "Value": 1}]}]},
            {"MetricData": [{"Dimensions": [{"Name": "n", "Value": "1"}]}]},
        ),
        (
            "logs",
            "putLogEvents",
            {"LogEvents": [{"Message": {"a": True}, "Timestamp": 1}]},
            {"logEvents": [{"message": '{"a": true}', "timestamp": 1}]},
        ),
    ],
)
def test_parameters_become_what_the_api_takes(
    service: str, action: str, parameters: dict[str, Any], request_: dict[str, Any]
) -> None:
    assert as_request(parameters, operation(service, action).input_shape) == request_


def test_what_the_api_does_not_know_is_left_for_it_to_refuse() -> None:
    shape = operation("s3", "putObject").input_shape
    assert as_request({"Bodi": 1}, shape) == {"Bodi": 1}
    assert as_request({}, None) == {}


def test_an_answer_is_json_with_capitals_iso_times_and_text() -> None:
    answer = {
        "Body": StreamingBody(io.BytesIO(b"text"), 4),
        "LastModified": datetime(2026, 11, 21, 12, 30, 0, 123456, UTC),
        "Metadata": {"own": "kept"},
    }
    assert as_json(answer, operation("s3", "getObject").output_shape) == {
        "Body": "text",
        "LastModified": "2026-11-21T12:30:00.123Z",
        "Metadata": {"own": "kept"},
    }
    listed = {"stateMachines": [{"stateMachineArn": "arn"}]}
    assert as_json(listed, operation("stepfunctions", "listStateMachines").output_shape) == {
        "StateMachines": [{"StateMachineArn": "arn"}]
    }
