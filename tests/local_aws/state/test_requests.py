"""Which requests lead to a save."""

from __future__ import annotations

import pytest
from werkzeug import Request
from werkzeug.test import EnvironBuilder

from local_aws.state.requests import may_change, takes_long


def request(method: str, path: str, target: str = "") -> Request:
    headers = [("X-Amz-Target", target)] if target else []
    return Request(EnvironBuilder(path=path, method=method, headers=headers).get_environ())


@pytest.mark.parametrize(
    ("method", "path", "target", "changes"),
    [
        ("GET", "/bucket/key", "", False),
        ("HEAD", "/bucket", "", False),
        ("PUT", "/bucket/key", "", True),
        ("DELETE", "/bucket/key", "", True),
        ("PUT", "/bucket/service/x/operation/GetThing", "", True),
        ("PUT", "/service/x/operation/GetThing", "", True),
        ("POST", "/", "SageMaker.DescribeEndpoint", False),
        ("POST", "/", "SageMaker.ListModels", False),
        ("POST", "/", "SageMaker.CreateModel", True),
        ("POST", "/", "AmazonSSM.GetParametersByPath", False),
        ("POST", "/", "AmazonSSM.PutParameter", True),
        ("POST", "/", "DynamoDB_20120810.Query", False),
        ("POST", "/", "AmazonSQS.ReceiveMessage", True),
        ("POST", "/", "", True),
        ("POST", "/endpoints/name/invocations", "", False),
        ("PUT", "/bucket/endpoints/name/invocations", "", True),
        ("POST", "/2015-03-31/functions/name/invocations", "", False),
        ("POST", "/service/GraniteServiceVersion20100801/operation/GetMetricData", "", False),
        ("POST", "/service/GraniteServiceVersion20100801/operation/PutMetricData", "", True),
    ],
)
def test_what_only_reads_leads_to_none(method: str, path: str, target: str, changes: bool) -> None:
    assert may_change(request(method, path, target)) is changes


@pytest.mark.parametrize(
    ("path", "target", "long"),
    [
        ("/", "AWSStepFunctions.StartSyncExecution", True),
        ("/", "AWSStepFunctions.StartExecution", False),
        ("/bucket/key", "", False),
    ],
)
def test_what_waits_for_other_requests_holds_no_save_up(path: str, target: str, long: bool) -> None:
    assert takes_long(request("POST", path, target)) is long
