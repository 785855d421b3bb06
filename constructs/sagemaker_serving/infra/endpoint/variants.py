"""The variants of an endpoint: on instances, or serverless."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from sagemaker_serving import spec
from sagemaker_serving.catalog.gpu_hosts import ami_for
from sagemaker_serving.infra.model.model import Model
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.fields import Unjudged, plain
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.variants import InstanceHost, ServerlessHost


class ManagedInstanceScaling(Unjudged, spec.ManagedInstanceScaling):
    """SageMaker keeps as many instances as the inference components on them need."""


class InstanceVariant(Unjudged, InstanceHost):
    """Instances that run one Model, or the inference components put on them.

    Without a ``model`` the variant is for `InferenceComponent`, and ``managed_instance_scaling``
    says how many instances these may have. ``core_dump`` is where the memory of a crashed container
    goes, which the role may write. ``extra`` has members by CloudFormation's own names, which are
    laid over these. An accelerator is the Model's. All other fields are what an
    environment file says of a variant. Source: API reference, ProductionVariant.

    ``hosted`` are the Models of the inference components on it, which `EndpointConfig` adds as
    these are made.
    """

    model: Model | None
    hosted: tuple[Model, ...] = ()
    core_dump: S3Prefix | None = None
    extra: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def host_ami(self) -> str | None:
        """Its ``inference_ami_version``, or the one that the images on it need, if they do."""
        if self.inference_ami_version is not None:
            return self.inference_ami_version
        runs = self.hosted if self.model is None else (self.model,)
        images = [image for model in runs for image in model.images]
        return ami_for("endpoint", self.instance_types or [self.instance_type], images)

    @property
    def accelerator_type(self) -> str | None:
        """The accelerator that its Model is made for (``ml.eia2.medium``); None for none."""
        accelerator = None if self.model is None else self.model.accelerator
        return None if accelerator is None else accelerator.type

    @property
    def content(self) -> dict[str, Any]:
        """What makes two variants different, as plain data."""
        everything = {
            **vars(self),
            "accelerator_type": self.accelerator_type,
            "inference_ami_version": self.host_ami,
            "hosted": None,
        }
        given = {
            name: value for name, value in everything.items() if value not in (None, {}, (), [])
        }
        if self.model is not None:
            given["model"] = self.model.identity
        if self.core_dump is not None:
            given["core_dump"] = [self.core_dump.uri, self.core_dump.key_arn]
        return {name: plain(value) for name, value in given.items()}

    @property
    def members(self) -> dict[str, Any]:
        """The variant as SageMaker's CreateEndpointConfig takes it."""
        made = aws_values(InstanceHost, {**vars(self), "inference_ami_version": self.host_ami})
        if self.instance_types:
            del made["InstanceType"]
            made["InstancePools"] = [
                {"InstanceType": kind, "Priority": order}
                for order, kind in enumerate(self.instance_types, start=1)
            ]
        if self.model is None:
            # A variant of inference components shares its traffic with no other.
            del made["InitialVariantWeight"]
        else:
            made["ModelName"] = self.model.model_name
        if self.accelerator_type is not None:
            made["AcceleratorType"] = self.accelerator_type
        if self.core_dump is not None:
            key = self.core_dump.key_arn
            made["CoreDumpConfig"] = {
                "DestinationS3Uri": self.core_dump.uri,
                **({} if key is None else {"KmsKeyId": key}),
            }
        return made


class ServerlessVariant(Unjudged, ServerlessHost):
    """Workers that start when a request comes, are paid while they work, and run one Model.

    The variant stands alone, without VPC, network isolation and data capture. Its Model is made
    with ``instance_type=None``. ``extra`` is `InstanceVariant`'s. All other fields are what an
    environment file says of a variant. Source: botocore ProductionVariantServerlessConfig;
    SageMaker developer guide, serverless endpoints.
    """

    model: Model
    extra: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def content(self) -> dict[str, Any]:
        """What makes two variants different, as plain data."""
        given = {
            name: value for name, value in vars(self).items() if value not in (None, {}, (), [])
        }
        return {**given, "model": self.model.identity}

    @property
    def members(self) -> dict[str, Any]:
        """The variant as SageMaker's CreateEndpointConfig takes it."""
        return {**aws_values(ServerlessHost, vars(self)), "ModelName": self.model.model_name}


Variant = InstanceVariant | ServerlessVariant
"""What runs behind an endpoint."""
