"""A SageMaker Model: an image, an archive, and the container's environment."""

from __future__ import annotations

from collections.abc import Mapping

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.infra.content_identity import identify_by_content
from sagemaker_serving.infra.image import ContainerImage
from sagemaker_serving.infra.model_data import ModelData


class Model(Construct):
    """A Model with one container.

    It has no physical name and its logical id carries its content, so any
    change makes a new Model, which the endpoint moves to before the old one
    goes. It waits for its role's policy, without which creation races IAM.

    :param role: what the container may do; the image and the archive grant it theirs.
    :param instance_type: what it will run on; decides which of AWS's images is taken.
    :param environment: the container's variables, at most 100.
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
    ) -> None:
        super().__init__(scope, construct_id)
        variables = dict(environment) if environment is not None else {}
        image_uri = image.bind(self, role, instance_type)
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
        )
        identify_by_content(resource, [role.role_arn, image_uri, data.identity, variables])
        resource.node.add_dependency(role)
        self.model_name = resource.attr_model_name
        """The Model's generated name (a token)."""
