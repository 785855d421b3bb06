"""A live inference router becomes a file that makes the same router again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.operations.adoption import adopt, live_router
from sagemaker_serving.operations.adoption.draft import Draft
from sagemaker_serving.operations.adoption.routers import read_router
from sagemaker_serving.operations.explain_router import explain_router, router_deviations
from sagemaker_serving.spec import read_environment
from tests.local_aws.aws import REGION, Aws, client_of, stand_in_aws

PLACE = f"arn:aws:sagemaker:{REGION}:123456789012:"
AWAY = "arn:aws:sagemaker:us-east-1:111122223333:endpoint/digits"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws"), Settings(time_scale=60)) as local:
        for name in ("Digits", "letters"):
            local.config(name, {"blue": local.model(name)})
            local.endpoint(name, name)
        local.sagemaker.create_inference_router(
            InferenceRouterName="front",
            RoutingTargets=[
                target("first", f"{PLACE}endpoint/digits", f"{PLACE}endpoint/letters"),
                target("second", f"{PLACE}endpoint/letters"),
            ],
        )
        yield local


def target(name: str, *arns: str, **more: Any) -> dict[str, Any]:
    return {"Name": name, "Destinations": [{"ResourceArn": each} for each in arns], **more}


@pytest.mark.slow
def test_the_file_of_a_router_has_its_endpoints_and_makes_it_again(
    aws: Aws, tmp_path: Path
) -> None:
    own = client_of(aws.gateway)
    template, router = live_router("front", own)
    adopted = adopt(template, name="prod", region=REGION, existing=True, router=router)
    assert adopted.models == ("Digits", "letters")
    assert any("this one will be called prod-front" in each for each in adopted.remarks)
    file = tmp_path / "prod.yaml"
    file.write_text(adopted.text)
    environment = read_environment(file).sound
    targets = environment.routers["front"].routing_targets
    assert targets["first"].destinations == ["Digits", "letters"]
    runs = explain_router("front", own)
    assert runs is not None
    assert router_deviations(replace(runs, router="prod-front"), environment) == []


@pytest.mark.slow
def test_a_router_that_is_not_there_is_named(aws: Aws) -> None:
    with pytest.raises(NotFound, match="there is no inference router 'nobody'"):
        live_router("nobody", client_of(aws.gateway))


def written(*targets: Mapping[str, Any]) -> Draft:
    draft = Draft("prod", REGION)
    draft.set(("models", "chat", "inference_components", "small"), {})
    router = {
        "InferenceRouterName": "prod-front",
        "InferenceRouterArn": f"{PLACE}inference-router/prod-front",
        "RoutingTargets": targets,
    }
    read_router(draft, router, {"Chat": "chat"})
    return draft


def test_components_are_named_by_their_model_and_others_by_their_arn() -> None:
    draft = written(target("a", f"{PLACE}inference-component/chat-small", AWAY))
    path = ("routers", "front", "routing_targets", "a", "destinations")
    assert draft.get(path) == ["chat/small", AWAY]


def test_an_asynchronous_target_keeps_its_time_and_says_where_its_answers_went() -> None:
    output = {"S3OutputPath": "s3://b/out", "S3FailurePath": "s3://b/no", "KmsKeyId": "key"}
    config = {"OutputConfig": output, "ClientConfig": {"MaxTimeInBacklogSeconds": 90}}
    draft = written(target("a", AWAY, AsyncInferenceConfig=config))
    assert draft.get(("routers", "front", "routing_targets", "a")) == {
        "destinations": [AWAY],
        "asynchronous": True,
        "max_time_in_backlog_seconds": 90,
    }
    said = [text for _, text in draft.remarks]
    assert any("answers went to s3://b/out, failures to s3://b/no" in each for each in said)
    assert "KmsKeyId is left out; it has no field" in said


def test_a_preference_that_has_no_field_is_a_remark() -> None:
    draft = written(target("a", AWAY, RoutingPreference="InstancePoolOrder"))
    said = [text for _, text in draft.remarks]
    assert "RoutingPreference InstancePoolOrder is left out; it has no field" in said


@pytest.mark.slow
def test_a_router_of_other_accounts_alone_is_refused_with_what_to_do(aws: Aws) -> None:
    aws.sagemaker.create_inference_router(
        InferenceRouterName="away", RoutingTargets=[target("a", AWAY)]
    )
    with pytest.raises(Mistake, match="asks no endpoint of its own region and account"):
        live_router("away", client_of(aws.gateway))
