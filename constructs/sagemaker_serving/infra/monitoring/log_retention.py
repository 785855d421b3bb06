"""Log groups that a service makes by itself, with an end and perhaps a key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
import jsii
from constructs import Construct

from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.arns import colon_arn
from sagemaker_serving.infra.synth.granting import grant

if TYPE_CHECKING:
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_lambda as lambda_


class LogRetention(Construct):
    """Keeps log groups for some days, whoever makes them first: this, or the service.

    CloudFormation's AWS::Logs::LogGroup fails where a group is there, as that of an endpoint is
    once a container has written. So a function makes those that are missing. ``groups`` has a
    custom resource for each, in the order of ``names``; what writes to a group should depend on
    its own, or that is made without a tag and outlives the stack.

    ``names`` are the groups' by the ids of these resources. ``retain`` keeps those that were
    made here, too, when the stack goes.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        names: Mapping[str, str],
        days: int,
        retain: bool,
        encryption_key: kms.IKey | None,
        function_role: iam.IRole | None,
    ) -> None:
        super().__init__(scope, construct_id)
        # With a key the function has a log of its own, for whose sake CloudWatch Logs may use it.
        keeper = OwnFunction(
            self,
            "Keep",
            package="log_retention",
            handler="keep.handler",
            shares=("functions/custom_resource",),
            timeout=cdk.Duration.minutes(5),
            role=function_role,
            retain_logs=retain,
            encryption_key=encryption_key,
        )
        arns = {name: colon_arn(self, "logs", "log-group", name) for name in names.values()}
        given = self._grant(keeper.role, list(arns.values()))
        tags = cdk.Lazy.any(_TagsOf(keeper.function))
        self.groups = [
            cdk.CfnResource(
                self,
                resource_id,
                type="Custom::LogRetention",
                properties={
                    "ServiceToken": keeper.function.function_arn,
                    "LogGroupName": name,
                    "LogGroupArn": arns[name],
                    "RetentionInDays": days,
                    "Retain": retain,
                    "KmsKeyId": None if encryption_key is None else encryption_key.key_arn,
                    "Tags": tags,
                },
            )
            for resource_id, name in names.items()
        ]
        for group in self.groups:
            given.apply_before(group)

    def _grant(self, role: iam.IRole, arns: list[str]) -> iam.Grant:
        """What is done to a group is asked for by its ARN, or by that with ``:*`` behind it: the
        service authorization reference has both."""
        of_group = [
            *("CreateLogGroup", "DeleteLogGroup", "PutRetentionPolicy"),
            *("AssociateKmsKey", "DisassociateKmsKey"),
            *("ListTagsForResource", "TagResource", "UntagResource"),
        ]
        both = [arn for one in arns for arn in (one, f"{one}:*")]
        for arn in both[1::2]:
            acknowledge_wildcard(role, arn, "The ARN of a log group ends with it, or does not")
        return grant(role, [f"logs:{action}" for action in of_group], *both)


@jsii.implements(cdk.IStableAnyProducer)
class _TagsOf:
    """The tags that the app's ``cdk.Tags`` gave a function: a custom resource is given none."""

    def __init__(self, function: lambda_.Function) -> None:
        self._function = function

    def produce(self) -> Any:
        resource: Any = self._function.node.default_child
        tags = resource.tags.tag_values()
        return dict(tags) if tags else None
