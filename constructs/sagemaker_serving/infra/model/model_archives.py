"""Archives that a deploy puts below the prefix of a multi-model endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.model.model_data import ModelData
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.tokens import stands_in

if TYPE_CHECKING:
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs


class ModelArchives(Construct):
    """Copies archives to where a multi-model endpoint looks for them, before its Model is made.

    Even without any it makes the prefix exist: CreateModel refuses one below which there is
    nothing. An archive that an earlier deploy has put there is not copied again. What it puts there
    stays when the stack goes. An endpoint that has loaded an archive does not see another under the
    same name: give new content a new one.

    :param place: where they are put.
    :param archives: by the name that requests give as TargetModel, without ``.tar.gz``.
    :param function_role: what the function that copies runs as; made here unless given.
    :param log_group: what it writes to; its own unless given.
    :param retain_logs: whether its own log outlives the stack.
    :param encryption_key: encrypts that log, and CloudWatch Logs is let use it; absent,
        CloudWatch's own key does.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        place: S3Prefix,
        archives: Mapping[str, ModelData] | None = None,
        function_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        stands_in(self, scope)
        self.place = place
        """Where the archives are."""
        function = OwnFunction(
            self,
            "Copy",
            package="model_archives",
            handler="place.handler",
            shares=("functions/custom_resource",),
            timeout=cdk.Duration.minutes(15),
            memory_size_mb=512,
            role=function_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        given = archives if archives is not None else {}
        bound = {f"{name}.tar.gz": data.bind(self, function.role) for name, data in given.items()}
        of = "Archives of a multi-model endpoint"
        grant = place.grant_write(function.role, of=of)
        grant = grant.combine(place.grant_read(function.role, of=of))
        resource = cdk.CfnResource(
            self,
            "Resource",
            type="Custom::ModelArchives",
            properties={
                "ServiceToken": function.function.function_arn,
                "Bucket": place.bucket.bucket_name,
                "Prefix": f"{place.prefix.strip('/')}/",
                "Archives": {name: data.url for name, data in bound.items()},
                "Contents": {name: data.identity for name, data in bound.items()},
            },
        )
        grant.apply_before(resource)
