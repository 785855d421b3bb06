"""Inference routers: who is asked, who is asked instead, and who may ask."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.faults import Fault, Kind
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.accounts.members import HOME, OTHER, client, refused
from tests.local_aws.aws import IMAGE, REGION, Aws, archive, eventually, policy
from tests.local_aws.permissions.callers import Caller, allow, refusal
from tests.local_sagemaker.test_asynchronous import asynchronous

AWAY = "us-west-2"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=60)


@pytest.fixture(scope="module", autouse=True)
def endpoints(aws: Aws) -> None:
    """near-1 and near-2 where the router is, away-1 in another region, shared in another account;
    each answers with its name."""
    places = [
        *((HOME, REGION, name) for name in ("near-1", "near-2")),
        (HOME, AWAY, "away-1"),
        (OTHER, REGION, "shared"),
    ]
    for account, region, name in places:
        serve(aws, account, region, name)


@pytest.fixture(autouse=True)
def no_faults(aws: Aws) -> Iterator[None]:
    yield
    aws.gateway.context.faults.clear()


def serve(aws: Aws, account: str, region: str, name: str) -> None:
    sagemaker, s3 = (client(aws, each, account, region) for each in ("sagemaker", "s3"))
    bucket = "models"
    if (account, region) != (HOME, REGION):
        bucket = f"models-of-{name}"
        place = {"LocationConstraint": region}
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=place)
        s3.put_object(Bucket=bucket, Key="model.tar.gz", Body=archive({"1/a": b""}))
    if account != HOME:
        trust = {
            "Effect": "Allow",
            "Principal": {"Service": "sagemaker.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
        iam = client(aws, "iam", account)
        iam.create_role(RoleName="model", AssumeRolePolicyDocument=policy(trust))
        iam.put_role_policy(RoleName="model", PolicyName="own", PolicyDocument=policy(allow("*")))
    sagemaker.create_model(
        ModelName=name,
        ExecutionRoleArn=f"arn:aws:iam::{account}:role/model",
        PrimaryContainer={
            "Image": IMAGE,
            "ModelDataUrl": f"s3://{bucket}/model.tar.gz",
            "Environment": {"VERSION": name},
        },
    )
    variant = {"VariantName": "a", "ModelName": name, "InstanceType": "ml.m5.large"}
    sagemaker.create_endpoint_config(
        EndpointConfigName=name, ProductionVariants=[{**variant, "InitialInstanceCount": 1}]
    )
    sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=name)
    sagemaker.get_waiter("endpoint_in_service").wait(EndpointName=name, WaiterConfig={"Delay": 1})


def arn(name: str, region: str = REGION, account: str = HOME) -> str:
    return f"arn:aws:sagemaker:{region}:{account}:endpoint/{name}"


NEAR = [arn("near-1"), arn("near-2")]
FAR = arn("away-1", AWAY)
SHARED = arn("shared", account=OTHER)


def target(*arns: str, name: str = "model", **more: Any) -> dict[str, Any]:
    return {"Name": name, "Destinations": [{"ResourceArn": each} for each in arns], **more}


def router(aws: Aws, name: str, *targets: dict[str, Any]) -> Any:
    """It, once it is in service, and what asks it."""
    aws.sagemaker.create_inference_router(InferenceRouterName=name, RoutingTargets=list(targets))
    in_service(aws, name)

    def ask(body: bytes = b"x", runtime: Any = None, **more: Any) -> Any:
        return (
            runtime or aws.client("sagemaker-inference-router-runtime")
        ).invoke_inference_router(
            InferenceRouterName=name,
            **{"RoutingTargetName": "model", **more},
            Body=body,
        )

    return ask


def in_service(aws: Aws, name: str) -> Any:
    def look() -> Any:
        found = aws.sagemaker.describe_inference_router(InferenceRouterName=name)
        return found if found["Status"] == "InService" else None

    return eventually(look)


def test_requests_stay_in_the_routers_region_and_take_turns(aws: Aws) -> None:
    ask = router(aws, "turns", target(*NEAR, FAR))

    answers = [ask() for _ in range(6)]

    assert Counter(each["Body"].read() for each in answers) == {b"near-1": 3, b"near-2": 3}
    assert {each["RoutingReason"] for each in answers} == {"local-preferred"}
    assert {each["InvokedRoutedResourceArn"] for each in answers} == set(NEAR)
    assert {each["InvokedProductionVariant"] for each in answers} == {"a"}


def test_an_endpoint_is_called_by_its_name_whose_case_an_arn_has_lost(aws: Aws) -> None:
    serve(aws, HOME, REGION, "Near-3")
    found = aws.sagemaker.describe_endpoint(EndpointName="Near-3")["EndpointArn"]
    assert found == arn("near-3")
    assert router(aws, "cased", target(found))()["Body"].read() == b"Near-3"
    aws.sagemaker.delete_endpoint(EndpointName="Near-3")


@pytest.mark.parametrize("text", ["[]", "x", "[" * 9000], ids=["list", "text", "deep"])
def test_a_policy_that_is_none_is_refused(aws: Aws, text: str) -> None:
    with pytest.raises(ClientError, match=r"\(ValidationException\).*ResourcePolicy"):
        aws.sagemaker.put_endpoint_policy(EndpointName="near-1", ResourcePolicy=text)


def test_a_destination_that_throttles_loses_no_request(aws: Aws) -> None:
    ask = router(aws, "throttled", target(NEAR[0], FAR))
    aws.gateway.context.faults.put(
        Fault(id="t", kind=Kind.THROTTLING, operation="InvokeEndpoint", name="near-1")
    )
    answers: list[Any] = []

    def many() -> None:
        answers.extend(ask() for _ in range(20))

    threads = [threading.Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert Counter(each["Body"].read() for each in answers) == {b"away-1": 80}
    assert {each["RoutingReason"] for each in answers} == {"failover"}


def test_a_target_without_destinations_in_the_region_says_why_it_went_away(aws: Aws) -> None:
    ask = router(aws, "abroad", target(FAR))

    assert ask()["RoutingReason"] == "only-healthy"


def test_what_the_model_itself_refuses_is_asked_of_nobody_else(aws: Aws) -> None:
    aws.model("fails", {"FAILS": "1"})
    aws.endpoint("fails", aws.config("fails", {"a": "fails"}))
    ask = router(aws, "refused", target(arn("fails"), FAR))

    status, code, message = refusal(ask)

    assert (status, code) == (424, "ModelError")
    assert "broken each so many times" in message


def test_no_destination_left_is_unavailable(aws: Aws) -> None:
    ask = router(aws, "gone", target(arn("nowhere"), arn("nowhere-else")))

    assert refusal(ask)[:2] == (503, "ServiceUnavailableException")
    found = aws.sagemaker.describe_inference_router(InferenceRouterName="gone")
    statuses = [each["RoutingStatus"] for each in found["RoutingTargets"][0]["Destinations"]]
    assert statuses == ["Unroutable", "Unroutable"]


def test_content_type_and_attributes_reach_the_model(aws: Aws) -> None:
    aws.model("told")
    aws.endpoint("told", aws.config("told", {"a": "told"}))
    ask = router(aws, "told", target(arn("told")))

    answer = ask(b"headers", ContentType="text/csv", CustomAttributes="who=me", InferenceId="i")

    told = {name.lower(): value for name, value in json.loads(answer["Body"].read()).items()}
    assert told["content-type"] == "text/csv"
    assert told["x-amzn-sagemaker-custom-attributes"] == "who=me"
    assert told["x-amzn-sagemaker-inference-id"] == "i"


def test_a_caller_needs_the_router_and_every_destination_of_its_account(aws: Aws) -> None:
    ask = router(aws, "guarded", target(NEAR[0], FAR))
    own = f"arn:aws:sagemaker:{REGION}:{HOME}:inference-router/guarded"
    invoke = allow("sagemaker:InvokeInferenceRouter", own)
    through = {"ArnEquals": {"sagemaker:SourceInferenceRouterArn": own}}

    def as_role(*statements: dict[str, Any]) -> Any:
        return Caller(aws, *statements).client("sagemaker-inference-router-runtime")

    whole = allow("sagemaker:InvokeEndpoint", [NEAR[0], FAR], Condition=through)
    assert ask(runtime=as_role(invoke, whole))["Body"].read() == b"near-1"
    part = allow("sagemaker:InvokeEndpoint", NEAR[0], Condition=through)
    assert refusal(ask, runtime=as_role(invoke, part))[:2] == (403, "AccessDeniedException")
    assert refusal(ask, runtime=as_role(whole))[:2] == (403, "AccessDeniedException")


def test_another_accounts_endpoint_is_asked_where_its_policy_lets_the_router(aws: Aws) -> None:
    ask = router(aws, "shared", target(SHARED))
    assert refusal(ask)[:2] == (503, "ServiceUnavailableException")
    own = f"arn:aws:sagemaker:{REGION}:{HOME}:inference-router/shared"
    let = {
        **allow("sagemaker:InvokeEndpoint", SHARED),
        "Principal": {"AWS": f"arn:aws:iam::{HOME}:root"},
        "Condition": {"ArnEquals": {"sagemaker:SourceInferenceRouterArn": own}},
    }
    owner = client(aws, "sagemaker", OTHER)

    owner.put_endpoint_policy(EndpointName="shared", ResourcePolicy=policy(let))

    assert ask()["Body"].read() == b"shared"
    assert json.loads(owner.get_endpoint_policy(EndpointName="shared")["ResourcePolicy"])
    other = router(aws, "stranger", target(SHARED))
    assert refusal(other)[:2] == (503, "ServiceUnavailableException")
    owner.delete_endpoint_policy(EndpointName="shared")
    assert refusal(ask)[:2] == (503, "ServiceUnavailableException")
    assert refused(owner.get_endpoint_policy, EndpointName="shared")[0] == "ValidationException"


def test_an_asynchronous_target_writes_where_the_router_says(aws: Aws) -> None:
    asynchronous(aws, "slow", aws.model("slow", {"VERSION": "slow"}))
    aws.s3.put_object(Bucket="models", Key="in.csv", Body=b"abc")
    output = {"S3OutputPath": "s3://models/routed", "S3FailurePath": "s3://models/failed"}
    ask = router(aws, "later", target(arn("slow"), AsyncInferenceConfig={"OutputConfig": output}))
    runtime = aws.client("sagemaker-inference-router-runtime")

    told = runtime.invoke_inference_router_async(
        InferenceRouterName="later",
        RoutingTargetName="model",
        InputLocation="s3://models/in.csv",
        InferenceId="one",
    )

    assert told["OutputLocation"] == "s3://models/routed/one.out"
    found = eventually(
        lambda: aws.s3.list_objects(Bucket="models", Prefix="routed/").get("Contents")
    )
    assert [each["Key"] for each in found] == ["routed/one.out"]
    assert "InvokeInferenceRouterAsync" in refusal(ask)[2]
    status, code, message = refusal(
        runtime.invoke_inference_router_async,
        InferenceRouterName="later",
        RoutingTargetName="model",
        InputLocation="nowhere",
    )
    assert (status, code, "InputLocation" in message) == (400, "ValidationException", True)


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ([target(NEAR[0], NEAR[0])], "twice in model"),
        ([target(NEAR[0]), target(NEAR[1])], "model is there twice"),
        ([target(NEAR[0], AsyncInferenceConfig={"OutputConfig": {"S3OutputPath": "s3://models/a",
          "S3FailurePath": "s3://models/b"}})], "a real-time destination"),
        ([target(f"arn:aws-cn:sagemaker:cn-north-1:{HOME}:endpoint/x")], "not of the partition"),
        ([target(NEAR[0], RoutingPreference="InstancePoolOrder")], "of asynchronous"),
    ],
    ids=[
        "a destination twice",
        "a target twice",
        "real-time in an asynchronous target",
        "a partition",
        "a preference",
    ],
)  # fmt: skip
def test_what_create_and_update_reject(aws: Aws, targets: Any, said: str) -> None:
    sagemaker, name = aws.sagemaker, f"update-{sum(map(ord, said))}"
    refusals = [
        refused(sagemaker.create_inference_router, InferenceRouterName="w", RoutingTargets=targets)
    ]
    router(aws, name, target(NEAR[0]))
    refusals.append(
        refused(
            sagemaker.update_inference_router,
            InferenceRouterName=name,
            RoutingTargets=targets,
        )
    )
    for code, message in refusals:
        assert (code, said in message) == ("ValidationException", True), message


def test_a_router_is_made_once_changed_whole_and_forgotten(aws: Aws) -> None:
    sagemaker = aws.sagemaker
    given = {"InferenceRouterName": "Life", "RoutingTargets": [target(NEAR[0])], "ClientToken": "t"}
    made = sagemaker.create_inference_router(**given, Tags=[{"Key": "a", "Value": "b"}])
    again = sagemaker.create_inference_router(**given)
    assert again["InferenceRouterArn"] == made["InferenceRouterArn"]
    assert (
        refused(sagemaker.create_inference_router, **{**given, "ClientToken": "u"})[0]
        == "ResourceAlreadyExists"
    )
    others = {**given, "RoutingTargets": [target(NEAR[1])]}
    assert refused(sagemaker.create_inference_router, **others)[0] == "ConflictException"
    assert made["InferenceRouterArn"].endswith("inference-router/Life")
    assert sagemaker.list_tags(ResourceArn=made["InferenceRouterArn"])["Tags"]

    in_service(aws, "Life")
    sagemaker.update_inference_router(
        InferenceRouterName="Life", RoutingTargets=[target(NEAR[1], name="b")]
    )
    found = in_service(aws, "Life")["RoutingTargets"]
    assert [each["Name"] for each in found] == ["b"]
    assert "Life" in [
        each["InferenceRouterName"]
        for page in sagemaker.get_paginator("list_inference_routers").paginate()
        for each in page["InferenceRouters"]
    ]
    sagemaker.delete_inference_router(InferenceRouterName="Life")
    assert refused(sagemaker.describe_inference_router, InferenceRouterName="Life")[0] == (
        "ResourceNotFound"
    )
