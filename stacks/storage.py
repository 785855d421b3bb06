"""The stateful stack of an environment: the bucket for batch data, its key, the alarms' topic."""

from __future__ import annotations

from collections.abc import Iterator

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.infra import DataBucket
from sagemaker_serving.infra.batch.batch_transform import WORK_DAYS
from sagemaker_serving.infra.synth.acknowledge import ANYBODY_IN_A_KEY, acknowledge
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.environment import parameter_name
from sagemaker_serving.spec.places import ASYNC, BATCH_PLACES, CAPTURED, ROUTED
from stacks.monitoring import add_alarm_topic
from stacks.own_stack import OwnStack


class StorageStack(OwnStack):
    """The data bucket, kept apart from what is replaced at every deploy.

    Names leave as SSM parameters, not as exports, so that no stack locks another.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        env: cdk.Environment,
    ) -> None:
        at_destroy = environment.storage.at_destroy
        if at_destroy is None:
            at_destroy = "keep" if environment.production else "stop"
        super().__init__(
            scope,
            construct_id,
            environment=environment,
            env=env,
            description=f"Data of {environment.name}'s models; {_AT_DESTROY[at_destroy]}",
        )
        data = DataBucket(
            self,
            "Data",
            retain=at_destroy == "keep",
            empty=at_destroy == "empty",
            customer_key=environment.storage.kms,
            expires=dict(_expiring(environment)),
            tells_of_objects=any(
                model.batch_transform is not None and model.batch_transform.arrivals is not None
                for model in environment.models.values()
            ),
        )
        ssm.StringParameter(
            self,
            "BucketName",
            parameter_name=_bucket_name(environment),
            string_value=data.bucket.bucket_name,
        )
        if data.key is not None:
            _let_roles_decrypt(data.key, environment)
            ssm.StringParameter(
                self, "KeyArn", parameter_name=_key_arn(environment), string_value=data.key.key_arn
            )
        cdk.CfnOutput(self, "DataBucketName", value=data.bucket.bucket_name)
        cdk.CfnOutput(self, "AtDestroy", value=_AT_DESTROY[at_destroy])
        add_alarm_topic(self, environment, data.key)


def _let_roles_decrypt(key: kms.Key, environment: Environment) -> None:
    """Lets the environment's roles read what S3 encrypted with the key, by the key's own policy.

    Their policies name the key only while the file has ``kms: true``. The key and its policy stay,
    so what it encrypted can be read after that, too. Whoever has no such role needs a grant of the
    key, as before. AWS's policy of ``aws/ebs`` lets an account in by the same principal and
    conditions (KMS developer guide, "AWS KMS condition keys", kms:CallerAccount). The roles are
    those of the models' stacks: ``prod-*`` would let in whatever an account names so.
    """
    started = [
        f"{environment.stack_name(name)}-"[:_KEPT_OF_STACK_NAMES] for name in environment.models
    ]
    # In the file's order: that of a set is another at each synth, and each deploy a change.
    names = dict.fromkeys(
        [*(f"{each}*" for each in started), *environment.organization.roles.values()]
    )
    roles = [f"arn:{cdk.Aws.PARTITION}:iam::{cdk.Aws.ACCOUNT_ID}:role/{name}" for name in names]
    key.add_to_resource_policy(
        iam.PolicyStatement(
            principals=[iam.AnyPrincipal()],
            actions=["kms:Decrypt"],
            resources=["*"],
            conditions={
                "StringEquals": {"kms:CallerAccount": cdk.Aws.ACCOUNT_ID},
                # In China the name ends in .cn.
                "StringLike": {"kms:ViaService": f"s3.{cdk.Aws.REGION}.amazonaws.com*"},
                "ArnLike": {"aws:PrincipalArn": roles},
            },
        )
    )
    acknowledge(
        key,
        ANYBODY_IN_A_KEY,
        "Its conditions leave the environment's own roles of this account, through S3 alone",
    )


_KEPT_OF_STACK_NAMES = 20
"""So much of a stack's name stands in its roles' names in any case. These have 64 characters
(botocore, CreateRole), of which CloudFormation gives each part some: 22 in one that it has cut,
which is public (aws-amplify/amplify-backend#2615)."""

_AT_DESTROY = {
    "keep": "its bucket outlives it",
    "empty": "its bucket is emptied and deleted with it",
    "stop": "it cannot be deleted while anything is in its bucket",
}


def _expiring(environment: Environment) -> Iterator[tuple[str, int]]:
    """The prefixes whose objects are deleted, each with after how many days."""
    expire, routed = environment.storage.expire, dict[str, int]()
    for name, model in environment.models.items():
        if model.batch_transform is not None:
            yield f"{name}/{BATCH_PLACES['work']}/", WORK_DAYS
            if expire.batch_output_days is not None:
                yield f"{name}/{BATCH_PLACES['output']}/", expire.batch_output_days
        if model.data_capture is not None and expire.captured_days is not None:
            prefix = model.data_capture.prefix
            yield f"{f'{name}/{CAPTURED}' if prefix is None else prefix}/", expire.captured_days
        if model.asynchronous is not None and expire.async_days is not None:
            yield f"{name}/{ASYNC}/", expire.async_days
            for target in environment.asynchronous_targets(name):
                routed[f"{ROUTED}/{target}/"] = expire.async_days
    yield from routed.items()


def data_bucket(scope: Construct, environment: Environment) -> s3.IBucket:
    """The environment's data bucket, for a stack that did not make it."""
    existing = scope.node.try_find_child("DataBucket")
    if existing is not None:
        return existing  # type: ignore[return-value]
    return s3.Bucket.from_bucket_attributes(
        scope,
        "DataBucket",
        bucket_name=ssm.StringParameter.value_for_string_parameter(
            scope, _bucket_name(environment)
        ),
        encryption_key=data_key(scope, environment),
    )


def data_key(scope: Construct, environment: Environment) -> kms.IKey | None:
    """The environment's key, for a stack that did not make it; None where S3's own is used."""
    if not environment.storage.kms:
        return None
    existing = scope.node.try_find_child("DataKey")
    if existing is not None:
        return existing  # type: ignore[return-value]
    key_arn = ssm.StringParameter.value_for_string_parameter(scope, _key_arn(environment))
    return kms.Key.from_key_arn(scope, "DataKey", key_arn)


def _bucket_name(environment: Environment) -> str:
    return parameter_name(environment.name, "storage", "bucket-name")


def _key_arn(environment: Environment) -> str:
    return parameter_name(environment.name, "storage", "key-arn")
