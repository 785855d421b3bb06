"""A live endpoint, as SageMaker and Application Auto Scaling describe it, in a template's form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sagemaker_serving.catalog.properties import resource_properties
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.describing import described_endpoint
from sagemaker_serving.errors import Where
from sagemaker_serving.operations.adoption.scaling import ALARM, POLICY, TARGET
from sagemaker_serving.rules.template import Template, template_of
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL, not_writable

_CONFIGURATIONS = (
    "TargetTrackingScalingPolicyConfiguration",
    "StepScalingPolicyConfiguration",
    "PredictiveScalingPolicyConfiguration",
)
_COMPONENT_MEMBERS = (
    "InferenceComponentName",
    "EndpointName",
    "VariantName",
    "Specification",
    "Specifications",
)
_Resources = Iterator[tuple[str, dict[str, Any]]]


def live_endpoint(endpoint: str, aws: Aws) -> Template:
    """Asks AWS for ``endpoint`` and all that it runs, read-only, as a template.

    Variants have the weights and counts that they serve with, whatever their config began with.
    Needs ``sagemaker:DescribeEndpoint``, ``DescribeEndpointConfig``, ``DescribeModel``,
    ``ListInferenceComponents``, ``DescribeInferenceComponent`` and ``ListTags``, Application Auto
    Scaling's ``Describe`` actions, and ``cloudwatch:DescribeAlarms``. Raises `NotFound` for an
    unknown endpoint, `Failure` when AWS refuses or fails.
    """
    return live_endpoints([endpoint], aws)


def live_endpoints(names: Sequence[str], aws: Aws) -> Template:
    """The same of several."""
    resources: dict[str, Any] = {}
    for number, name in enumerate(names, start=1):
        resources |= _all_of(name, aws, "" if number == 1 else str(number))
    return template_of(resources, Where(names[0]))


def _all_of(endpoint: str, aws: Aws, number: str) -> dict[str, Any]:
    client = aws.client("sagemaker")
    described = described_endpoint(client, endpoint)
    with aws_failures():
        name = described["EndpointConfigName"]
        config = _as_it_serves(client.describe_endpoint_config(EndpointConfigName=name), described)
        members = {"EndpointName": endpoint, "EndpointConfigName": name}
        if "LastDeploymentConfig" in described:
            members["DeploymentConfig"] = described["LastDeploymentConfig"]
        serves = _written(ENDPOINT_CONFIG, config)
        components = dict(_components(client, endpoint))
        resources = {
            f"Endpoint{number}": _resource(client, ENDPOINT, members, described["EndpointArn"]),
            f"Config{number}": _resource(
                client, ENDPOINT_CONFIG, serves, config["EndpointConfigArn"]
            ),
            **components,
        }
        made = [each["Properties"] for each in components.values()]
        specifications = [one for each in made for one in _specifications(each)]
        runs = [*_variants(config), *specifications]
        for model in dict.fromkeys(one["ModelName"] for one in runs if "ModelName" in one):
            found = client.describe_model(ModelName=model)
            resources[model] = _resource(client, MODEL, _written(MODEL, found), found["ModelArn"])
        scaled = [f"endpoint/{endpoint}/variant/{one['VariantName']}" for one in _variants(config)]
        resources |= dict(_scaling(aws, [*scaled, *components]))
    return resources


def _specifications(component: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Where there are several, SageMaker tells no single one (botocore)."""
    return [*component.get("Specifications", [component.get("Specification", {})])]


def _variants(config: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [*config["ProductionVariants"], *config.get("ShadowProductionVariants", ())]


def _as_it_serves(config: dict[str, Any], described: Mapping[str, Any]) -> dict[str, Any]:
    """The config with what UpdateEndpointWeightsAndCapacities and scaling made of it since."""
    running = {
        one["VariantName"]: one
        for kind in ("ProductionVariants", "ShadowProductionVariants")
        for one in described.get(kind, ())
    }
    for variant in _variants(config):
        now = running.get(variant["VariantName"], {})
        for member, is_now in (
            ("InitialInstanceCount", "DesiredInstanceCount"),
            ("InitialVariantWeight", "DesiredWeight"),
            ("ServerlessConfig", "DesiredServerlessConfig"),
        ):
            if member in variant and is_now in now:
                variant[member] = now[is_now]
    return config


def _written(kind: str, described: Mapping[str, Any]) -> dict[str, Any]:
    """What was described, without what SageMaker says of it besides."""
    known = resource_properties(kind) or {}
    return {
        name: value
        for name, value in described.items()
        if (name in known or not_writable(kind, name)) and value not in (None, [], {})
    }


def _resource(client: Any, kind: str, properties: Mapping[str, Any], arn: str) -> dict[str, Any]:
    pages = client.get_paginator("list_tags").paginate(ResourceArn=arn)
    tags = [tag for page in pages for tag in page["Tags"]]
    return {"Type": kind, "Properties": {**properties, **({"Tags": tags} if tags else {})}}


def _components(client: Any, endpoint: str) -> _Resources:
    """The inference components, by the name that Application Auto Scaling has for each."""
    pages = client.get_paginator("list_inference_components").paginate(EndpointNameEquals=endpoint)
    for listed in (one for page in pages for one in page["InferenceComponents"]):
        found = client.describe_inference_component(
            InferenceComponentName=listed["InferenceComponentName"]
        )
        container = found.get("Specification", {}).get("Container", {})
        deployed = container.pop("DeployedImage", {})
        if "SpecifiedImage" in deployed:
            container["Image"] = deployed["SpecifiedImage"]
        members = {name: found[name] for name in _COMPONENT_MEMBERS if name in found}
        if "RuntimeConfig" in found:
            members["RuntimeConfig"] = {"CopyCount": found["RuntimeConfig"]["DesiredCopyCount"]}
        name = f"inference-component/{found['InferenceComponentName']}"
        yield name, _resource(client, COMPONENT, members, found["InferenceComponentArn"])


def _scaling(aws: Aws, ids: list[str]) -> _Resources:
    client, cloudwatch = aws.client("application-autoscaling"), aws.client("cloudwatch")

    def paged(operation: str, items: str, **of: Any) -> Iterator[dict[str, Any]]:
        pages = client.get_paginator(operation).paginate(ServiceNamespace="sagemaker", **of)
        return (one for page in pages for one in page[items])

    for target in paged("describe_scalable_targets", "ScalableTargets", ResourceIds=ids):
        of = {"ResourceId": target["ResourceId"]}
        actions = list(paged("describe_scheduled_actions", "ScheduledActions", **of))
        target_id = f"Target {target['ResourceId']}"
        yield target_id, {"Type": TARGET, "Properties": {**target, "ScheduledActions": actions}}
        for policy in paged("describe_scaling_policies", "ScalingPolicies", **of):
            policy_id = f"{target_id} {policy['PolicyName']}"
            yield policy_id, _policy(policy, target_id)
            names = [alarm["AlarmName"] for alarm in policy.get("Alarms", ())]
            if policy["PolicyType"] == "StepScaling" and names:
                for alarm in cloudwatch.describe_alarms(AlarmNames=names)["MetricAlarms"]:
                    told = {**alarm, "AlarmActions": [{"Ref": policy_id}]}
                    yield alarm["AlarmName"], {"Type": ALARM, "Properties": told}


def _policy(policy: Mapping[str, Any], target_id: str) -> dict[str, Any]:
    members = ("PolicyName", "PolicyType", *_CONFIGURATIONS)
    properties = {name: policy[name] for name in members if name in policy}
    return {"Type": POLICY, "Properties": {**properties, "ScalingTargetId": {"Ref": target_id}}}
