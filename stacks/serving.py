"""The stateless stack of one model: role, models, endpoint, batch pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.infra import (
    BatchTransform,
    ContainerImage,
    Endpoint,
    EndpointConfig,
    ExecutionRole,
    InstanceVariant,
    Model,
    ModelData,
    Network,
)
from sagemaker_serving.infra.acknowledge import NO_KEY_ON_VOLUMES, acknowledge
from sagemaker_serving.spec import Environment, S3Artifact
from sagemaker_serving.spec.environment import BatchTransform as BatchTransformSpec
from sagemaker_serving.spec.environment import Container
from stacks.storage import data_bucket, data_key


class ServingStack(cdk.Stack):
    """One model of an environment, as its file describes it.

    Outputs ``EndpointName`` and, with a batch pipeline, ``StateMachineArn`` and
    the prefixes that it reads and writes; the same leave as SSM parameters
    under ``/sagemaker-serving/<environment>/<model>/``.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        model: str,
        folder: Path,
        env: cdk.Environment,
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            env=env,
            stack_name=f"{environment.name}-{model}",
            description=f"Serves {model} in {environment.name}",
        )
        self._environment = environment
        self._name = model
        self._spec = environment.models[model]
        self._folder = folder
        self._role = ExecutionRole(self, "ExecutionRole")
        self._network = _network(environment)
        if self._spec.variants:
            self._add_endpoint()
        if self._spec.batch_transform is not None:
            self._add_batch_transform(self._spec.batch_transform)

    def _add_endpoint(self) -> None:
        name = self._environment.endpoint_name(self._name)
        self._role.grant_logs(f"/aws/sagemaker/Endpoints/{name}")
        self._role.grant_metrics("/aws/sagemaker/Endpoints")
        models = Construct(self, "Models")
        variants = [
            InstanceVariant(
                name=variant.name,
                model=self._model(
                    models,
                    variant.name,
                    self._spec.container(variant),
                    variant.instance_type,
                    accelerated=variant.accelerator_type is not None,
                ),
                instance_type=variant.instance_type,
                initial_instance_count=variant.initial_instance_count,
                weight=variant.weight,
                accelerator_type=variant.accelerator_type,
                volume_size_in_gb=variant.volume_size_in_gb,
                model_data_download_timeout_in_seconds=(
                    variant.model_data_download_timeout_in_seconds
                ),
                container_startup_health_check_timeout_in_seconds=(
                    variant.container_startup_health_check_timeout_in_seconds
                ),
            )
            for variant in self._spec.variants
        ]
        config = EndpointConfig(
            self,
            "EndpointConfig",
            variants=variants,
            encryption_key=data_key(self, self._environment),
        )
        if not self._environment.storage.kms:
            acknowledge(
                config, NO_KEY_ON_VOLUMES, "No key was asked for; SageMaker encrypts with its own"
            )
        endpoint = Endpoint(self, "Endpoint", endpoint_name=name, endpoint_config=config)
        self._publish("EndpointName", "endpoint-name", endpoint.endpoint_name)

    def _add_batch_transform(self, spec: BatchTransformSpec) -> None:
        self._role.grant_logs("/aws/sagemaker/TransformJobs")
        self._role.grant_metrics("/aws/sagemaker/TransformJobs")
        bucket = data_bucket(self, self._environment)
        prefixes = {kind: f"{self._name}/batch/{kind}/" for kind in ("input", "output")}
        self._role.grant_read_prefix(bucket, prefixes["input"])
        self._role.grant_write_prefix(bucket, prefixes["output"])
        batch = BatchTransform(
            self,
            "BatchTransform",
            model=self._model(self, "BatchModel", self._spec.container(), spec.instance_type),
            job=_job(spec, bucket),
            retain_logs=self._environment.production,
            encryption_key=data_key(self, self._environment),
        )
        self._publish("StateMachineArn", "state-machine-arn", batch.state_machine.state_machine_arn)
        for kind, prefix in prefixes.items():
            self._publish(
                f"Batch{kind.title()}", f"batch-{kind}", f"s3://{bucket.bucket_name}/{prefix}"
            )

    def _model(
        self,
        scope: Construct,
        construct_id: str,
        container: Container,
        instance_type: str,
        *,
        accelerated: bool = False,
    ) -> Model:
        return Model(
            scope,
            construct_id,
            role=self._role,
            image=_image(container),
            model_data=self._model_data(container),
            instance_type=instance_type,
            environment=container.variables,
            network=self._network,
            network_isolation=container.network_isolation,
            accelerated=accelerated,
        )

    def _model_data(self, container: Container) -> ModelData:
        artifact = container.artifact
        if isinstance(artifact, S3Artifact):
            return ModelData.from_s3(
                artifact.s3, sha256=artifact.sha256, version_id=artifact.version_id
            )
        assert artifact is not None
        if artifact.startswith("s3://"):
            return ModelData.from_s3(artifact)
        return ModelData.from_path(self._folder / artifact)

    def _publish(self, output: str, parameter: str, value: str) -> None:
        cdk.CfnOutput(self, output, value=value)
        ssm.StringParameter(
            self,
            f"{output}Parameter",
            parameter_name=f"/sagemaker-serving/{self._environment.name}/{self._name}/{parameter}",
            string_value=value,
        )


def _network(environment: Environment) -> Network | None:
    if environment.network is None:
        return None
    return Network(
        subnet_ids=environment.network.subnet_ids,
        security_group_ids=environment.network.security_group_ids,
    )


def _image(container: Container) -> ContainerImage:
    if container.image_uri is not None:
        return ContainerImage.from_uri(container.image_uri)
    assert container.framework is not None
    assert container.framework_version is not None
    return ContainerImage.from_catalog(container.framework, container.framework_version)


def _job(spec: BatchTransformSpec, bucket: s3.IBucket) -> dict[str, Any]:
    """What every transform job has in common, in the words of CreateTransformJob."""
    key = bucket.encryption_key.key_arn if bucket.encryption_key is not None else None
    return _given(
        {
            "TransformInput": _given(
                {"ContentType": spec.content_type, "SplitType": spec.split_type}
            ),
            "TransformOutput": _given(
                {"Accept": spec.accept, "AssembleWith": spec.assemble_with, "KmsKeyId": key}
            ),
            "TransformResources": {
                "InstanceType": spec.instance_type,
                "InstanceCount": spec.instance_count,
            },
            "BatchStrategy": spec.batch_strategy,
            "MaxPayloadInMB": spec.max_payload_in_mb,
            "MaxConcurrentTransforms": spec.max_concurrent_transforms,
            "Environment": spec.environment if spec.environment else None,
        }
    )


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
