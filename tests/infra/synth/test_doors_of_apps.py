"""The templates' table of cases in apps: of L1 constructs, and of our constructs alone.

One app holds all of them, a stack for each, judged by SageMakerChecks as it is synthesized.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns

from sagemaker_serving.catalog import UnknownInstanceType
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    AsyncInference,
    BatchTransform,
    Container,
    ContainerImage,
    DataCapture,
    Endpoint,
    EndpointConfig,
    ExecutionRole,
    Guardrails,
    InstanceVariant,
    Model,
    ModelData,
    ModelPackage,
    MultiModelContainer,
    NeoCompilation,
    NeoCompiler,
    Network,
    S3Prefix,
    SageMakerChecks,
    Scaling,
    ScalingMetric,
    ServerlessVariant,
)
from sagemaker_serving.rules import RULES
from sagemaker_serving.s3_address import split_s3
from sagemaker_serving.spec import BatchTransformSettings
from sagemaker_serving.spec.aws import aws_fields
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.compilation import Compilation
from sagemaker_serving.spec.compilation_job import compilation_job
from sagemaker_serving.spec.data_capture import CapturedRequests
from sagemaker_serving.spec.kinds import QueuedRequests
from sagemaker_serving.spec.monitoring import MetricsConfig
from sagemaker_serving.spec.update import WAYS
from sagemaker_serving.spec.variants import InstanceHost, ServerlessHost
from tests.rules.templates import REGION, template
from tests.rules.test_templates import CASES

pytestmark = pytest.mark.slow

RULE = {rule.id: rule for rule in RULES}
REFUSED = "refused"
"""What a stack is told whose constructs raised an error as they were made."""


@dataclass(frozen=True)
class Judged:
    """What each stack of the app is told, and its template as text."""

    told: Mapping[str, set[str]]
    texts: Mapping[str, str]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    app = cdk.App(outdir=str(tmp_path_factory.mktemp("app")))
    told: dict[str, set[str]] = defaultdict(set)
    for number in PLAIN:
        for kind, change in (("wrong", CASES[number][1]), ("right", CASES[number][3])):
            plain = _stack(app, f"plain-{kind}-{number}")
            for name, resource in template(change).items():
                made = cdk.CfnResource(
                    plain, name, type=resource["Type"], properties=resource["Properties"]
                )
                made.override_logical_id(name)
    for change in CHANGES:
        ours = _stack(app, _name(change))
        try:
            _build(ours, template(change, tasks=False), change)
        except (Mistake, UnknownInstanceType, TypeError, RuntimeError, StopIteration):
            told[ours.stack_name].add(REFUSED)
            app.node.try_remove_child(ours.node.id)
    cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
    with pytest.raises(RuntimeError):
        app.synth()
    folder = Path(app.outdir)
    (report,) = json.loads((folder / "validation-report.json").read_text())["pluginReports"]
    for violation in report["violations"]:
        for place in violation["violatingConstructs"]:
            told[place["constructPath"].partition("/")[0]].add(violation["ruleName"])
    texts = {
        path.name.partition(".")[0]: path.read_text() for path in folder.glob("*.template.json")
    }
    return Judged(told, {name: text.replace(name, "stack") for name, text in texts.items()})


def _first_of_each() -> list[int]:
    """The first case of each resource and severity."""
    firsts: dict[tuple[str, str], int] = {}
    for number, (rule, wrong, _, _) in enumerate(CASES):
        changed = re.split("[.:]", next(iter(wrong)))[0]
        firsts.setdefault((changed, RULE[rule].severity), number)
    return list(firsts.values())


PLAIN = _first_of_each()
"""What an app of L1 constructs is tried with: it hands templates to the judge, which
tests/rules/test_templates.py tries with all."""

OURS = list({rule: (rule, wrong, right) for rule, wrong, _, right in reversed(CASES)}.values())
"""What an app of our constructs is tried with: the first case of each rule. That each member is
rendered is tests/stacks/test_every_member.py's."""

CHANGES = [{}, *(change for _, wrong, right in OURS for change in (wrong, right))]
CHANGES = [change for at, change in enumerate(CHANGES) if change not in CHANGES[:at]]


def _name(change: dict[str, Any]) -> str:
    return f"ours-{CHANGES.index(change)}"


SCHEMAS = {f"aws-{kind}": f"schema-{kind}" for kind in ("value", "type", "required")}
"""What CloudFormation's schemas say of a template, so that AWS's shapes need not."""


@pytest.mark.parametrize(("number", "rule"), [(n, CASES[n][0]) for n in PLAIN])
def test_an_app_with_the_checks_is_told_what_a_template_is(
    judged: Judged, number: int, rule: str
) -> None:
    of_wrong, of_right = (judged.told[f"plain-{kind}-{number}"] for kind in ("wrong", "right"))
    assert {rule, SCHEMAS.get(rule)} & of_wrong
    assert rule not in of_right


@pytest.mark.parametrize(("rule", "changed", "mended"), OURS)
def test_our_constructs_alone_are_told_what_a_template_is(
    judged: Judged, rule: str, changed: dict[str, Any], mended: dict[str, Any]
) -> None:
    wrong, right, sound = map(_name, (changed, mended, {}))
    of_wrong, of_right = judged.told[wrong], judged.told[right]
    made = judged.texts.get(wrong)
    has_no_word = made in (judged.texts.get(right), judged.texts[sound])
    why_not = "constructs" in RULE[rule].silent
    assert {rule, SCHEMAS.get(rule), REFUSED} & of_wrong or has_no_word or why_not, of_wrong
    assert rule not in of_right
    assert REFUSED not in of_right or "Fn::" in json.dumps(mended)


def _stack(app: cdk.App, name: str) -> cdk.Stack:
    return cdk.Stack(app, name, env=cdk.Environment(region=REGION))


def _build(stack: cdk.Stack, resources: dict[str, Any], change: Mapping[str, Any]) -> None:
    """The resources by our constructs: fields as keywords, the rest by ``extra``."""
    given = {name: _in_tokens(one["Properties"]) for name, one in resources.items()}
    config, endpoint = given["Config"], given["Endpoint"]
    variants = config.pop("ProductionVariants", [])
    shadows = config.pop("ShadowProductionVariants", [])
    hosts = [one.get("InstanceType") for one in variants]
    model = _model(stack, given["Model"], next(iter(hosts), None))
    transforms = any(path.startswith("Job.") and path != "Job.ModelName" for path in change)
    compiles = any(path.startswith("Neo.") for path in change)
    if transforms:
        _batch(stack, model, given["Job"])
    if compiles:
        _compile(stack, given["Neo"])
    if (transforms or compiles) and all(path.startswith(("Job.", "Neo.")) for path in change):
        return  # an endpoint would have no part in it
    role = None
    if config.pop("ExecutionRoleArn", None) is not None:
        role = ExecutionRole(stack, "ConfigRole")
    vpc = config.pop("VpcConfig", None)
    metrics = config.pop("MetricsConfig", None)
    made = EndpointConfig(
        stack,
        "Config",
        variants=[_variant(stack, one, model) for one in variants],
        shadow_variants=[_variant(stack, one, model) for one in shadows],
        async_inference=_asynchronous(stack, config),
        data_capture=_capture(stack, config),
        metrics_config=None
        if metrics is None
        else MetricsConfig.model_construct(**_taken(MetricsConfig, metrics)),
        network=None if vpc is None else _network(vpc),
        network_isolation=str(config.pop("EnableNetworkIsolation", "")).lower() == "true",
        execution_role=role,
        extra=config,
    )
    guardrails = _guardrails(endpoint)
    for name in ("EndpointConfigName", "RetainAllVariantProperties"):
        endpoint.pop(name, None)
    serving = Endpoint(
        stack,
        "Endpoint",
        endpoint_name=endpoint.pop("EndpointName", "digits"),
        endpoint_config=made,
        guardrails=guardrails,
        extra=endpoint,
    )
    _scale(serving, resources["Target"]["Properties"], given["Policy"])


def _in_tokens(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_tokens(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "Fn::If" in value:  # an app chooses by itself
        return _in_tokens(value["Fn::If"][1])
    if len(value) == 1 and next(iter(value)).startswith(("Fn::", "Ref")):
        return cdk.Token.as_string(value)
    return {name: _in_tokens(each) for name, each in value.items()}


def _model(stack: cdk.Stack, given: dict[str, Any], instance_type: str | None) -> Model:
    primary, several = given.pop("PrimaryContainer", None), given.pop("Containers", None)
    written = [primary] if primary is not None else several or []
    containers = [_container(stack, one) for one in written]
    vpc = given.pop("VpcConfig", None)
    given.pop("ExecutionRoleArn", None)
    isolated = str(given.pop("EnableNetworkIsolation", "")).lower() == "true"
    left = {"PrimaryContainer": primary} if primary is not None else {"Containers": several or []}
    return Model(
        stack,
        "Model",
        instance_type=instance_type,
        containers=containers,
        network=None if vpc is None else _network(vpc),
        network_isolation=isolated,
        extra={**given, **left},
    )


def _container(stack: cdk.Stack, given: dict[str, Any]) -> Any:
    image, url = given.pop("Image", None), given.pop("ModelDataUrl", None)
    variables = {name: str(value) for name, value in given.pop("Environment", {}).items()}
    hostname, package = given.pop("ContainerHostname", None), given.pop("ModelPackageName", None)
    if package is not None:
        return ModelPackage(name=package, environment=variables)
    if given.get("ImageConfig") is None:
        served = ContainerImage.from_uri(image)
    else:
        served = ContainerImage.from_uri("111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1")
        given["Image"] = image
    if given.get("Mode") == "MultiModel":
        given.pop("Mode")
        cache = given.pop("MultiModelConfig", {}).get("ModelCacheSetting", "Enabled")
        ports = variables.pop("SAGEMAKER_SAFE_PORT_RANGE", None)
        return MultiModelContainer(
            image=served,
            archives=_place(stack, url),
            model_cache_setting=cache,
            environment=variables,
            **({} if ports is None else {"safe_port_range": ports}),
        )
    data = None if url is None else ModelData.from_s3(url)
    return Container(image=served, model_data=data, environment=variables, hostname=hostname)


def _variant(stack: cdk.Stack, given: dict[str, Any], model: Model) -> Any:
    named = given.pop("ModelName", None)
    if "ServerlessConfig" in given:
        return ServerlessVariant(model=model, extra=given, **_taken(ServerlessHost, given))
    pools = given.pop("InstancePools", [])
    ordered = sorted(pools, key=lambda pool: pool.get("Priority") or 0)
    fields = _taken(InstanceHost, given)
    if ordered:
        fields["instance_types"] = [pool.pop("InstanceType") for pool in ordered]
        others = [{k: v for k, v in pool.items() if k != "Priority"} for pool in ordered]
        given["InstancePools"] = others if any(others) else {}
    dump = given.pop("CoreDumpConfig", None)
    return InstanceVariant(
        model=model if named is not None else None,
        core_dump=None if dump is None else _place(stack, dump["DestinationS3Uri"]),
        extra={name: value for name, value in given.items() if value != {}},
        **fields,
    )


def _asynchronous(stack: cdk.Stack, config: dict[str, Any]) -> AsyncInference | None:
    given = config.pop("AsyncInferenceConfig", None)
    if given is None:
        return None
    output = given.get("OutputConfig", {})
    topics = output.get("NotificationConfig", {})
    fields: dict[str, Any] = _taken(QueuedRequests, given)
    if "S3OutputPath" in output:
        fields["output"] = _place(stack, output["S3OutputPath"])
    return AsyncInference(
        inputs=_place(stack, "s3://bucket/in/"),
        success_topic=_topic(stack, "Success", topics.get("SuccessTopic")),
        error_topic=_topic(stack, "Error", topics.get("ErrorTopic")),
        **fields,
    )


def _topic(stack: cdk.Stack, name: str, arn: str | None) -> sns.ITopic | None:
    return None if arn is None else sns.Topic.from_topic_arn(stack, name, arn)


def _capture(stack: cdk.Stack, config: dict[str, Any]) -> DataCapture | None:
    given = config.pop("DataCaptureConfig", None)
    if given is None or given.pop("EnableCapture", True) is False:
        return None
    place = _place(stack, given.get("DestinationS3Uri", "s3://bucket/captured"))
    modes = [one["CaptureMode"] for one in given.pop("CaptureOptions", [])]
    return DataCapture(destination=place, capture=modes, **_taken(CapturedRequests, given))


def _guardrails(endpoint: dict[str, Any]) -> Guardrails | None:
    given = endpoint.get("DeploymentConfig")
    if given is None:
        return None
    policy = given.get("BlueGreenUpdatePolicy", given.get("RollingUpdatePolicy", {}))
    routing = policy.get("TrafficRoutingConfiguration", {})
    kind = routing.get("Type", "ROLLING" if "MaximumBatchSize" in policy else "ALL_AT_ONCE")
    way = next(each for name, each in WAYS.items() if name == kind)
    update = way.model_construct(**{"canary_percent": 10, **_taken(way, policy)})
    alarms = given.pop("AutoRollbackConfiguration", {}).get("Alarms", [])
    named = [one if isinstance(one, str) else one["AlarmName"] for one in alarms]
    if not policy and not named:
        return None
    return Guardrails.of(update).watching(*named)


def _scale(endpoint: Endpoint, target: Mapping[str, Any], policy: Mapping[str, Any]) -> None:
    named, dimension = target["ResourceId"], target["ScalableDimension"]
    variant = (named.get("Fn::Sub", "") if isinstance(named, dict) else named).rpartition("/")[2]
    least, most = int(target["MinCapacity"]), int(target["MaxCapacity"])
    if ":variant:" not in dimension:
        return
    on_instances = dimension.endswith("Count")
    scale = endpoint.scale_instances if on_instances else endpoint.scale_provisioned_concurrency
    scaling = scale(variant, min_capacity=least, max_capacity=most)
    _track(scaling, policy.get("TargetTrackingScalingPolicyConfiguration"), on_instances)
    for action in target.get("ScheduledActions", []):
        bounds = action.get("ScalableTargetAction", {})
        scaling.scale_on_schedule(
            action.get("ScheduledActionName", "schedule"),
            action["Schedule"],
            time_zone=action.get("Timezone"),
            min_capacity=int(bounds["MinCapacity"]) if "MinCapacity" in bounds else None,
            max_capacity=int(bounds["MaxCapacity"]) if "MaxCapacity" in bounds else None,
        )


def _track(scaling: Scaling, tracking: Mapping[str, Any] | None, on_instances: bool) -> None:
    if tracking is None:
        return
    cooldowns = {
        "scale_in_cooldown": tracking.get("ScaleInCooldown", 300),
        "scale_out_cooldown": tracking.get("ScaleOutCooldown", 300),
    }
    named = tracking.get("PredefinedMetricSpecification", {}).get("PredefinedMetricType", "")
    custom, value = tracking.get("CustomizedMetricSpecification"), float(tracking["TargetValue"])
    if custom is not None:
        metric = ScalingMetric(
            metric_name=custom["MetricName"],
            namespace=custom["Namespace"],
            statistic=custom["Statistic"],
            dimensions={one["Name"]: one["Value"] for one in custom.get("Dimensions", [])},
        )
        scaling.scale_to_track_metric("Metric", metric, value, **cooldowns)
    elif named.endswith("HighResolution"):
        scaling.scale_on_concurrent_requests(value, **cooldowns)
    elif named.endswith("Utilization") or not on_instances:
        scaling.scale_on_utilization(value, **cooldowns)
    else:
        scaling.scale_on_invocations(value, **cooldowns)


def _batch(stack: cdk.Stack, model: Model, given: dict[str, Any]) -> None:
    settings = BatchTransformSettings.model_construct(**_taken(BatchTransformSettings, given))
    key = kms.Key(stack, "Key") if "VolumeKmsKeyId" in given["TransformResources"] else None
    BatchTransform(
        stack,
        "Batch",
        model=model,
        settings=settings.model_copy(update={"encrypt_volumes": key is not None}),
        encryption_key=key,
    )


def _compile(stack: cdk.Stack, given: dict[str, Any]) -> None:
    uri = given["InputConfig"].pop("S3Uri")
    asked = Compilation.model_construct(**_taken(Compilation, given))
    job = compilation_job(asked, framework=None, framework_version=None)
    bucket = s3.Bucket.from_bucket_name(stack, "Compiled", "compiled")
    compiler = NeoCompiler(stack, "Compiler", bucket=bucket)
    NeoCompilation(stack, "Neo", compiler=compiler, model_data=ModelData.from_s3(uri), job=job)


def _network(vpc: Mapping[str, Any]) -> Network:
    return Network(
        subnet_ids=vpc.get("Subnets", []), security_group_ids=vpc.get("SecurityGroupIds", [])
    )


def _place(stack: cdk.Stack, uri: str) -> S3Prefix:
    name, prefix = split_s3(uri)
    there = f"{name}-bucket" if len(name) < 3 else name
    bucket = s3.Bucket.from_bucket_name(stack, f"Bucket{len(stack.node.children)}", there)
    return S3Prefix(bucket=bucket, prefix=prefix)


def _taken(spec: type[Spec], members: dict[str, Any]) -> dict[str, Any]:
    """What the fields of ``spec`` say of ``members``, which loses it; nothing is judged."""
    found: dict[str, Any] = {}
    for field in aws_fields(spec):
        *path, last = field.members[0].split(".") if len(field.members) == 1 else [""]
        above: Any = members
        for name in path:
            above = above.get(name) if isinstance(above, dict) else None
        value = above.pop(last, None) if isinstance(above, dict) else None
        if isinstance(value, dict) and field.inner is not None:
            value = field.inner.model_construct(**_taken(field.inner, value))
        if isinstance(value, str) and value.isdecimal():
            value = int(value)
        if value is not None:
            found[field.name] = value
    return found
