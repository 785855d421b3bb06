"""What an environment file says of an endpoint's kind, in the facts that templates give, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from local_aws.template import Unknown
from sagemaker_serving.rules.endpoint.guardrails import takes_guardrails
from sagemaker_serving.rules.environment.variants import extra_model
from sagemaker_serving.rules.facts import (
    ABSENT,
    EndpointConfigFacts,
    Fact,
    ModelFacts,
    VariantFacts,
)
from sagemaker_serving.rules.facts.kinds import (
    KindFacts,
    Listed,
    Renamed,
    in_aws_words,
    laid_over,
    moves,
)
from sagemaker_serving.rules.facts.resources import ModelDefinitionFacts, UpdateFacts
from sagemaker_serving.spec.data_capture import DataCapture
from sagemaker_serving.spec.kinds import Asynchronous
from sagemaker_serving.spec.monitoring import MetricsConfig
from sagemaker_serving.spec.network import ExistingNetwork
from sagemaker_serving.spec.places import CAPTURED
from sagemaker_serving.spec.update import MOST_SECONDS, WAYS, way_of


def kind_of(model: Fact, environment: Fact) -> KindFacts:
    """The model as it is written, for the rules on what goes together."""
    alarms, usual = (each.get("monitoring").get("alarms") for each in (model, environment))
    production = environment.get("production").flag is True
    watched = production or model.get("monitoring").given or environment.get("monitoring").given
    return KindFacts(
        production=production,
        region=environment.get("region"),
        model=model,
        alarmed=watched and alarms.or_else(usual).flag is not False,
    )


def config_of(model: ModelFacts, written: Fact, environment: Fact) -> EndpointConfigFacts:
    """What is said of a model's variants together."""
    shadows = written.get("shadow_variants")
    over = written.get("extra").get("endpoint_config")
    capture, asynchronous = _capture(written.get("data_capture")), written.get("asynchronous")
    parts = {
        "ProductionVariants": model.variants_fact,
        "ShadowProductionVariants": shadows if shadows.value else Fact(None, shadows.where),
        "ExecutionRoleArn": Fact(Unknown(), model.where),
        "DataCaptureConfig": laid_over(capture, over.get("DataCaptureConfig")),
        "AsyncInferenceConfig": laid_over(
            _asynchronous(asynchronous), over.get("AsyncInferenceConfig")
        ),
        "VpcConfig": in_aws_words(environment.get("network"), ExistingNetwork),
        "MetricsConfig": in_aws_words(written.get("metrics_config"), MetricsConfig),
    }
    if written.get("inference_components").value:  # else it is the Models'
        parts["EnableNetworkIsolation"] = written.get("network_isolation")
    return EndpointConfigFacts(
        members=Renamed({}, model.where, parts),
        region=environment.get("region"),
        variants=model.variants,
        shadows=model.shadows,
    )


def definition_of(variant: VariantFacts, written: Fact, environment: Fact) -> ModelDefinitionFacts:
    """The Model that a variant runs."""
    several, over = written.get("containers"), extra_model(written)
    unknown = Fact(Unknown(), variant.where)
    each = tuple(one.definition if one.definition.given else unknown for one in variant.containers)
    isolation = next(
        (container.network_isolation for container in variant.containers),
        written.get("network_isolation"),
    )
    parts = {
        "PrimaryContainer": ABSENT if several.value else next(iter(each), unknown),
        "Containers": Listed(several.value or None, several.where, each),
        "VpcConfig": environment.get("network"),
        "EnableNetworkIsolation": isolation,
        "InferenceExecutionConfig": over.get("InferenceExecutionConfig"),
    }
    return ModelDefinitionFacts(
        members=Renamed({}, variant.where, parts),
        region=variant.region,
        containers=variant.containers,
        serverless=variant.is_serverless,
    )


def update_of(config: EndpointConfigFacts, written: Fact, kind: KindFacts) -> Iterator[UpdateFacts]:
    """How the endpoint is updated: as written, or as production does where it can."""
    update = written.get("update")
    if moves(update):
        most = MOST_SECONDS if written.get("endpoint").given else None
        yield replace(_update(update, config, written), most_seconds=most)
    elif kind.production and all(
        takes_guardrails(variant.instance_type.text) for variant in config.variants
    ):
        yield _update(Fact({"canary_percent": 10}, update.where), config, written)


def _update(update: Fact, config: EndpointConfigFacts, written: Fact) -> UpdateFacts:
    way = next(kind for name, kind in WAYS.items() if name == way_of(update.value))
    alarms = update.get("alarms")
    named = tuple(Renamed({}, each.where, {"AlarmName": each}) for each in alarms.items())
    listed = Listed(alarms.value or None, alarms.where, named)
    parts: dict[str, Fact] = {
        way.policy: in_aws_words(update, way, defaults=True),
        "AutoRollbackConfiguration": Renamed({}, alarms.where, {"Alarms": listed}),
    }
    return UpdateFacts(
        members=Renamed({}, update.where, parts),
        config=config,
        scaled=tuple(
            name
            for variant in config.variants
            if (name := variant.name.text) is not None
            and not variant.is_serverless
            and written.get("scaling").get(name).given
        ),
    )


def _capture(capture: Fact) -> Fact:
    members = in_aws_words(capture, DataCapture, defaults=True)
    header = members.get("CaptureContentTypeHeader")
    assert isinstance(header, Renamed)
    for name, types in list(header.entries()):
        if types.value == []:
            header.parts[name] = replace(types, value=None)  # the deploy leaves it out
    needed = {
        "InitialSamplingPercentage": _or(capture.get("sampling_percent"), 100),
        "DestinationS3Uri": _or(capture.get("prefix"), CAPTURED),
        "EnableCapture": Fact(True if capture.given else None, capture.where),
    }
    return replace(members, parts={**members.parts, **needed})


def _asynchronous(asynchronous: Fact) -> Fact:
    members = in_aws_words(asynchronous, Asynchronous)
    # Its paths are the stack's to write, whatever else is said, and so is a new topic's ARN.
    output = replace(members.get("OutputConfig"), value={})
    members.parts["OutputConfig"] = output
    topics = output.get("NotificationConfig")
    assert isinstance(topics, Renamed)
    for name, topic in list(topics.entries()):
        if topic.text == "new":
            topics.parts[name] = Fact(Unknown(), topic.where)
    return members


def _or(fact: Fact, default: object) -> Fact:
    return fact if fact.given else Fact(default, fact.where)
