"""What every part of a model's stack is made with: its role, network, bucket and containers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import aws_cdk as cdk
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.infra import (
    Container,
    ContainerImage,
    ExecutionRole,
    Model,
    ModelArchives,
    ModelPackage,
    MultiModelContainer,
    S3Prefix,
)
from sagemaker_serving.infra.model.container import AnyContainer
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec import Container as ContainerSpec
from sagemaker_serving.spec import (
    Environment,
    InferenceComponent,
    InstanceVariant,
    MultiModel,
    PipelineContainer,
)
from sagemaker_serving.spec import ModelPackage as ModelPackageSpec
from sagemaker_serving.spec.container import S3Artifact
from sagemaker_serving.spec.environment import parameter_name
from sagemaker_serving.spec.places import ARCHIVES
from stacks.artifacts import bucket_of_models, model_data
from stacks.compiled import CompiledModels
from stacks.kept_versions import kept_below
from stacks.network import network_of
from stacks.storage import data_bucket, data_key


class ServingScope:
    """One model of an environment, and the stack that its parts are added to."""

    def __init__(
        self, stack: cdk.Stack, *, environment: Environment, model: str, folder: Path
    ) -> None:
        self.stack = stack
        """The stack."""
        self.environment = environment
        """The environment that the model is deployed to."""
        self.name = model
        """The model's name in it."""
        self.spec = environment.models[model]
        """What the environment's file says of it."""
        self.folder = folder
        """Where the relative paths of the environment's file start."""
        self.role = ExecutionRole(stack, "ExecutionRole")
        """The role that its containers act under."""
        self.network = network_of(stack, environment)
        """Where its containers stand, None for SageMaker's own network."""

    @cached_property
    def compiled(self) -> CompiledModels:
        """The models that SageMaker Neo compiles before they are served."""
        return CompiledModels(
            self.stack,
            environment=self.environment,
            model=self.name,
            folder=self.folder,
            network=self.network,
        )

    @cached_property
    def bucket(self) -> s3.IBucket:
        """The environment's bucket."""
        return data_bucket(self.stack, self.environment)

    @cached_property
    def key(self) -> kms.IKey | None:
        """The environment's key, None where services encrypt with their own."""
        return data_key(self.stack, self.environment)

    def prefix(self, path: str) -> S3Prefix:
        """A place of this model's own in the environment's bucket."""
        return S3Prefix(bucket=self.bucket, prefix=f"{self.name}/{path}")

    def publish(self, output: str, parameter: str, value: str) -> None:
        """Tells ``value`` as an output of the stack and as an SSM parameter."""
        cdk.CfnOutput(self.stack, output, value=value)
        ssm.StringParameter(
            self.stack,
            f"{output}Parameter",
            parameter_name=parameter_name(self.environment.name, self.name, parameter),
            string_value=value,
        )

    def topic(self, construct_id: str, wanted: str | None) -> sns.ITopic | None:
        """The topic that the file names, or ``new``: one made here, told as ``<id>Arn``."""
        if wanted is None:
            return None
        if wanted != "new":
            return sns.Topic.from_topic_arn(self.stack, construct_id, wanted)
        topic = sns.Topic(
            self.stack,
            construct_id,
            enforce_ssl=True,
            master_key=self._key_of_sns if self.key is None else self.key,
        )
        kind = construct_id.removesuffix("Topic").lower()
        self.publish(f"{construct_id}Arn", f"{kind}-topic", topic.topic_arn)
        return topic

    @cached_property
    def _key_of_sns(self) -> kms.IKey:
        return kms.Alias.from_alias_name(self.stack, "KeyOfSns", "alias/aws/sns")

    def model(
        self,
        scope: Construct,
        construct_id: str,
        above: ContainerSpec | None,
        instance_type: str | None,
    ) -> Model:
        """A Model of what the file says, with ``above`` laid over it, for ``instance_type``.

        An endpoint of inference components says itself where its containers stand.
        """
        shares_instances = bool(self.spec.inference_components)
        isolated = self.spec.container(above).network_isolation
        accelerator = above.accelerator_type if isinstance(above, InstanceVariant) else None
        return Model(
            scope,
            construct_id,
            role=self.role,
            containers=self._containers(above),
            instance_type=instance_type,
            network=None if shares_instances else self.network,
            network_isolation=isolated and not shares_instances,
            accelerator=Accelerator.named(accelerator),
            extra=self.spec.extra.model,
        )

    @property
    def models_of_components(self) -> dict[str, InferenceComponent]:
        """The inference components that run a model, and are no adapter, by name."""
        each = self.spec.inference_components.items()
        return {name: part for name, part in each if isinstance(part, InferenceComponent)}

    def _containers(self, above: ContainerSpec | None) -> Sequence[AnyContainer]:
        if self.spec.model_package is not None:
            return [self._package(self.spec.model_package, self.spec.container(above))]
        if self.spec.multi_model is not None:
            return [self._multi_model(self.spec.multi_model, self.spec.container(above))]
        parts: Sequence[ContainerSpec | None] = self.spec.containers or [above]
        return [self._container(part) for part in parts]

    def _package(self, spec: ModelPackageSpec, container: ContainerSpec) -> ModelPackage:
        archive = None
        if spec.model_data is not None:
            archive = S3Artifact(s3=spec.model_data, kms_key_arn=spec.kms_key_arn)
        return ModelPackage(
            name=spec.name,
            model_data=None if archive is None else model_data(self.stack, archive, self.folder),
            image=None if spec.image_uri is None else ContainerImage.from_uri(spec.image_uri),
            environment=container.variables,
        )

    def _container(self, above: ContainerSpec | None) -> Container:
        container = self.spec.container(above)
        hostname = above.container_hostname if isinstance(above, PipelineContainer) else None
        if container.compile is not None:
            compiled = self.compiled.compiled(container)
            return Container(
                image=compiled.image if container.image_uri is None else _image(container),
                model_data=compiled.model_data,
                environment={**compiled.environment, **container.variables},
                hostname=hostname,
            )
        return Container(
            image=_image(container),
            model_data=(
                None
                if container.artifact is None
                else model_data(
                    self.stack,
                    container.artifact,
                    self.folder,
                    kept_below=kept_below(self.environment, self.name),
                )
            ),
            environment=container.variables,
            hostname=hostname,
        )

    def _multi_model(self, spec: MultiModel, container: ContainerSpec) -> MultiModelContainer:
        own = spec.s3_prefix is None or bool(spec.archives)
        return MultiModelContainer(
            image=_image(container),
            archives=self._placed_archives if own else self.archives,
            model_cache_setting=spec.model_cache_setting,
            safe_port_range=spec.safe_port_range,
            environment=container.variables,
        )

    @cached_property
    def archives(self) -> S3Prefix:
        """Where the archives of a multi-model endpoint are."""
        assert self.spec.multi_model is not None
        if self.spec.multi_model.s3_prefix is None:
            return self.prefix(ARCHIVES)
        bucket, prefix = split_s3(self.spec.multi_model.s3_prefix)
        existing = bucket_of_models(self.stack, bucket, self.spec.multi_model.kms_key_arn)
        return S3Prefix(bucket=existing, prefix=prefix)

    @cached_property
    def _placed_archives(self) -> ModelArchives:
        """What puts archives there; without any it makes the prefix exist."""
        assert self.spec.multi_model is not None
        return ModelArchives(
            self.stack,
            "Archives",
            place=self.archives,
            archives={
                name: model_data(self.stack, archive, self.folder, versions_on_top=True)
                for name, archive in self.spec.multi_model.named_archives.items()
            },
            retain_logs=self.environment.production,
            encryption_key=self.key,
        )


def _image(container: ContainerSpec) -> ContainerImage:
    if container.own_image is not None:
        return ContainerImage.from_uri(container.own_image)
    assert container.framework is not None
    assert container.framework_version is not None
    return ContainerImage.from_catalog(
        container.framework, container.framework_version, digest=container.image_digest
    )
