"""A SageMaker Model: one container, or several in line, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
import jsii
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.model.container import AnyContainer, Container, MultiModelContainer
from sagemaker_serving.infra.model.image import ContainerImage, Host
from sagemaker_serving.infra.model.model_data import ModelData
from sagemaker_serving.infra.network.network import connections_of, network_of
from sagemaker_serving.infra.roles.execution_role import ExecutionRole
from sagemaker_serving.infra.synth.content_identity import identify_by_content
from sagemaker_serving.infra.synth.fields import add_extra, add_unknown, properties_of
from sagemaker_serving.infra.synth.tokens import stands_in

if TYPE_CHECKING:
    from sagemaker_serving.catalog.accelerators import Accelerator
    from sagemaker_serving.infra.network.network import Network


@jsii.implements(iam.IGrantable, ec2.IConnectable)
class Model(Construct):
    """A Model with one container, or a serial pipeline of up to 15.

    It has no physical name and its logical id carries its content, so any
    change makes a new Model, which the endpoint moves to before the old one
    goes. It waits for its role's policy, without which creation races IAM.

    One container is said by ``image``, ``environment`` and, unless the image brings or fetches its
    model by itself, ``model_data``. Several, a multi-model one and a model package are said by
    ``containers``. In a pipeline each
    one's answer is the next one's request.

    :param role: what the containers may do; images and archives grant it theirs. Absent, an
        `ExecutionRole` is made.
    :param instance_type: what it will run on; decides which of AWS's images is
        taken. None for serverless, which runs on CPUs.
    :param environment: the container's variables, at most 100.
    :param vpc: a VPC that the containers stand in; absent, SageMaker's own network. S3 and
        CloudWatch have to be reached from there.
    :param vpc_subnets: which of its subnets; its private or isolated ones unless given.
    :param security_groups: 1 to 5; one that nobody may call unless given.
    :param network: the same by ids, or what several models share, instead of these three.
    :param network_isolation: whether the container can call nobody at all, S3 and
        CloudWatch included. SageMaker fetches the archive itself, but nothing can be
        installed as it starts: what ``inference.py`` imports has to lie in ``code/lib``.
    :param extra: properties by CloudFormation's own names, laid over these.
    :param accelerator: the Elastic Inference accelerator that hangs on its instances, which AWS
        has ended: it renders what CloudFormation once took.

    Raises `Mistake` without any container, with both ways of saying one, and with over 15.
    Source: API reference, CreateModel.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        role: iam.IRole | None = None,
        instance_type: str | None,
        image: ContainerImage | None = None,
        model_data: ModelData | None = None,
        environment: Mapping[str, str] | None = None,
        containers: Sequence[AnyContainer] = (),
        network: Network | None = None,
        vpc: ec2.IVpc | None = None,
        vpc_subnets: ec2.SubnetSelection | None = None,
        security_groups: Sequence[ec2.ISecurityGroup] = (),
        network_isolation: bool = False,
        accelerator: Accelerator | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        stack = stands_in(self, scope)
        role = role if role is not None else ExecutionRole(self, "Role")
        self.role = role
        """The role that the containers act under."""
        network = network_of(self, network, vpc, vpc_subnets, security_groups)
        self.network = network
        """Where its containers stand; None for SageMaker's own network."""
        self.accelerator = accelerator
        """What hangs on its instances."""
        host = Host(role=role, instance_type=instance_type, accelerator=accelerator)
        self._containers = _containers(self, image, model_data, environment, containers)
        bound = [container.bind(self, host) for container in self._containers]
        definitions = [container.definition for container in bound]
        self.images = [parse_ecr_uri(each["Image"]) for each in definitions if "Image" in each]
        """Its containers' images in ECR; None for one whose name is not known yet."""
        alone = len(definitions) == 1
        members = {
            "ExecutionRoleArn": role.role_arn,
            "PrimaryContainer": definitions[0] if alone else None,
            "Containers": None if alone else definitions,
            "EnableNetworkIsolation": True if network_isolation else None,
            "VpcConfig": None if network is None else network.members,
        }
        self._resource = resource = sagemaker.CfnModel(self, "Resource", **properties_of(members))
        add_unknown(resource, members)
        add_extra(resource, extra if extra is not None else {})
        if network is not None:
            network.bind(self, role)
        self.identity = identify_by_content(
            stack,
            resource,
            [
                *[container.identity for container in bound],
                network_isolation,
                None if network is None else network.content,
                *([extra] if extra else []),
            ],
        )
        """The Model's logical id, which carries its content."""
        grants = [container.grant for container in bound if container.grant is not None]
        if grants:
            grants[0].apply_before(resource)
        else:
            resource.node.add_dependency(role)
        self.model_name = resource.attr_model_name
        """The Model's generated name (a token)."""

    def keep_replaced(self) -> None:
        """Keeps the Model when a deploy replaces it or its stack goes, unless that deploy fails: it
        costs nothing. Source: CloudFormation user guide, DeletionPolicy, RetainExceptOnCreate."""
        self._resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)

    @property
    def grant_principal(self) -> iam.IPrincipal:
        """Its role's: ``bucket.grant_read(model)`` lets the containers read."""
        return self.role.grant_principal

    @property
    def connections(self) -> ec2.Connections:
        """Who may call whom: ``database.connections.allow_default_port_from(model)``.

        Raises `Mistake` for a Model that stands in no VPC.
        """
        return connections_of(self, self.network)

    @property
    def requests_alone(self) -> bool | None:
        """Whether its first container takes one whole request, ``{"instances": …}``, in a body and
        no more, as TensorFlow Serving does without a script; None: perhaps."""
        return self._containers[0].requests_alone

    @property
    def is_multi_model(self) -> bool:
        """Whether it loads models as requests name them."""
        return any(isinstance(container, MultiModelContainer) for container in self._containers)

    @property
    def is_batching(self) -> bool:
        """Whether TensorFlow Serving joins requests in it, and refuses those that are larger."""
        return any(container.is_batching for container in self._containers)


def _containers(
    model: Model,
    image: ContainerImage | None,
    model_data: ModelData | None,
    environment: Mapping[str, str] | None,
    containers: Sequence[AnyContainer],
) -> Sequence[AnyContainer]:
    said_alone = (image, model_data, environment) != (None, None, None)
    if said_alone == bool(containers):
        what = "both" if containers else "neither"
        raise Mistake(
            f"{model.node.path}: {what} of image and containers is given; give image and "
            "model_data for one container, or containers"
        )
    if len(containers) > 15:
        raise Mistake(
            f"{model.node.path}: there are {len(containers)} containers; a model takes 1 to 15"
        )
    if containers:
        return containers
    if image is None:
        raise Mistake(f"{model.node.path}: image is missing; give the one that serves the model")
    return [
        Container(
            image=image,
            model_data=model_data,
            environment=environment if environment is not None else {},
        )
    ]
