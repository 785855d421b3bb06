"""What SageMaker does in the name of a model's role, and what it says when the role may not."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.models.network_access import NEEDED
from tests.local_aws.aws import IMAGE, REGION, Aws, eventually, service_in
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, numbers, refusal
from tests.local_sagemaker.transforming import ended, job

URL = "s3://models/model.tar.gz"
READ = allow("s3:GetObject", "arn:aws:s3:::models/*")
REPOSITORY = "arn:aws:ecr:eu-west-1:763104351884:repository/tensorflow-inference"
PULL = [
    "ecr:BatchCheckLayerAvailability",
    "ecr:BatchGetImage",
    "ecr:GetAuthorizationToken",
    "ecr:GetDownloadUrlForLayer",
]


def model(aws: Aws, role: str, url: str = URL, **more: Any) -> str:
    name = f"model-{next(numbers)}"
    container = {"Image": IMAGE, "ModelDataUrl": url}
    aws.sagemaker.create_model(
        ModelName=name, ExecutionRoleArn=role, PrimaryContainer=container, **more
    )
    return name


def endpoint(aws: Aws, role: str, **more: Any) -> Any:
    name = model(aws, role, **more)
    aws.config(name, {"v": name})
    return aws.endpoint(name, name)


def test_a_model_whose_role_may_not_read_its_archive_is_refused(aws: Aws) -> None:
    role = Caller(aws, service="sagemaker").arn
    assert refusal(model, aws=aws, role=role) == (
        400,
        "ValidationException",
        f'Could not access model data at {URL}. Please ensure that the role "{role}" exists and '
        'that its trust relationship policy allows the action "sts:AssumeRole" for the service '
        'principal "sagemaker.amazonaws.com". Also ensure that the role has "s3:GetObject" '
        "permissions and that the object is located in eu-west-1. If your Model uses multiple "
        'models or uncompressed models, please ensure that the role has "s3:ListBucket" '
        "permission.",
    )


def test_an_absent_archive_looks_the_same_to_a_role_that_may_not_list(aws: Aws) -> None:
    absent = "s3://models/absent.tar.gz"
    blind = Caller(aws, READ, service="sagemaker").arn
    assert refusal(model, aws=aws, role=blind, url=absent)[2].startswith("Could not access")
    seeing = Caller(aws, READ, allow("s3:ListBucket"), service="sagemaker").arn
    message = refusal(model, aws=aws, role=seeing, url=absent)[2]
    assert message == f"Could not find model data at {absent}."


@pytest.mark.parametrize("missing", PULL)
def test_an_endpoint_needs_its_image(aws: Aws, missing: str) -> None:
    actions = [action for action in PULL if action != missing]
    role = Caller(aws, READ, allow(actions), service="sagemaker").arn
    failed = endpoint(aws, role)
    assert failed["EndpointStatus"] == "Failed"
    assert failed["FailureReason"] == (
        f"The role '{role}' does not have {missing.removeprefix('ecr:')} permission for the "
        f"image: '{IMAGE}'."
    )
    aws.delete(failed["EndpointName"])


@pytest.mark.parametrize(
    "statements",
    [
        [],
        [allow(PULL[:2] + PULL[3:], REPOSITORY.replace("tensorflow", "pytorch")), allow(PULL[2])],
    ],
)
def test_a_role_that_cannot_read_the_image_at_all_is_told_of_batch_get_image(
    aws: Aws, statements: list[dict[str, Any]]
) -> None:
    role = Caller(aws, READ, *statements, service="sagemaker").arn
    failed = endpoint(aws, role)
    assert failed["FailureReason"] == (
        f"The role '{role}' does not have BatchGetImage permission for the image: '{IMAGE}'."
    )
    aws.delete(failed["EndpointName"])


@pytest.mark.parametrize("missing", NEEDED)
def test_an_endpoint_in_a_vpc_needs_to_put_interfaces_there(aws: Aws, missing: str) -> None:
    actions = [action for action in NEEDED if action != missing]
    pull = [allow(PULL[:2] + PULL[3:], REPOSITORY), allow(PULL[2])]
    role = Caller(aws, READ, *pull, allow(actions), service="sagemaker").arn
    vpc = {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}
    failed = endpoint(aws, role, VpcConfig=vpc)
    assert failed["EndpointStatus"] == "Failed"
    assert f"The role '{role}' does not have {missing} permission" in failed["FailureReason"]
    aws.delete(failed["EndpointName"])


def test_an_endpoint_in_a_vpc_serves_whose_role_may_put_interfaces_there(aws: Aws) -> None:
    pull = [allow(PULL[:2] + PULL[3:], REPOSITORY), allow(PULL[2])]
    places = [f"arn:aws:ec2:{REGION}:*:{kind}" for kind in ("subnet/subnet-1", "*-group/sg-1")]
    interfaces = f"arn:aws:ec2:{REGION}:{ACCOUNT}:network-interface/*"
    network = [
        allow(list(NEEDED)[:4], interfaces),
        allow("ec2:CreateNetworkInterface", places),
        allow("ec2:Describe*"),
    ]
    role = Caller(aws, READ, *pull, *network, service="sagemaker").arn
    vpc = {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}
    served = endpoint(aws, role, VpcConfig=vpc)
    assert served["EndpointStatus"] == "InService"
    aws.delete(served["EndpointName"])


def test_a_handler_calls_in_the_models_role_and_logs_need_a_permission(aws: Aws) -> None:
    """The endpoint serves without its logs, as on AWS."""
    pull = [allow(PULL[:2] + PULL[3:], REPOSITORY), allow(PULL[2])]
    role = Caller(aws, READ, *pull, service="sagemaker")
    served = endpoint(aws, role.arn)
    assert served["EndpointStatus"] == "InService"
    environment = json.loads(aws.ask(served["EndpointName"], b"environment"))
    handler = boto3.session.Session(
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=environment["AWS_SESSION_TOKEN"],
        region_name=REGION,
    )
    identity = handler.client("sts", endpoint_url=aws.url).get_caller_identity()
    assert identity["Arn"].endswith(f":assumed-role/{role.name}/SageMaker")
    s3 = handler.client("s3", endpoint_url=aws.url)
    s3.get_object(Bucket="models", Key="model.tar.gz")
    assert refusal(s3.put_object, Bucket="models", Key="k")[1] == "AccessDenied"
    service_in(aws.gateway, SageMaker).flush()
    group = f"/aws/sagemaker/Endpoints/{served['EndpointName']}"
    found = aws.client("logs").describe_log_groups(logGroupNamePrefix=group)["logGroups"]
    assert found == []
    aws.delete(served["EndpointName"])


def component(aws: Aws, role: str) -> str:
    """An endpoint with one component of the same name, in service."""
    name = model(aws, role)
    variant = {"VariantName": "v", "InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName=name, ExecutionRoleArn=role, ProductionVariants=[variant]
    )
    aws.endpoint(name, name)
    aws.sagemaker.create_inference_component(
        InferenceComponentName=name,
        EndpointName=name,
        VariantName="v",
        Specification={
            "ModelName": name,
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
        },
        RuntimeConfig={"CopyCount": 1},
    )

    def settled() -> Any:
        found = aws.sagemaker.describe_inference_component(InferenceComponentName=name)
        status = found["InferenceComponentStatus"]
        return status if status in ("InService", "Failed") else None

    assert eventually(settled) == "InService"
    return name


def remove(aws: Aws, name: str) -> None:
    aws.sagemaker.delete_inference_component(InferenceComponentName=name)
    eventually(
        lambda: (
            aws.sagemaker.list_inference_components(EndpointNameEquals=name)["InferenceComponents"]
            == []
        )
    )
    aws.delete(name)


@pytest.mark.parametrize("place", ["Endpoints", "InferenceComponents"])
def test_a_component_needs_a_permission_for_a_log_of_its_own(aws: Aws, place: str) -> None:
    """Of its endpoint's log it writes nothing."""
    pull = [allow(PULL[:2] + PULL[3:], REPOSITORY), allow(PULL[2])]
    write = ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"]
    logs = f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/sagemaker/{place}/*"
    role = Caller(aws, READ, *pull, allow(write, logs), service="sagemaker").arn
    name = component(aws, role)
    service_in(aws.gateway, SageMaker).flush()
    group = f"/aws/sagemaker/InferenceComponents/{name}"
    found = aws.client("logs").describe_log_groups(logGroupNamePrefix=group)["logGroups"]
    judged = [
        each.decision.allowed
        for each in aws.gateway.context.evaluator.trail
        if each.call.action == "logs:CreateLogGroup" and f":{group}" in each.call.resource
    ]
    may = place == "InferenceComponents"
    assert [one["logGroupName"] for one in found] == ([group] if may else [])
    assert judged == [may]
    remove(aws, name)


@pytest.mark.parametrize("missing", ["endpoint", "inference-component"])
def test_a_call_of_a_component_needs_a_permission_on_both(aws: Aws, missing: str) -> None:
    pull = [allow(PULL[:2] + PULL[3:], REPOSITORY), allow(PULL[2])]
    name = component(aws, Caller(aws, READ, *pull, service="sagemaker").arn)
    both = {
        kind: f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:{kind}/{name}"
        for kind in ("endpoint", "inference-component")
    }
    call = {"EndpointName": name, "InferenceComponentName": name, "Body": b"abc"}
    whole = Caller(aws, allow("sagemaker:InvokeEndpoint", list(both.values())))
    whole.client("sagemaker-runtime").invoke_endpoint(**call)
    left = [arn for kind, arn in both.items() if kind != missing]
    short = Caller(aws, allow("sagemaker:InvokeEndpoint", left))
    status, code, message = refusal(short.client("sagemaker-runtime").invoke_endpoint, **call)
    assert (status, code) == (403, "AccessDeniedException")
    assert both[missing] in message
    remove(aws, name)


@pytest.fixture
def key(aws: Aws) -> str:
    """A key whose policy hands over to the account's own policies, as CDK's do."""
    root = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
    statement = {"Effect": "Allow", "Principal": root, "Action": "kms:*", "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    arn: str = aws.client("kms").create_key(Policy=policy)["KeyMetadata"]["Arn"]
    return arn


def grants(key: str) -> dict[str, Any]:
    only = {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    return allow("kms:CreateGrant", key, Condition=only)


def denied(caller: Caller, key: str) -> tuple[int, str, str]:
    return (
        400,
        "AccessDeniedException",
        f"User: {caller.session.arn} is not authorized to perform: kms:CreateGrant on resource: "
        f"{key} because no identity-based policy allows the kms:CreateGrant action",
    )


def test_whoever_makes_or_moves_an_endpoint_may_make_grants_on_its_key(aws: Aws, key: str) -> None:
    """Developer guide, "API Permissions": CreateEndpoint; of a config it names none of KMS."""
    name = model(aws, Caller(aws, READ, allow(PULL), service="sagemaker").arn)
    without = Caller(aws, allow("sagemaker:*"))
    variant = {"VariantName": "v", "ModelName": name, "InitialInstanceCount": 1}
    without.client("sagemaker").create_endpoint_config(
        EndpointConfigName=name,
        KmsKeyId=key,
        ProductionVariants=[{**variant, "InstanceType": "ml.m5.large"}],
    )
    both = {"EndpointName": name, "EndpointConfigName": name}
    assert refusal(without.client("sagemaker").create_endpoint, **both) == denied(without, key)
    within = Caller(aws, allow("sagemaker:*"), grants(key))
    within.client("sagemaker").create_endpoint(**both)
    eventually(
        lambda: aws.sagemaker.describe_endpoint(EndpointName=name)["EndpointStatus"] == "InService"
    )
    assert refusal(without.client("sagemaker").update_endpoint, **both) == denied(without, key)
    within.client("sagemaker").update_endpoint(**both)
    eventually(
        lambda: aws.sagemaker.describe_endpoint(EndpointName=name)["EndpointStatus"] == "InService"
    )
    aws.delete(name)


@pytest.mark.parametrize(("of_role", "of_caller"), [(True, False), (False, True), (False, False)])
def test_a_jobs_role_or_its_caller_may_make_grants_on_its_key(
    aws: Aws, key: str, of_role: bool, of_caller: bool
) -> None:
    """The same, CreateTransformJob."""
    may = [READ, allow(PULL), allow("s3:*")]
    role = Caller(aws, *may, *([grants(key)] if of_role else []), service="sagemaker").arn
    caller = Caller(aws, allow("sagemaker:*"), *([grants(key)] if of_caller else []))
    aws.s3.put_object(Bucket="models", Key="in/a", Body=b"1")
    source = {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": "s3://models/in/"}}
    hosts = {"InstanceType": "ml.m5.large", "InstanceCount": 1, "VolumeKmsKeyId": key}
    asked = {
        "TransformJobName": f"job-{next(numbers)}",
        "ModelName": model(aws, role),
        "TransformInput": {"DataSource": source},
        "TransformOutput": {"S3OutputPath": "s3://models/out/"},
        "TransformResources": hosts,
    }
    create = caller.client("sagemaker").create_transform_job
    if of_role or of_caller:
        create(**asked)
    else:
        assert refusal(create, **asked) == denied(caller, key)


def test_a_jobs_role_needs_to_list_its_input_and_to_write_its_output(aws: Aws) -> None:
    aws.s3.put_object(Bucket="models", Key="in/a", Body=b"1")
    blind = Caller(aws, READ, allow(PULL), service="sagemaker").arn
    status, code, message = refusal(job, aws=aws, source="in/", ModelName=model(aws, blind))
    assert (status, code) == (400, "ValidationException")
    assert f'and that the role "{blind}" has "s3:ListBucket" permissions on bucket' in message
    mute = Caller(aws, READ, allow([*PULL, "s3:ListBucket"]), service="sagemaker").arn
    failed = ended(aws, job(aws, "in/", ModelName=model(aws, mute)))
    assert failed["FailureReason"].startswith("ClientError: ")
    assert "not authorized to perform: s3:PutObject" in failed["FailureReason"]
