"""Reservations and models in S3 that an environment names, and what AWS says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.stub import Stubber
from pydantic import ValidationError

from local_aws.gateway import Gateway
from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Where
from sagemaker_serving.operations.leftovers import (
    deployed_stacks,
    leftover_problems,
    unnamed_problems,
)
from sagemaker_serving.operations.named import Found, find, named, named_problems
from sagemaker_serving.rules.environment.neighbours import names_beside
from sagemaker_serving.spec import Environment
from tests.local_aws.aws import client_of, policy

TODAY = date(2026, 11, 23)
PLAN = "arn:aws:sagemaker:eu-west-1:111122223333:training-plan/spring"
BUCKET = "models-named-in-files"
GPU = {"name": "gpu", "instance_type": "ml.p5.48xlarge", "initial_instance_count": 1}
RESERVED = {**GPU, "capacity_reservation": {"ml_reservation_arn": PLAN}}
ACTIVE = {
    "status": "Active",
    "end": "2027-03-01T00:00:00+00:00",
    "targets": ["endpoint"],
    "instance_types": ["ml.p5.48xlarge"],
}


def environment(**model: Any) -> Environment:
    given = {"artifact": "model", "variants": [GPU], **model}
    return Environment.model_validate(
        {"name": "prod", "region": "eu-west-1", "models": {"digits": given}}
    )


def said(found: Found, **model: Any) -> list[tuple[str, str, str]]:
    return [
        (str(problem.where), problem.severity.value, problem.message)
        for problem in named_problems(environment(**model), found, Where("prod.yaml"), TODAY)
    ]


def test_a_model_in_s3_is_found_wherever_it_is_written() -> None:
    places = {
        one.name: ".".join(map(str, one.path[2:]))
        for model in (
            {"artifact": "s3://models/a.tar.gz"},
            {"artifact": {"s3": "s3://models/b/", "sha256": "0" * 64}},
            {
                "multi_model": {
                    "s3_prefix": "s3://models/c/",
                    "archives": {"d": "s3://models/d.tar.gz", "here": "folder"},
                }
            },
            {"variants": [{**GPU, "artifact": "s3://models/e.tar.gz"}]},
        )
        for one in named(environment(**model))
    }
    assert places == {
        "s3://models/a.tar.gz": "artifact",
        "s3://models/b/": "artifact.s3",
        "s3://models/c/": "multi_model.s3_prefix",
        "s3://models/d.tar.gz": "multi_model.archives.d",
        "s3://models/e.tar.gz": "variants.0.artifact",
    }


def test_what_is_not_in_s3_is_named_and_what_is_there_is_not(gateway: Gateway) -> None:
    aws = client_of(gateway)
    s3 = aws.client("s3")
    s3.create_bucket(
        Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": s3.meta.region_name}
    )
    for key in ("there.tar.gz", "files/model.onnx"):
        s3.put_object(Bucket=BUCKET, Key=key, Body=b"model")
    for place, missing in {
        f"s3://{BUCKET}/there.tar.gz": False,
        f"s3://{BUCKET}/gone.tar.gz": True,
        f"s3://{BUCKET}/files/": False,
        f"s3://{BUCKET}/nothing/": True,
        "s3://no-such-bucket-at-all/files/": True,
        "s3://no-such-bucket-at-all/model.tar.gz": True,
    }.items():
        found = find(aws, named(environment(artifact=place)))
        told = said(found, artifact=place)
        assert [severity for _, severity, _ in told] == (["error"] if missing else []), place
    many = {"s3_prefix": f"s3://{BUCKET}/files/"}
    ((where, severity, message),) = said(
        find(aws, named(environment(multi_model=many))), multi_model=many
    )
    assert (where, severity) == ("prod.yaml models.digits.multi_model.s3_prefix", "error")
    assert message.startswith(f"no archive .tar.gz is below s3://{BUCKET}/files/")


def test_a_model_that_a_customer_key_encrypts_is_named_unless_the_file_names_the_key(
    gateway: Gateway,
) -> None:
    aws = client_of(gateway)
    s3, kms = aws.client("s3"), aws.client("kms")
    region = s3.meta.region_name
    s3.create_bucket(Bucket="sealed", CreateBucketConfiguration={"LocationConstraint": region})
    key = kms.create_key()["KeyMetadata"]["Arn"]
    for name in ("one.tar.gz", "many/model.onnx"):
        s3.put_object(
            Bucket="sealed", Key=name, Body=b"", ServerSideEncryption="aws:kms", SSEKMSKeyId=key
        )
    for place in ("s3://sealed/one.tar.gz", "s3://sealed/many/"):
        found = find(aws, named(environment(artifact=place)))
        ((_, severity, message),) = said(found, artifact=place)
        assert severity == "error"
        assert message.endswith(f"write kms_key_arn: {key} in {{s3: …}}")
        assert said(found, artifact={"s3": place, "kms_key_arn": key}) == []


def test_a_key_is_named_by_its_arn() -> None:
    with pytest.raises(ValidationError, match="a policy takes a key by its ARN alone"):
        environment(artifact={"s3": "s3://a/b.tar.gz", "kms_key_arn": "alias/models"})


@pytest.mark.parametrize(
    ("plan", "severity", "part"),
    [
        ({"status": "Expired"}, "error", "the reservation is Expired"),
        ({"status": "Failed"}, "error", "the reservation is Failed"),
        ({"end": "2026-11-22T00:00:00+00:00"}, "error", "its end was 2026-11-22"),
        ({"end": "2026-12-01T00:00:00+00:00"}, "warning", "ends on 2026-12-01"),
        ({"status": "Scheduled"}, "warning", "an endpoint takes only an Active one"),
        ({"targets": ["training-job"]}, "error", "the reservation is for training-job"),
        ({"instance_types": ["ml.p4d.24xlarge"]}, "error", "the reservation has ml.p4d.24xlarge"),
    ],
)
def test_a_reservation_that_gives_no_instance_is_named(
    plan: dict[str, Any], severity: str, part: str
) -> None:
    found = Found(reservations={PLAN: {**ACTIVE, **plan}})
    ((where, how, message),) = said(found, variants=[RESERVED])
    assert where.endswith("variants[0].capacity_reservation.ml_reservation_arn")
    assert (how, part in message) == (severity, True), message


def test_an_active_reservation_of_that_type_is_right() -> None:
    assert said(Found(reservations={PLAN: ACTIVE}), variants=[RESERVED]) == []


def test_each_variant_of_one_reservation_is_judged() -> None:
    other = {**RESERVED, "name": "other", "instance_type": "ml.p4d.24xlarge"}
    ((where, _, message),) = said(Found(reservations={PLAN: ACTIVE}), variants=[RESERVED, other])
    assert where.endswith("variants[1].capacity_reservation.ml_reservation_arn")
    assert "runs on ml.p4d.24xlarge" in message


def test_a_reservation_that_does_not_exist_is_an_error() -> None:
    ((_, severity, message),) = said(Found(reservations={PLAN: {}}), variants=[RESERVED])
    assert (severity, message.startswith(f"there is no {PLAN}")) == ("error", True)


def test_what_was_not_asked_for_is_never_said_to_be_there() -> None:
    told = said(Found(), artifact="s3://models/a.tar.gz", variants=[RESERVED])
    assert [severity for _, severity, _ in told] == ["note", "note"]
    assert all("not checked" in message for *_, message in told)


def test_aws_is_asked_for_a_plan_by_its_arn_once() -> None:
    client = _Known("sagemaker")
    ends = datetime(2027, 3, 1, tzinfo=UTC)
    with Stubber(client.made) as stubber:
        stubber.add_response(
            "describe_training_plan",
            {
                "TrainingPlanArn": PLAN,
                "TrainingPlanName": "spring",
                "Status": "Active",
                "EndTime": ends,
                "TargetResources": ["endpoint"],
                "ReservedCapacitySummaries": [
                    {
                        "ReservedCapacityArn": PLAN.replace("training-plan", "reserved-capacity"),
                        "InstanceType": "ml.p5.48xlarge",
                        "TotalInstanceCount": 2,
                        "Status": "Active",
                    }
                ],
            },
            {"TrainingPlanName": PLAN},
        )
        stubber.add_client_error("describe_training_plan", "ResourceNotFound")
        things = [*named(environment(variants=[RESERVED, {**RESERVED, "name": "other"}]))]
        assert find(client, things).reservations == {PLAN: ACTIVE}
        assert find(client, things).reservations == {PLAN: {}}


@dataclass(frozen=True, kw_only=True)
class _Known(Aws):
    """An AWS with one client that is known beforehand."""

    made: Any

    def __init__(self, service: str) -> None:
        keys = {"access_key_id": "test", "secret_access_key": "test"}
        real = Aws(region="eu-west-1", endpoint_url="http://localhost:1", **keys)
        object.__setattr__(self, "made", real.client(service))

    def client(self, service: str, **_: Any) -> Any:
        return self.made


CPU = {"name": "cpu", "instance_type": "ml.c5.large"}
MOVED = {"variants": [CPU], "endpoint": {"existing": "theirs"}}


@pytest.mark.parametrize(
    ("endpoint", "update", "message"),
    [
        ({}, None, "there is no endpoint theirs, so the deploy would fail; name one that"),
        ({"status": "Updating", "variants": ["cpu"]}, None, "theirs is Updating; a deploy waits"),
        (
            {"status": "InService", "variants": ["all"]},
            {"canary_percent": 10},
            "theirs has the variants all, and the file has cpu: SageMaker has guardrails for",
        ),
    ],
)
def test_an_endpoint_that_cannot_be_moved_is_named(
    endpoint: dict[str, Any], update: dict[str, Any] | None, message: str
) -> None:
    given = {**MOVED, **({} if update is None else {"update": update})}
    ((where, _, told),) = said(Found(endpoints={"theirs": endpoint}), **given)
    assert where == "prod.yaml models.digits.endpoint.existing"
    assert told.startswith(message)


def test_an_endpoint_that_can_be_moved_is_right() -> None:
    found = Found(endpoints={"theirs": {"status": "InService", "variants": ["all"]}})
    assert said(found, **MOVED) == []
    changes = {"update": {"canary_percent": 10}, "transition": {"step": "change_variants"}}
    assert said(found, **MOVED, **changes) == []
    alike = Found(endpoints={"theirs": {"status": "InService", "variants": ["cpu"]}})
    assert said(alike, **MOVED, update={"canary_percent": 10}) == []


def test_an_endpoint_is_asked_for_by_its_name(gateway: Gateway) -> None:
    found = find(client_of(gateway), named(environment(**MOVED)))
    assert found.endpoints == {"theirs": {}}


def test_stacks_that_run_on_without_a_file_are_told_in_every_region(gateway: Gateway) -> None:
    aws, there = client_of(gateway), environment()
    here = [f"prod/{name}" for name in ("digits/a", "old/a", "old/b", "storage/a")]
    here += ["prod-2/storage/a", "prod-2/else/a"]
    for region, names in {
        "eu-west-1": [*here, "prod/network/a"],
        "us-west-2": ["prod/digits/a", "prod/storage/a"],
    }.items():
        ssm = replace(aws, region=region).client("ssm")
        for name in names:
            ssm.put_parameter(Name=f"/sagemaker-serving/{name}", Value="x", Type="String")
    deployed = deployed_stacks(aws)
    assert deployed.unread == []
    assert deployed.found["us-west-2"] == ["prod/digits", "prod/storage"]
    told = [each.message for each in leftover_problems(there, deployed, Where("prod.yaml"))]
    assert [each.partition(", and")[0] for each in told] == [
        "the stack prod-old runs on in eu-west-1",
        "the stack prod-Network runs on in eu-west-1",
        "the stack prod-digits runs on in us-west-2",
        "the stack prod-Storage runs on in us-west-2",
    ]
    assert "delete-stack --stack-name prod-old --region eu-west-1" in told[0]
    others = list(unnamed_problems({"prod"}, deployed, Where("prod.yaml")))
    assert [each.message.partition(", and")[0] for each in others] == [
        "the environment prod-2 runs in eu-west-1"
    ]
    assert others[0].message.endswith("in this order: prod-2-else, prod-2-Storage")
    assert list(unnamed_problems({"prod", "prod-2"}, deployed, Where("prod.yaml"))) == []


def test_the_names_of_an_apps_environments_are_those_of_its_files(tmp_path: Path) -> None:
    """Of a file elsewhere, or beside one that cannot be read, nobody knows which there are."""
    folder = tmp_path / "environments"
    folder.mkdir()
    (folder / "_base.yaml").write_text("region: eu-west-1\n")
    (folder / "a.yaml").write_text("extends: _base.yaml\nname: one\nmodels: {}\n")
    (folder / "b.yaml").write_text("name: two\nmodels: {}\n")
    assert names_beside(folder / "a.yaml") == {"one", "two"}
    assert names_beside(tmp_path / "a.yaml") is None
    (folder / "b.yaml").write_text("name: [")
    assert names_beside(folder / "a.yaml") is None


def test_regions_that_nobody_may_read_are_noted_together(gateway: Gateway) -> None:
    """An organization closes regions, or a role may not even list them."""
    iam = client_of(gateway).client("iam")
    iam.create_user(UserName="reader")
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    reader = replace(
        client_of(gateway),
        access_key_id=key["AccessKeyId"],
        secret_access_key=key["SecretAccessKey"],
    )
    closed = {"StringNotEquals": {"aws:RequestedRegion": "eu-west-1"}}
    for denied, unread in (
        ({"Action": "ssm:*", "Condition": closed}, "us-west-2"),
        ({"Action": "ec2:DescribeRegions"}, "every other region"),
    ):
        may = {"Effect": "Allow", "Action": "*", "Resource": "*"}
        text = policy(may, {"Effect": "Deny", "Resource": "*", **denied})
        iam.put_user_policy(UserName="reader", PolicyName="own", PolicyDocument=text)
        deployed = deployed_stacks(reader)
        assert unread in deployed.unread
        assert "eu-west-1" not in deployed.unread
        *_, note = leftover_problems(environment(), deployed, Where("prod.yaml"))
        assert (note.severity, unread in note.message) == ("note", True)
