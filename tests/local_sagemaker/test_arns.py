"""In which case SageMaker writes a name into an ARN, and what takes either."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import IMAGE, Aws
from tests.local_aws.functions import Functions, trust
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.stacks import Deployments
from tools.roles import MODEL_POLICY
from tools.roles import trust as trusts

HEAD = "arn:aws:sagemaker:eu-west-1:123456789012"
CALLING = """\
import boto3


def handler(event, context):
    runtime = boto3.client("sagemaker-runtime")
    answer = runtime.invoke_endpoint(EndpointName=event["name"], Body=b"abc")
    return answer["Body"].read().decode()
"""


@pytest.fixture(scope="module")
def outputs(aws: Aws) -> Mapping[str, str]:
    """Of a stack with an endpoint called Mixed-Case, and a function that may invoke its Ref."""
    body = template(
        {
            "Model": ref("Model"),
            "Config": ref("Config"),
            "Endpoint": ref("Endpoint"),
            "Name": get_att("Endpoint", "EndpointName"),
        },
        Role=resource(
            "IAM::Role",
            AssumeRolePolicyDocument=trusts("sagemaker"),
            Policies=[{"PolicyName": "model", "PolicyDocument": MODEL_POLICY}],
        ),
        Model=resource(
            "SageMaker::Model",
            ModelName="Mixed-Model",
            ExecutionRoleArn=get_att("Role", "Arn"),
            PrimaryContainer={"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"},
        ),
        Config=resource(
            "SageMaker::EndpointConfig",
            EndpointConfigName="Mixed-Config",
            ProductionVariants=[
                {
                    "VariantName": "v",
                    "ModelName": get_att("Model", "ModelName"),
                    "InstanceType": "ml.m5.large",
                    "InitialInstanceCount": 1,
                    "InitialVariantWeight": 1,
                }
            ],
        ),
        Endpoint=resource(
            "SageMaker::Endpoint",
            EndpointName="Mixed-Case",
            EndpointConfigName=get_att("Config", "EndpointConfigName"),
        ),
        CallerRole=resource(
            "IAM::Role",
            RoleName="caller",
            AssumeRolePolicyDocument=trust(),
            Policies=[
                {
                    "PolicyName": "invoke",
                    "PolicyDocument": {
                        "Version": "2012-10-17",
                        "Statement": [
                            {
                                "Effect": "Allow",
                                "Action": "sagemaker:InvokeEndpoint",
                                "Resource": ref("Endpoint"),
                            },
                            {"Effect": "Allow", "Action": "logs:*", "Resource": "*"},
                        ],
                    },
                }
            ],
        ),
    )
    stacks = Deployments(aws.client("cloudformation"))
    stack = stacks.create("Mixed", body)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stack
    return stacks.outputs("Mixed")


def test_ref_is_the_arn_in_lower_case_and_get_att_the_name_as_given(
    outputs: Mapping[str, str],
) -> None:
    assert outputs == {
        "Model": f"{HEAD}:model/mixed-model",
        "Config": f"{HEAD}:endpoint-config/mixed-config",
        "Endpoint": f"{HEAD}:endpoint/mixed-case",
        "Name": "Mixed-Case",
    }


def test_describe_and_list_tell_the_same(aws: Aws, outputs: Mapping[str, str]) -> None:
    described = aws.sagemaker.describe_endpoint(EndpointName="Mixed-Case")
    listed = aws.sagemaker.list_endpoints(NameContains="Mixed")["Endpoints"][0]
    for found in (described, listed):
        told = (found["EndpointName"], found["EndpointArn"])
        assert told == ("Mixed-Case", outputs["Endpoint"])


def test_a_function_whose_policy_names_the_ref_invokes_it(
    aws: Aws, outputs: Mapping[str, str]
) -> None:
    functions = Functions(aws.gateway)
    role = "arn:aws:iam::123456789012:role/caller"

    answer = functions.run("calling", CALLING, {"name": "Mixed-Case"}, Role=role)

    assert (answer.error, answer.payload) == (None, "cba"), answer.log


def test_a_name_is_taken_in_every_case_and_invoked_in_its_own(
    aws: Aws, outputs: Mapping[str, str]
) -> None:
    with pytest.raises(ClientError, match=f'existing endpoint "{outputs["Endpoint"]}"'):
        aws.sagemaker.create_endpoint(EndpointName="MIXED-case", EndpointConfigName="Mixed-Config")
    described = aws.sagemaker.describe_endpoint(EndpointName="mixed-case")
    assert described["EndpointName"] == "Mixed-Case"
    with pytest.raises(ClientError, match="Endpoint mixed-case of account 123456789012 not found"):
        aws.ask("mixed-case", b"abc")


@pytest.mark.parametrize("name", ["Mixed-Case", "mixed-case"])
def test_tags_are_found_by_either_case(aws: Aws, outputs: Mapping[str, str], name: str) -> None:
    arn = f"{HEAD}:endpoint/{name}"
    aws.sagemaker.add_tags(ResourceArn=arn, Tags=[{"Key": name, "Value": "1"}])
    for each in (arn, outputs["Endpoint"]):
        tags = aws.sagemaker.list_tags(ResourceArn=each)["Tags"]
        assert {"Key": name, "Value": "1"} in tags


def test_model_packages_keep_their_case(aws: Aws) -> None:
    group = aws.sagemaker.create_model_package_group(ModelPackageGroupName="My-Group")
    assert group["ModelPackageGroupArn"] == f"{HEAD}:model-package-group/My-Group"
    package = aws.sagemaker.create_model_package(
        ModelPackageGroupName="My-Group",
        InferenceSpecification={
            "Containers": [{"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}],
            "SupportedContentTypes": ["text/csv"],
            "SupportedResponseMIMETypes": ["text/csv"],
        },
    )
    assert package["ModelPackageArn"] == f"{HEAD}:model-package/My-Group/1"
    with pytest.raises(ClientError, match="does not exist"):
        aws.sagemaker.describe_model_package_group(ModelPackageGroupName="my-group")


def test_a_stack_of_mixed_names_is_deleted_whole(aws: Aws, outputs: Mapping[str, str]) -> None:
    stack = Deployments(aws.client("cloudformation")).delete("Mixed")
    assert stack["StackStatus"] == "DELETE_COMPLETE"
    for found in (
        aws.sagemaker.list_endpoints(NameContains="mixed")["Endpoints"],
        aws.sagemaker.list_models(NameContains="mixed")["Models"],
    ):
        assert found == []
