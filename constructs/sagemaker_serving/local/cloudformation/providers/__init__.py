"""How each resource type is carried out, by the type's name."""

from __future__ import annotations

from sagemaker_serving.local.cloudformation.schemas import is_custom

from .base import Provider
from .custom_resource import CustomResource
from .emulated import emulated
from .iam import ManagedPolicy, Policy, Role
from .kms import Alias, Key
from .lambda_functions import (
    EventInvokeConfig,
    Function,
    FunctionAlias,
    FunctionVersion,
    Permission,
)
from .messaging import Queue, QueuePolicy, Rule, Subscription, Topic, TopicPolicy
from .monitoring import Alarm, Dashboard, LogGroup
from .nothing import CdkMetadata, WaitConditionHandle
from .s3 import Bucket, BucketPolicy
from .sagemaker import (
    Endpoint,
    EndpointConfig,
    InferenceComponent,
    Model,
    ModelPackage,
    ModelPackageGroup,
)
from .scaling import ScalableTarget, ScalingPolicy
from .stepfunctions import StateMachine
from .storage import EcrRepository, SsmParameter

_PROVIDERS: dict[str, Provider] = {
    provider.type_name: provider
    for provider in (
        Alarm(),
        Alias(),
        Bucket(),
        BucketPolicy(),
        CdkMetadata(),
        Dashboard(),
        EcrRepository(),
        Endpoint(),
        EndpointConfig(),
        EventInvokeConfig(),
        Function(),
        FunctionAlias(),
        FunctionVersion(),
        InferenceComponent(),
        Key(),
        LogGroup(),
        ManagedPolicy(),
        Model(),
        ModelPackage(),
        ModelPackageGroup(),
        Permission(),
        Policy(),
        Queue(),
        QueuePolicy(),
        Role(),
        Rule(),
        ScalableTarget(),
        ScalingPolicy(),
        SsmParameter(),
        StateMachine(),
        Subscription(),
        Topic(),
        TopicPolicy(),
        WaitConditionHandle(),
    )
}


OWN_TYPES = tuple(_PROVIDERS)
"""The types that are carried out here; the others are the emulator's."""


def provider_of(type_name: str) -> Provider | None:
    """What carries out a type, or None when the local AWS cannot deploy it."""
    if is_custom(type_name):
        return CustomResource(type_name)
    return _PROVIDERS.get(type_name) or emulated(type_name)
