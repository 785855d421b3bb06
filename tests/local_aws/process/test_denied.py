"""What a local AWS denied is told at the end of a deploy: whose call, how often, what to grant."""

from __future__ import annotations

import pytest

from local_aws.errors import DeployFailed
from local_aws.process.denied import telling_denied_calls
from tests.local_aws.aws import Aws, address_of
from tests.local_aws.conftest import aws as aws
from tests.local_aws.conftest import settings as settings
from tests.local_aws.permissions.callers import Caller, allow

OBJECT = "arn:aws:s3:::models/model.tar.gz"


def denied(caller: Caller, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(Exception, match="not authorized to perform: s3:GetObject"):
            caller.client("s3").get_object(Bucket="models", Key="model.tar.gz")


def test_each_is_told_once_with_its_count_and_its_remedy(aws: Aws) -> None:
    caller = Caller(aws, allow("s3:ListBucket"))
    denied(caller)
    said: list[str] = []

    with telling_denied_calls(address_of(aws.gateway), said.append):
        denied(caller, times=3)

    assert said == [
        f"denied 3 times, as it would be on AWS: {caller.arn} may not s3:GetObject on {OBJECT}, "
        "because no identity-based policy allows the s3:GetObject action; grant s3:GetObject on "
        f"{OBJECT}"
    ]


def test_they_are_told_of_a_deploy_that_fails(aws: Aws) -> None:
    caller = Caller(aws)
    said: list[str] = []

    def failing() -> None:
        with telling_denied_calls(address_of(aws.gateway), said.append):
            denied(caller)
            raise DeployFailed("cdk deploy failed")

    with pytest.raises(DeployFailed):
        failing()

    assert [line.partition(",")[0] for line in said] == ["denied once"]


def test_nothing_is_said_where_nothing_was_denied(aws: Aws) -> None:
    said: list[str] = []
    with telling_denied_calls(address_of(aws.gateway), said.append):
        aws.s3.list_buckets()
    assert said == []
