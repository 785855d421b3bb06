"""An app that has roles, keys, logs and a VPC already, and constructs that are given them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk.assertions import Annotations, Match, Template

from sagemaker_serving.infra import (
    BatchTransform,
    BatchTransformSettings,
    CompilationJob,
    ContainerImage,
    DataCapture,
    Endpoint,
    EndpointConfig,
    EndpointMonitoring,
    EndpointPolicy,
    InferenceRouter,
    InstanceVariant,
    Model,
    ModelArchives,
    ModelData,
    NeoCompilation,
    NeoCompiler,
    RoutingTarget,
    S3Prefix,
    WatchedVariant,
)
from sagemaker_serving.infra.synth.tokens import as_text

ACCOUNT, REGION = "111122223333", "eu-west-1"
KNOWN = {"AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": ACCOUNT}
ROLES = ("models", "functions", "machines", "flows", "rules")
IMAGE = ContainerImage.from_catalog("tensorflow", "2.20")
JOB = CompilationJob(
    framework="TENSORFLOW",
    framework_version="2.9",
    data_input_config='{"input": [1, 2]}',
    target_device="ml_c5",
)


@dataclass
class Theirs:
    """What somebody's stack has before ours is added."""

    stack: cdk.Stack
    roles: dict[str, Any]
    vpc: Any
    group: Any
    key: Any
    bucket: Any
    log: Any
    topic: Any
    topic_key: Any = None


@dataclass(frozen=True, kw_only=True)
class Names:
    """What there is in an account, the roles behind a prefix, and the stack that is to use it."""

    stack: str = "Theirs"
    account: str = ACCOUNT
    roles: str = ""
    key: str = "theirs"
    vpc: str = "vpc-theirs"
    subnet: str = "subnet-theirs"
    group: str = "sg-theirs"


def imported(bench: Any, *, mutable: bool = False) -> Theirs:
    """Everything made elsewhere; roles that take no policies, unless told otherwise."""
    return imported_into(bench.app, Names(), mutable=mutable)


def imported_into(app: cdk.App, names: Names, *, mutable: bool) -> Theirs:
    """The same of an account where it is called so."""
    account = names.account
    stack = cdk.Stack(app, names.stack, env=cdk.Environment(region=REGION, account=account))
    arn = f"arn:aws:%s:{REGION}:{account}:%s"
    role_arn = f"arn:aws:iam::{account}:role/{names.roles}"
    key = kms.Key.from_key_arn(stack, "Key", arn % ("kms", f"key/{names.key}"))
    return Theirs(
        stack=stack,
        roles={
            name: iam.Role.from_role_arn(
                stack,
                name.title(),
                f"{role_arn}{name}",
                mutable=mutable,
            )
            for name in ROLES
        },
        vpc=ec2.Vpc.from_vpc_attributes(
            stack,
            "Vpc",
            vpc_id=names.vpc,
            availability_zones=["eu-west-1a"],
            private_subnet_ids=[names.subnet],
        ),
        group=ec2.SecurityGroup.from_security_group_id(stack, "Group", names.group),
        key=key,
        bucket=s3.Bucket.from_bucket_attributes(
            stack, "Bucket", bucket_name="theirs", encryption_key=key
        ),
        log=logs.LogGroup.from_log_group_name(stack, "Log", "/theirs"),
        topic=sns.Topic.from_topic_arn(stack, "Topic", arn % ("sns", "theirs")),
    )


def add_everything(have: Theirs, *, compiles: bool = True) -> BatchTransform:
    """Every construct that makes what somebody may have, given theirs instead."""
    stack, roles = have.stack, have.roles
    written = {"function_role": roles["functions"], "log_group": have.log}
    model = Model(
        stack,
        "Model",
        role=roles["models"],
        instance_type="ml.c5.large",
        image=IMAGE,
        model_data=ModelData.from_bucket(have.bucket, "models/half.tar.gz"),
        vpc=have.vpc,
        security_groups=[have.group],
    )
    config = EndpointConfig(
        stack,
        "Config",
        variants=[InstanceVariant(name="a", model=model, instance_type="ml.c5.large")],
        data_capture=DataCapture(destination=_below(have, "captured"), sampling_percent=100),
        encryption_key=have.key,
    )
    ModelArchives(
        stack,
        "Archives",
        place=_below(have, "many"),
        state_machine_role=roles["machines"],
        **written,
    )
    compiler = NeoCompiler(
        stack,
        "Compiler",
        bucket=have.bucket,
        vpc=have.vpc,
        security_groups=[have.group],
        job_role=roles["models"],
        state_machine_role=roles["machines"],
        **written,
    )
    if compiles:
        source = ModelData.from_bucket(have.bucket, "models/frozen.tar.gz")
        NeoCompilation(stack, "Compiled", compiler=compiler, model_data=source, job=JOB)
    name = stack.stack_name.lower()
    endpoint = Endpoint(stack, "Endpoint", endpoint_name=name, endpoint_config=config)
    InferenceRouter(
        stack,
        "Router",
        router_name=name,
        routing_targets={"a": RoutingTarget(destinations=[endpoint])},
        state_machine_role=roles["machines"],
        **written,
    )
    EndpointPolicy(
        stack,
        "Let",
        endpoint=endpoint,
        router_arns=[f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:inference-router/another"],
        state_machine_role=roles["machines"],
        **written,
    )
    EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name=name,
        variants=[WatchedVariant(name="a", instance_type="ml.c5.large")],
        topic=have.topic,
        log_group=have.log,
    )
    return BatchTransform(
        stack,
        "Batch",
        model=model,
        job_role=roles["models"],
        settings=BatchTransformSettings(instance_type="ml.m5.large"),
        inputs=_below(have, "in"),
        outputs=_below(have, "out"),
        work=_below(have, "work"),
        reports=_below(have, "reports"),
        state_machine_role=roles["machines"],
        notification_role=roles["rules"],
        encryption_key=have.key,
        topic=have.topic,
        topic_key=have.topic_key,
        **written,
    )


def _below(have: Theirs, prefix: str) -> S3Prefix:
    return S3Prefix(bucket=have.bucket, prefix=prefix)


Permission = tuple[str, str, str]


def warnings(have: Theirs) -> list[str]:
    found = Annotations.from_stack(have.stack).find_warning("*", Match.any_value())
    return [str(each.entry.data) for each in found]


def warned(have: Theirs) -> dict[str, set[Permission]]:
    """What each role that takes no policies is said to need."""
    return {name: set(_permissions(each)) for name, each in documents_warned_of(have).items()}


def documents_warned_of(have: Theirs) -> dict[str, list[dict[str, Any]]]:
    """The statements that are to be added to each role that takes no policies."""
    said = {}
    for text in warnings(have):
        if "takes no policies" in text:
            name = text.split("role/")[1].split()[0].rpartition("-")[2]
            said[name] = json.loads(text[text.index("\n") : text.rindex("[ack")])["Statement"]
    return said


def attached(have: Theirs) -> dict[str, set[Permission]]:
    """What the policies of the template let each role, by its name."""
    template = Template.from_stack(have.stack)
    names = {
        logical_id: role["Properties"]["RoleName"]
        for logical_id, role in template.find_resources("AWS::IAM::Role").items()
        if "RoleName" in role["Properties"]
    }
    found: dict[str, set[Permission]] = {name: set() for name in ROLES}
    for policy in template.find_resources("AWS::IAM::Policy").values():
        for role in policy["Properties"]["Roles"]:
            name = role if isinstance(role, str) else names[role["Ref"]]
            statements = policy["Properties"]["PolicyDocument"]["Statement"]
            found[name] |= set(_permissions(statements, names))
    return found


def _permissions(statements: Any, names: dict[str, str] | None = None) -> Iterator[Permission]:
    roles = {f"{logical_id}.Arn": name for logical_id, name in (names or {}).items()}

    def shown(name: str) -> str:
        if name in roles:
            return f"arn:aws:iam::{ACCOUNT}:role/{roles[name]}"
        return KNOWN.get(name, f"${{{name}}}")

    for statement in statements:
        actions, resources = statement["Action"], statement["Resource"]
        condition = json.dumps(statement.get("Condition"), sort_keys=True)
        for reference in ("Ref", "Fn::Sub"):
            condition = condition.replace(f'{{"{reference}": "AWS::AccountId"}}', f'"{ACCOUNT}"')
        for action in [actions] if isinstance(actions, str) else actions:
            for resource in resources if isinstance(resources, list) else [resources]:
                yield action, as_text(resource, shown), condition
