"""A custom resource answers, refuses, stays silent or crashes: what the real CDK CLI prints."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.deploy.assemblies import Cdk
from tests.local_aws.aws import Aws, StandIn, running
from tests.local_aws.services.cloudformation.templates import get_att, parameter, resource, template
from tools.roles import trust

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

LOGS = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
SOURCE = """\
import json
import os

import cfnresponse


def handler(event, context):
    do = event["ResourceProperties"]["Do"] if event["RequestType"] == "Create" else "answer"
    if do == "answer":
        data = {"Environment": json.dumps(dict(os.environ))}
        cfnresponse.send(event, context, cfnresponse.SUCCESS, data, "thing")
    elif do == "refuse":
        cfnresponse.send(event, context, cfnresponse.FAILED, {}, "thing", reason="not on Sundays")
    elif do == "crash":
        raise RuntimeError("this function is broken")
"""


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway in a process that has a secret of its user in its environment."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setenv("THEIR_SECRET", "theirs")
        patches.setenv("AWS_SESSION_TOKEN", "theirs")
        quick = Settings(time_scale=600)  # minutes pass between a function's attempts
        folder = tmp_path_factory.mktemp("aws")
        with running(folder, launch=StandIn.start, settings=quick) as gateway:
            yield Aws(gateway)


@pytest.fixture(scope="module")
def cdk(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Cdk:
    return Cdk(aws.gateway, tmp_path_factory.mktemp("cdk"))


def asking(do: str, **properties: Any) -> dict[str, Any]:
    """A function, a custom resource that has it ``do`` something, and what depends on that."""
    return template(
        {"Environment": get_att("Thing", "Environment")} if do == "answer" else None,
        Role=resource(
            "IAM::Role", AssumeRolePolicyDocument=trust("lambda"), ManagedPolicyArns=[LOGS]
        ),
        Function=resource(
            "Lambda::Function",
            Role=get_att("Role", "Arn"),
            Runtime="python3.11",
            Handler="index.handler",
            Timeout=60,
            Code={"ZipFile": SOURCE},
        ),
        Thing={
            "Type": "Custom::Thing",
            "Properties": {"ServiceToken": get_att("Function", "Arn"), "Do": do, **properties},
        },
        After=parameter("made", "Thing", Name=f"/after/{do}"),
    )


def test_an_answer_reaches_the_templates_outputs(aws: Aws, cdk: Cdk) -> None:
    ended = cdk.deploy("Answers", asking("answer"), "--method=direct")
    assert ended.status == 0, ended.printed
    assert "/after/answer" in parameters(aws)
    found = aws.client("cloudformation").describe_stacks(StackName="Answers")["Stacks"][0]
    environment = json.loads(found["Outputs"][0]["OutputValue"])
    assert environment["AWS_LAMBDA_FUNCTION_NAME"].startswith("Answers-Function-")
    assert "theirs" not in environment.values()
    assert environment["AWS_ENDPOINT_URL"] == aws.url
    assert environment["AWS_ACCESS_KEY_ID"] not in (
        aws.gateway.context.credentials.access_key_id,
        os.environ.get("AWS_ACCESS_KEY_ID"),
    )


@pytest.mark.parametrize(
    ("do", "properties", "said"),
    [
        ("refuse", {}, "not on Sundays"),
        pytest.param(
            "silence",
            {"ServiceTimeout": 2},
            "did not receive a response from your Custom Resource",
            marks=pytest.mark.long,
        ),
        ("crash", {"ServiceTimeout": 60}, "this function is broken"),
    ],
)
def test_a_resource_that_is_not_made_fails_the_deploy_with_its_reason(
    aws: Aws, cdk: Cdk, do: str, properties: dict[str, Any], said: str
) -> None:
    ended = cdk.deploy(do.title(), asking(do, **properties))
    assert ended.status == 1
    assert "Thing" in ended.printed
    assert said in ended.printed
    (stack,) = aws.client("cloudformation").describe_stacks(StackName=do.title())["Stacks"]
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    left = aws.client("cloudformation").describe_stack_resources(StackName=do.title())
    assert [part["ResourceStatus"] for part in left["StackResources"]] == []
    assert f"/after/{do}" not in parameters(aws)


def parameters(aws: Aws) -> list[str]:
    return [found["Name"] for found in aws.client("ssm").describe_parameters()["Parameters"]]
