"""What Terraform's AWS provider has, and what CloudFormation calls it.

Source: the schema of HashiCorp's AWS provider 5.100.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sagemaker_serving.catalog.actions import resource_members
from sagemaker_serving.catalog.endpoint_metrics import DIMENSIONS
from sagemaker_serving.catalog.properties import resource_properties
from sagemaker_serving.rules.template.scaling import SCHEDULED

_METRIC = {"MetricName": "string", "Namespace": "string", "Statistic": "string"}
_ALARM: dict[str, Any] = {
    **_METRIC,
    **dict.fromkeys(("AlarmName", "TreatMissingData"), "string"),
    "Period": "integer",
    "Dimensions": "pairs",
    "Unit": "string",
    "Metrics": [
        {
            "MetricStat": {
                **dict.fromkeys(("MetricName", "Namespace", "Unit"), "string"),
                "Period": "integer",
                "Dimensions": "pairs",
            }
        }
    ],
}
_ROLE: dict[str, Any] = {
    **dict.fromkeys(("RoleName", "AssumeRolePolicyDocument"), "string"),
    "ManagedPolicyArns": ["string"],
    "Policies": [{"PolicyName": "string", "PolicyDocument": "string"}],
}
_DOCUMENT: dict[str, Any] = {"PolicyDocument": "string", "Roles": ["string"], "RoleName": "string"}


@dataclass(frozen=True)
class _Type:
    """CloudFormation's type of one of Terraform's, with the arguments whose names differ, each by
    the path to it, and its properties where the catalog has none."""

    kind: str
    renamed: Mapping[str, str] = field(default_factory=dict)
    shape: Mapping[str, Any] | None = None

    @property
    def properties(self) -> Mapping[str, Any]:
        if self.shape is not None:
            return self.shape
        known = resource_properties(self.kind)
        return resource_members(self.kind) if known is None else known


_POLICY_OF_ROLE = {"policy": "PolicyDocument"}
TYPES = {
    "aws_sagemaker_model": _Type(
        "AWS::SageMaker::Model", {"name": "ModelName", "container": "Containers"}
    ),
    "aws_sagemaker_endpoint_configuration": _Type(
        "AWS::SageMaker::EndpointConfig",
        {
            "name": "EndpointConfigName",
            "kms_key_arn": "KmsKeyId",
            # CloudFormation's schema no longer has it.
            "production_variants.accelerator_type": "AcceleratorType",
            "shadow_production_variants.accelerator_type": "AcceleratorType",
        },
    ),
    "aws_sagemaker_endpoint": _Type("AWS::SageMaker::Endpoint", {"name": "EndpointName"}),
    "aws_appautoscaling_target": _Type("AWS::ApplicationAutoScaling::ScalableTarget"),
    "aws_appautoscaling_policy": _Type(
        "AWS::ApplicationAutoScaling::ScalingPolicy",
        {
            "name": "PolicyName",
            "step_scaling_policy_configuration.step_adjustment": "StepAdjustments",
        },
    ),
    "aws_appautoscaling_scheduled_action": _Type(
        SCHEDULED,
        {"name": "ScheduledActionName"},
        {
            **dict.fromkeys(("ScheduledActionName", "Schedule", "Timezone"), "string"),
            **dict.fromkeys(("ServiceNamespace", "ResourceId", "ScalableDimension"), "string"),
            "ScalableTargetAction": {"MinCapacity": "integer", "MaxCapacity": "integer"},
        },
    ),
    "aws_cloudwatch_metric_alarm": _Type(
        "AWS::CloudWatch::Alarm",
        {"metric_query": "Metrics", "metric_query.metric": "MetricStat"},
        _ALARM,
    ),
    "aws_cloudwatch_composite_alarm": _Type(
        "AWS::CloudWatch::CompositeAlarm", shape=dict.fromkeys(("AlarmName", "AlarmRule"), "string")
    ),
    "aws_sfn_state_machine": _Type(
        "AWS::StepFunctions::StateMachine",
        {"definition": "DefinitionString", "type": "StateMachineType"},
        dict.fromkeys(("DefinitionString", "StateMachineType", "RoleArn"), "string"),
    ),
    "aws_lambda_function": _Type(
        "AWS::Lambda::Function",
        shape={"Role": "string", "Timeout": "integer", "Environment": {"Variables": "map"}},
    ),
    "aws_cloudwatch_event_rule": _Type(
        "AWS::Events::Rule", shape=dict.fromkeys(("EventPattern", "ScheduleExpression"), "string")
    ),
    "aws_cloudwatch_log_group": _Type(
        "AWS::Logs::LogGroup", {"name": "LogGroupName"}, {"LogGroupName": "string"}
    ),
    "aws_vpc_endpoint": _Type(
        "AWS::EC2::VPCEndpoint", shape=dict.fromkeys(("ServiceName", "VpcEndpointType"), "string")
    ),
    "aws_iam_role": _Type(
        "AWS::IAM::Role",
        {
            "name": "RoleName",
            "assume_role_policy": "AssumeRolePolicyDocument",
            "inline_policy": "Policies",
            "inline_policy.name": "PolicyName",
            "inline_policy.policy": "PolicyDocument",
        },
        _ROLE,
    ),
    "aws_iam_role_policy": _Type(
        "AWS::IAM::RolePolicy", {**_POLICY_OF_ROLE, "role": "RoleName"}, _DOCUMENT
    ),
    "aws_iam_policy": _Type(
        "AWS::IAM::ManagedPolicy",
        {**_POLICY_OF_ROLE, "name": "ManagedPolicyName"},
        {**_DOCUMENT, "ManagedPolicyName": "string"},
    ),
    "aws_iam_role_policy_attachment": _Type(
        "AWS::IAM::RolePolicy",
        {"role": "RoleName", "policy_arn": "PolicyArn"},
        {"RoleName": "string", "PolicyArn": "string"},
    ),
    "aws_iam_role_policy_attachments_exclusive": _Type(
        "AWS::IAM::RolePolicy",
        {"policy_arns": "PolicyArn"},
        {"RoleName": "string", "PolicyArn": ["string"]},
    ),
    "aws_iam_policy_attachment": _Type(
        "AWS::IAM::Policy",
        {"policy_arn": "PolicyArn"},
        {"Roles": ["string"], "PolicyArn": "string"},
    ),
}
"""What is read of Terraform's AWS provider."""


_PARTS = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def arguments() -> Mapping[str, str]:
    """Terraform's argument for each of CloudFormation's properties that are read, by its name.

    What it calls by its rule, ``instance_type``, goes before what one type calls otherwise. What
    metrics are told apart by is called the same everywhere.
    """
    found: dict[str, str] = {}
    for read_as in TYPES.values():
        own = {name: argument.rpartition(".")[2] for argument, name in read_as.renamed.items()}
        for name in _names_in(read_as.properties):
            usual = argument_of(name)
            found[name] = usual if found.get(name) == usual else own.get(name, usual)
    return {name: argument for name, argument in found.items() if name not in DIMENSIONS}


def argument_of(name: str) -> str:
    """What Terraform calls a property by its rule: ``instance_type`` of InstanceType."""
    return _PARTS.sub("_", name).lower()


def _names_in(shape: Any) -> Iterator[str]:
    if isinstance(shape, list):
        for one in shape:
            yield from _names_in(one)
    elif isinstance(shape, Mapping):
        for name, inner in shape.items():
            yield name
            yield from _names_in(inner)
