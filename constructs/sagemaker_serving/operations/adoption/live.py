"""A live endpoint, as SageMaker and Application Auto Scaling describe it, in a template's form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sagemaker_serving.catalog import resource_properties
from sagemaker_serving.catalog.members import ENDPOINT, ENDPOINT_CONFIG, MODEL, not_writable
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import NotFound, Where
from sagemaker_serving.rules.template import Template, template_of

_SCALING = "AWS::ApplicationAutoScaling"
_CONFIGURATIONS = (
    "TargetTrackingScalingPolicyConfiguration",
    "StepScalingPolicyConfiguration",
    "PredictiveScalingPolicyConfiguration",
)


def live_endpoint(endpoint: str, aws: Aws) -> Template:
    """Asks AWS for ``endpoint`` and all that it runs, read-only, as a template.

    Needs ``sagemaker:DescribeEndpoint``, ``DescribeEndpointConfig``, ``DescribeModel`` and
    ``ListTags``, Application Auto Scaling's ``Describe`` actions, and
    ``cloudwatch:DescribeAlarms``. Raises `NotFound` for an unknown endpoint, `Failure` when AWS
    fails.
    """
    client = aws.client("sagemaker")
    with aws_failures():
        try:
            described = client.describe_endpoint(EndpointName=endpoint)
        except client.exceptions.ClientError as error:
            raise NotFound(
                f"{endpoint}: {error.response['Error']['Message'].rstrip('.')}"
            ) from None
        name = described["EndpointConfigName"]
        config = client.describe_endpoint_config(EndpointConfigName=name)
        described["DeploymentConfig"] = described.get("LastDeploymentConfig")
        resources = {
            "Endpoint": _resource(client, ENDPOINT, described, described["EndpointArn"]),
            "Config": _resource(client, ENDPOINT_CONFIG, config, config["EndpointConfigArn"]),
        }
        for model in _models(config):
            found = client.describe_model(ModelName=model)
            resources[model] = _resource(client, MODEL, found, found["ModelArn"])
        variants = [variant["VariantName"] for variant in config["ProductionVariants"]]
        resources.update(_scaling(aws, endpoint, variants))
    return template_of(resources, Where(endpoint))


def _models(config: Mapping[str, Any]) -> list[str]:
    variants = [*config["ProductionVariants"], *config.get("ShadowProductionVariants", ())]
    return list(dict.fromkeys(one["ModelName"] for one in variants if "ModelName" in one))


def _resource(client: Any, kind: str, described: Mapping[str, Any], arn: str) -> dict[str, Any]:
    """What was described, without what SageMaker says of it besides."""
    known = resource_properties(kind) or {}
    properties = {
        name: value
        for name, value in described.items()
        if (name in known or not_writable(kind, name)) and value not in (None, [], {})
    }
    if kind == ENDPOINT:
        properties.pop("ProductionVariants", None)
    pages = client.get_paginator("list_tags").paginate(ResourceArn=arn)
    tags = [tag for page in pages for tag in page["Tags"]]
    return {"Type": kind, "Properties": {**properties, **({"Tags": tags} if tags else {})}}


def _scaling(aws: Aws, endpoint: str, variants: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    client, cloudwatch = aws.client("application-autoscaling"), aws.client("cloudwatch")
    ids = [f"endpoint/{endpoint}/variant/{variant}" for variant in variants]
    targets = client.describe_scalable_targets(ServiceNamespace="sagemaker", ResourceIds=ids)
    for target in targets["ScalableTargets"]:
        of = {"ServiceNamespace": "sagemaker", "ResourceId": target["ResourceId"]}
        actions = client.describe_scheduled_actions(**of)["ScheduledActions"]
        target_id = f"Target {target['ResourceId']}"
        yield (
            target_id,
            {
                "Type": f"{_SCALING}::ScalableTarget",
                "Properties": {**target, "ScheduledActions": actions},
            },
        )
        for policy in client.describe_scaling_policies(**of)["ScalingPolicies"]:
            policy_id = f"{target_id} {policy['PolicyName']}"
            yield policy_id, _policy(policy, target_id)
            if policy["PolicyType"] == "StepScaling":
                names = [alarm["AlarmName"] for alarm in policy.get("Alarms", ())]
                answer = cloudwatch.describe_alarms(AlarmNames=names) if names else {}
                for alarm in answer.get("MetricAlarms", ()):
                    told = {**alarm, "AlarmActions": [{"Ref": policy_id}]}
                    yield (
                        alarm["AlarmName"],
                        {"Type": "AWS::CloudWatch::Alarm", "Properties": told},
                    )


def _policy(policy: Mapping[str, Any], target_id: str) -> dict[str, Any]:
    members = ("PolicyName", "PolicyType", *_CONFIGURATIONS)
    properties = {name: policy[name] for name in members if name in policy}
    return {
        "Type": f"{_SCALING}::ScalingPolicy",
        "Properties": {**properties, "ScalingTargetId": {"Ref": target_id}},
    }
