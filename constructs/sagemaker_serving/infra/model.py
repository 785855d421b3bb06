"""A SageMaker Model: an image, an archive, and the container's environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.infra.content_identity import identify_by_content
from sagemaker_serving.infra.image import ContainerImage
from sagemaker_serving.infra.model_data import ModelData
from sagemaker_serving.infra.tokens import stands_in

if TYPE_CHECKING:
    from sagemaker_serving.infra.network import Network


class Model(Construct):
    """A Model with one container.

    It has no physical name and its logical id carries its content, so any
    change makes a new Model, which the endpoint moves to before the old one
    goes. It waits for its role's policy, without which creation races IAM.

    :param role: what the container may do; the image and the archive grant it theirs.
    :param instance_type: what it will run on; decides which of AWS's images is taken.
    :param environment: the container's variables, at most 100.
    :param network: the subnets that the containers stand in; absent, SageMaker's own.
    :param network_isolation: whether the container can call nobody at all, S3 and
        CloudWatch included. SageMaker fetches the archive itself, but nothing can be
        installed as it starts: what ``inference.py`` imports has to lie in ``code/lib``.
    :param accelerated: whether the image is the one for Elastic Inference, which AWS has ended.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        role: iam.IRole,
        image: ContainerImage,
        model_data: ModelData,
        instance_type: str,
        environment: Mapping[str, str] | None = None,
        network: Network | None = None,
        network_isolation: bool = False,
        accelerated: bool = False,
    ) -> None:
        super().__init__(scope, construct_id)
        stack = stands_in(self, scope)
        variables = dict(environment) if environment is not None else {}
        image_uri = image.bind(self, role, instance_type, accelerated=accelerated)
        data = model_data.bind(self, role)
        resource = sagemaker.CfnModel(
            self,
            "Resource",
            execution_role_arn=role.role_arn,
            primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
                image=image_uri,
                model_data_url=data.url,
                environment=variables,
            ),
            enable_network_isolation=True if network_isolation else None,
            vpc_config=None if network is None else _vpc_config(network),
        )
        if network is not None:
            network.bind(self, role)
        self.identity = identify_by_content(
            stack,
            resource,
            [
                image_uri,
                data.identity,
                variables,
                network_isolation,
                None if network is None else vars(network),
            ],
        )
        """The Model's logical id, which carries its content."""
        data.grant.apply_before(resource)
        self.model_name = resource.attr_model_name
        """The Model's generated name (a token)."""


def _vpc_config(network: Network) -> sagemaker.CfnModel.VpcConfigProperty:
    return sagemaker.CfnModel.VpcConfigProperty(
        subnets=list(network.subnet_ids), security_group_ids=list(network.security_group_ids)
    )
