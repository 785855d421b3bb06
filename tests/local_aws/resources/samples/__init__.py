"""A sample of every property of every type that the local AWS deploys, and what reads it back.

``$Name`` and ``$Name.Attribute`` stand for what `ground` gives; ``{Ref}`` and ``{Attribute}`` in a
read for the resource's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import (
    apis,
    cloudformation,
    cloudwatch,
    cognito,
    dynamodb,
    ec2,
    ecr,
    efs,
    events,
    ground,
    http_apis,
    iam,
    kinesis,
    kms,
    lambda_,
    layers,
    load_balancers,
    logs,
    model_registry,
    network,
    s3,
    sagemaker,
    scaling,
    secretsmanager,
    sns,
    sqs,
    ssm,
    stepfunctions,
)
from .emulated import EMULATED, EMULATED_GROUND
from .sample import Sample

_OWN = (
    cloudformation,
    cloudwatch,
    cognito,
    dynamodb,
    ec2,
    ecr,
    efs,
    events,
    iam,
    kinesis,
    kms,
    lambda_,
    logs,
    model_registry,
    s3,
    sagemaker,
    scaling,
    secretsmanager,
    sns,
    sqs,
    ssm,
    stepfunctions,
    apis,
    http_apis,
    network,
    load_balancers,
    layers,
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    type_name: samples
    for table in (*(each.SAMPLES for each in _OWN), EMULATED)
    for type_name, samples in table.items()
}
"""By type: those of each service, and those of the types that the emulator's own classes make."""

GROUND: Mapping[str, Mapping[str, Any]] = {
    **ground.GROUND,
    **EMULATED_GROUND,
    **apis.GROUND,
    **cloudformation.GROUND,
    **cognito.GROUND,
    **http_apis.GROUND,
    **network.GROUND,
    **load_balancers.GROUND,
    **layers.GROUND,
    **logs.GROUND,
    **secretsmanager.GROUND,
}
"""What samples refer to, by name: a template's resources."""
