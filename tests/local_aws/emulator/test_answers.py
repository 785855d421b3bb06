"""The emulator's answers hold nothing that AWS's don't: no null in JSON, nothing that is no XML, no
failure since another request came between."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

import pytest
import xmltodict  # type: ignore[import-untyped]
from botocore.exceptions import ClientError
from moto.cloudwatch.models import cloudwatch_backends
from moto.core.serialize import QuerySerializer

from local_aws.credentials import ACCOUNT_ID
from local_aws.emulator import messages
from local_aws.protocol.models import service_model
from tests.local_aws.aws import REGION, Aws
from tests.local_sagemaker.alarms import alarm_of_errors

SERVICES = (
    *("application-autoscaling", "codebuild", "dynamodb", "ecr", "events", "kms"),
    *("lambda", "logs", "scheduler", "secretsmanager", "ssm", "stepfunctions"),
)
"""What speaks JSON."""


@pytest.fixture(scope="module")
def furnished(aws: Aws) -> Aws:
    """A local AWS with a thing of each kind that has more members than were given."""
    aws.client("application-autoscaling").register_scalable_target(
        ServiceNamespace="dynamodb",
        ResourceId="table/orders",
        ScalableDimension="dynamodb:table:ReadCapacityUnits",
        MinCapacity=1,
        MaxCapacity=2,
    )
    aws.client("ecr").create_repository(repositoryName="images")
    aws.client("events").put_rule(Name="hourly", ScheduleExpression="rate(1 hour)")
    aws.client("kms").create_key()
    aws.client("logs").create_log_group(logGroupName="said")
    aws.client("secretsmanager").create_secret(Name="key", SecretString="x")
    aws.client("ssm").put_parameter(Name="value", Value="x", Type="String")
    return aws


@pytest.mark.parametrize("service", SERVICES)
def test_no_answer_has_a_null(furnished: Aws, service: str) -> None:
    client = furnished.client(service)
    bodies: list[tuple[str, Any]] = []
    client.meta.events.register(
        "after-call",
        lambda http_response, model, **_: bodies.append(
            (model.name, json.loads(http_response.content or b"{}"))
        ),
    )
    for operation in client.meta.service_model.operation_names:
        _ask(client, operation)
    assert bodies
    assert {name: [*_nulls(body, "")] for name, body in bodies if [*_nulls(body, "")]} == {}


def test_what_xml_cannot_carry_is_replaced(aws: Aws) -> None:
    with pytest.raises(ClientError, match="\ufffd"):
        aws.client("ec2").disassociate_vpc_cidr_block(AssociationId="\x00")


class Growing(dict[str, Any]):
    """A dictionary that another thread adds something to while it is gone through."""

    times = 3

    def values(self) -> Any:
        for value in super().values():
            if self.times:
                self.times -= 1
                self[f"another {self.times}"] = value
            yield value


def test_a_read_is_answered_while_another_thread_makes_something(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    alarm_of_errors(aws, "one", "e")
    kept = cloudwatch_backends[ACCOUNT_ID][REGION]
    growing = Growing(kept.alarms)
    monkeypatch.setattr(kept, "alarms", growing)
    (found,) = {
        each["AlarmName"] for each in aws.client("cloudwatch").describe_alarms()["MetricAlarms"]
    }
    assert (found, growing.times) == ("one", 0)


class Raced(dict[str, Any]):
    """A dictionary that another thread adds something to after each write."""

    times = 0

    def __setitem__(self, name: str, value: Any) -> None:
        self.times += 1
        super().__setitem__(name, value)
        raise RuntimeError("dictionary changed size during iteration")


def test_a_write_that_another_thread_comes_between_is_not_done_twice(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have made half of what it makes, and a second time would make that again."""
    raced = Raced()
    monkeypatch.setattr(cloudwatch_backends[ACCOUNT_ID][REGION], "alarms", raced)
    client = aws.client("cloudwatch")
    sent: list[str] = []
    client.meta.events.register("before-send", lambda request, **_: sent.append(request.url))
    with pytest.raises(ClientError):
        client.put_metric_alarm(
            AlarmName="one",
            MetricName="m",
            Namespace="n",
            Statistic="Sum",
            Period=60,
            EvaluationPeriods=1,
            Threshold=1,
            ComparisonOperator="GreaterThanThreshold",
        )
    assert raced.times == len(sent)


def _ask(client: Any, operation: str) -> None:
    """What only reads and needs nothing to be said."""
    method = {name: each for each, name in client.meta.method_to_api_mapping.items()}[operation]
    shape = client.meta.service_model.operation_model(operation).input_shape
    needed = [] if shape is None else shape.required_members
    if not operation.startswith(("Describe", "Get", "List")):
        return
    if needed not in ([], ["ServiceNamespace"]):
        return
    with suppress(ClientError):  # what is not offered
        getattr(client, method)(**dict.fromkeys(needed, "dynamodb"))


def _nulls(value: Any, place: str) -> Iterator[str]:
    if value is None:
        yield place
    named = value.items() if isinstance(value, dict) else ()
    for name, item in enumerate(value) if isinstance(value, list) else named:
        yield from _nulls(item, f"{place}/{name}")


BODIES: list[dict[str, Any]] = [
    {"A": {"B": ["1", "2", ""], "C": None, "D": {}, "E": 0, "F": True, "G": 1.5}},
    {"A": {"@xmlns": 'https://a/?b="c"&d', "B": "<&>\"'", "C": {"@type": "x", "#text": "y"}}},
    {"A": {"B": [], "C": {"D": [{"E": "é\u2028😀"}, {"E": {"member": ["1"]}}]}, "F": b"bytes"}},
    {"A": ""},
]


@pytest.mark.parametrize("body", BODIES)
def test_xml_is_what_the_emulator_would_write(body: dict[str, Any]) -> None:
    messages.apply()
    model = service_model("sns").operation_model("CreateTopic")
    written = QuerySerializer(model)._serialize_body(body)
    expected = xmltodict.unparse(body, full_document=False, short_empty_elements=True)
    assert ElementTree.canonicalize(written) == ElementTree.canonicalize(expected)


def test_awss_managed_policies_can_be_attached(aws: Aws) -> None:
    iam = aws.client("iam")
    aws.role("bootstrap", "cloudformation")
    policy = "arn:aws:iam::aws:policy/AdministratorAccess"
    iam.attach_role_policy(RoleName="bootstrap", PolicyArn=policy)
    attached = iam.list_attached_role_policies(RoleName="bootstrap")["AttachedPolicies"]
    assert [entry["PolicyArn"] for entry in attached] == [policy]


def test_a_bucket_that_takes_tls_only_takes_what_comes_by_the_loopback(aws: Aws) -> None:
    aws.s3.create_bucket(
        Bucket="tls-only", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    deny = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": ["arn:aws:s3:::tls-only", "arn:aws:s3:::tls-only/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    policy = {"Version": "2012-10-17", "Statement": [deny]}
    aws.s3.put_bucket_policy(Bucket="tls-only", Policy=json.dumps(policy))
    aws.s3.put_object(Bucket="tls-only", Key="key", Body=b"body")
    assert aws.s3.get_object(Bucket="tls-only", Key="key")["Body"].read() == b"body"


def test_access_is_logged_into_a_bucket_whose_policy_comes_later(aws: Aws) -> None:
    for name in ("logged", "logs"):
        aws.s3.create_bucket(
            Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
    target = {"TargetBucket": "logs", "TargetPrefix": "data/"}
    aws.s3.put_bucket_logging(Bucket="logged", BucketLoggingStatus={"LoggingEnabled": target})
    found = aws.s3.get_bucket_logging(Bucket="logged")["LoggingEnabled"]
    assert found["TargetBucket"] == "logs"
