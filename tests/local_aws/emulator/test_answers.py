"""The emulator's answers hold nothing that AWS's don't: no null in JSON, nothing that is no XML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import Aws

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
