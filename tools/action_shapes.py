"""The inputs of actions of SageMaker and Application Auto Scaling, and what tasks can call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

INPUTS = (
    *("CreateModel", "CreateEndpointConfig", "CreateEndpoint", "UpdateEndpoint"),
    *("CreateTransformJob", "CreateCompilationJob", "CreateTrainingJob", "CreateProcessingJob"),
    *("CreateHyperParameterTuningJob", "CreateLabelingJob", "StartPipelineExecution", "AddTags"),
    *("DescribeEndpoint", "DescribeModel", "DescribeTransformJob", "DescribeCompilationJob"),
    *("DescribeTrainingJob", "DescribeProcessingJob", "StopTransformJob", "StopCompilationJob"),
    *("StopTrainingJob", "StopProcessingJob", "DeleteModel", "DeleteEndpoint"),
    *("DeleteEndpointConfig", "UpdateEndpointWeightsAndCapacities", "CreateInferenceComponent"),
    *("CreateInferenceRouter", "UpdateInferenceRouter", "PutEndpointPolicy"),
)
"""SageMaker's actions whose arguments are judged."""

RUNTIME_INPUTS = ("InvokeEndpoint", "InvokeEndpointAsync")
"""SageMaker Runtime's, by which a state machine asks an endpoint."""

SCALING_INPUTS = ("RegisterScalableTarget", "PutScalingPolicy", "PutScheduledAction")
"""Application Auto Scaling's, which templates write as a target, its schedules and a policy."""

SERVICES = (
    *("application-autoscaling", "athena", "batch", "bedrock", "bedrock-runtime"),
    *("cloudformation", "cloudwatch", "codebuild", "dynamodb", "ecr", "ecs", "efs"),
    *("emr-serverless", "events", "glue", "kms", "lambda", "logs", "s3", "sagemaker"),
    *("sagemaker-featurestore-runtime", "sagemaker-runtime", "scheduler", "secretsmanager"),
    *("sns", "sqs", "ssm", "stepfunctions", "sts"),
)
"""Services, by botocore's names, whose actions' names are judged: what stands beside SageMaker."""

_TYPES = {"map": "object", "float": "number", "double": "number", "long": "integer"}
"""What botocore calls otherwise."""
_ANYTHING = (".*", "(?s).*", *(f"[{each}]{many}" for each in ("\\S\\s", "\\s\\S") for many in "*+"))


def input_shapes(
    shapes: Mapping[str, Any], inputs: Iterable[str], service: str = ""
) -> dict[str, Any]:
    """Every shape that these inputs are made of, by name after ``service``; what has no bounds is
    its type's name."""
    table: dict[str, Any] = {}

    def named(shape_name: str) -> str:
        shape, name = shapes[shape_name], f"{service}{shape_name}"
        kind = _TYPES.get(shape["type"], shape["type"])
        bounds = _bounds(shape)
        if kind not in ("structure", "list", "object"):
            if bounds:
                table[name] = {"type": kind, **bounds}
            return name if bounds else kind
        if name not in table:
            table[name] = {}
            if kind == "structure":
                members = sorted(shape["members"].items())
                table[name] = {
                    "members": {key: named(inner["shape"]) for key, inner in members},
                    **({"required": shape["required"]} if shape.get("required") else {}),
                }
            else:
                role, entries = ("of", "member") if kind == "list" else ("values", "value")
                table[name] = {role: named(shape[entries]["shape"]), **bounds}
                if kind == "object":
                    table[name]["keys"] = named(shape["key"]["shape"])
        return name

    for name in inputs:
        named(name)
    return dict(sorted(table.items()))


def sdk_name(service_id: str) -> str:
    """What ``aws-sdk`` tasks call a service, as AWS's SDK for Java does: ``cloudwatchlogs``.

    So are all names that the developer guide lists but those of services that have ended (AWS Step
    Functions developer guide, "AWS SDK service integrations").
    """
    return re.sub(r"[^a-z0-9]", "", service_id.removesuffix(" Service").lower())


def _bounds(shape: Mapping[str, Any]) -> dict[str, Any]:
    bounds = {key: shape[key] for key in ("enum", "min", "max", "pattern") if key in shape}
    if bounds.get("min") == 0 and shape["type"] in ("string", "list", "map"):
        del bounds["min"]
    if "enum" in bounds:
        return {"enum": bounds["enum"]}
    if bounds.get("pattern") in _ANYTHING or not _is_pattern(bounds.get("pattern", "")):
        del bounds["pattern"]
    return bounds


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:  # Java's \p{L}, say
        return False
    return True
