"""Archives that a deploy puts below the prefix of a multi-model endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra.functions.machine_provider import MachineProvider
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
    nothing. An archive that an earlier deploy has put there is not copied again. A state machine
    copies, so that many or large archives have CloudFormation's hour, not a function's 15 minutes.
    What it puts there stays when the stack goes. An endpoint that has loaded an archive does not
    see another under the same name: give new content a new one.

    :param place: where they are put.
    :param archives: by the name that requests give as TargetModel, without ``.tar.gz``.
    :param function_role: what both functions run as; made here unless given, and so is the next.
    :param state_machine_role: what the state machine runs as.
    :param log_group: what functions and machine write to; made here, three of them, unless given.
    :param retain_logs: whether the logs made here outlive the stack.
    :param encryption_key: encrypts these logs, and CloudWatch Logs is let use it; absent,
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
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        stands_in(self, scope)
        self.place = place
        """Where the archives are."""
        provider = MachineProvider(
            self,
            package="model_archives",
            then="copy",
            when="ready",
            function_role=function_role,
            state_machine_role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        role = provider.work.role
        given = archives if archives is not None else {}
        bound = {f"{name}.tar.gz": data.bind(self, role) for name, data in given.items()}
        of = "Archives of a multi-model endpoint"
        grant = place.grant_write(role, of=of)
        grant = grant.combine(place.grant_read(role, of=of))
        resource = cdk.CfnResource(
            self,
            # Not "Resource", which another function once served: CloudFormation takes no other
            # ServiceToken for a resource that is there (user guide, custom resources).
            "Placed",
            type="Custom::ModelArchives",
            properties={
                "ServiceToken": provider.service_token,
                "Bucket": place.bucket.bucket_name,
                "Prefix": f"{place.prefix.strip('/')}/",
                "Archives": {name: data.url for name, data in bound.items()},
                "Contents": {name: data.identity for name, data in bound.items()},
            },
        )
        grant.apply_before(resource)
        resource.node.add_dependency(provider.given_up)
