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
    dynamodb,
    ec2,
    ecr,
    events,
    ground,
    http_apis,
    iam,
    kms,
    lambda_,
    layers,
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
from .sample import Sample

_OWN = (
    cloudformation,
    cloudwatch,
    dynamodb,
    ec2,
    ecr,
    events,
    iam,
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
    layers,
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    type_name: samples for each in _OWN for type_name, samples in each.SAMPLES.items()
}
"""By type: those of each service."""

GROUND: Mapping[str, Mapping[str, Any]] = {
    **ground.GROUND,
    **apis.GROUND,
    **http_apis.GROUND,
    **network.GROUND,
    **layers.GROUND,
    **secretsmanager.GROUND,
}
"""What samples refer to, by name: a template's resources."""
