"""Rules on an endpoint's config: data capture, asynchronous inference, keys."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.container.image_support import aws_image, named_image
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts import EndpointConfigFacts, TransformFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import known

_ASYNC = "botocore AsyncInferenceConfig"
_STORAGE = "botocore CreateEndpointConfig.KmsKeyId, TransformResources.VolumeKmsKeyId"
_TOPIC = re.compile(r"arn:aws[a-z-]*:sns:([a-z0-9-]+):[0-9]{12}:[a-zA-Z0-9_.-]+")

_FREQUENCIES = (10, 30, 60, 120, 180, 240, 300)


@warning(
    source="AWS SageMaker developer guide, capture data",
    example="DestinationS3Uri: s3://bucket/captured/",
)
def capture_prefix(config: EndpointConfigFacts) -> Iterator[Finding]:
    """Captured data lies under a prefix without a double slash, or one at its end.

    SageMaker adds ``/<endpoint>/…`` to it, and Model Monitor then looks for another prefix than
    the one that was written.
    """
    place = config.capture.get("DestinationS3Uri")
    path = (place.text or "").partition("://")[2] or place.text or ""
    if path.endswith("/") or path.startswith("/") or "//" in path:
        yield place.says(
            f"is {place.text!r}; with a slash at its end, or two in a row, what is captured lies "
            "under a double slash; use single ones, between names"
        )


@note(
    source="botocore DataCaptureConfig.InitialSamplingPercentage",
    example="InitialSamplingPercentage: 0",
)
def capture_sampling(config: EndpointConfigFacts) -> Iterator[Finding]:
    """An endpoint that captures its data captures some of it.

    AWS takes 0 percent, and then no request is ever kept.
    """
    percent, enabled = map(config.capture.get, ("InitialSamplingPercentage", "EnableCapture"))
    if percent.number == 0 and enabled.flag:
        yield percent.says(
            f"is {percent.value}, so that nothing is captured; give 1 to 100, or capture nothing"
        )


@rule(
    source=_ASYNC,
    example="SuccessTopic: my-topic",
    silent={"environment files": "new makes a topic there"},
)
def async_topic(config: EndpointConfigFacts) -> Iterator[Finding]:
    """The topics of an asynchronous endpoint are SNS topics of its own region, by their ARN.

    SageMaker sends a message to the topic when the endpoint is made, and does not make it when that
    fails.
    """
    notifications = config.asynchronous.get("OutputConfig").get("NotificationConfig")
    for topic in (notifications.get("SuccessTopic"), notifications.get("ErrorTopic")):
        text, region = topic.text, config.region.text
        if text is None or (text == "new" and topic.name.islower()):
            continue
        found = _TOPIC.fullmatch(text)
        if found is None:
            new = "new, or " if topic.name.islower() else ""
            yield topic.says(
                f"is {text!r}; it must be {new}the ARN of an SNS topic, "
                "arn:aws:sns:<region>:<account>:<name>"
            )
        elif region is not None and found[1] != region:
            yield topic.says(
                f"is in {found[1]}; an endpoint in {region} sends to topics of {region}; name one "
                "there"
            )


@rule(
    refused=True,
    source="botocore MetricsConfig",
    example="metrics_config: {metric_publish_frequency_in_seconds: 15}",
)
def metrics_frequency(config: EndpointConfigFacts) -> Iterator[Finding]:
    """An endpoint publishes its metrics every 10, 30, 60, 120, 180, 240 or 300 seconds.

    CreateEndpointConfig takes no other number, and CloudFormation's schema any.
    """
    every = config.metrics.get("MetricPublishFrequencyInSeconds")
    if every.number is not None and every.number not in _FREQUENCIES:
        nearest = min(_FREQUENCIES, key=lambda choice: abs(choice - (every.number or 0)))
        yield every.says(
            f"is {every.value}; it must be {', '.join(map(str, _FREQUENCIES[:-1]))} or "
            f"{_FREQUENCIES[-1]}; use {nearest}"
        )


@rule(
    refused=True,
    source="AWS SageMaker developer guide, deploy models for real-time inference; its edition of "
    "2023, async-inference; botocore InvokeEndpointAsync",
    example="AsyncInferenceConfig beside a serverless variant",
)
def kind_answers(config: EndpointConfigFacts) -> Iterator[Finding]:
    """An asynchronous endpoint is on instances, but not of Inf1, and its variant runs one model.

    A serverless variant answers at once. InvokeEndpointAsync names neither one of many models nor
    an inference component, so no request would reach them.
    """
    for variant in config.variants if config.asynchronous.given else ():
        unreached = _unreached(variant)
        if unreached is not None:
            beside, advice = unreached
            yield config.asynchronous.says(
                f"stands beside {beside}; {advice}, or remove {config.asynchronous.name}"
            )


def _unreached(variant: VariantFacts) -> tuple[str, str] | None:
    """What no asynchronous request reaches, and what to have instead."""
    if variant.is_serverless:
        return "a serverless variant, which answers at once", "put it on instances"
    if not variant.model.given:
        return "inference components, which answer at once", "give the variant a model"
    if any(container.is_multi_model for container in variant.containers):
        return "a multi-model container, and names no model of it", "make an endpoint for each"
    if (variant.instance_type.text or "").startswith("ml.inf1."):
        return "Inf1 instances, which answer at once", "use others"
    return None


@warning(
    source="deepjavalibrary/djl-serving#2567",
    example="AsyncInferenceConfig beside djl-inference:0.29.0-lmi11.0.0-cu124",
)
def async_container(config: EndpointConfigFacts) -> Iterator[Finding]:
    """What an asynchronous endpoint answers has a Content-Length, which DJL's has from 0.31.0 on.

    Before, each request fails: "The response from container primary did not specify the required
    Content-Length header".
    """
    containers = [each for variant in config.variants for each in variant.containers]
    for container in containers if config.asynchronous.given else ():
        image = aws_image(container)
        release = None if image is None else re.match(r"([0-9]+)\.([0-9]+)", image.tag)
        if image is None or release is None or not image.repository.startswith("djl-inference"):
            continue
        if (int(release[1]), int(release[2])) < (0, 31):
            place, is_image = named_image(container)
            yield place.finding(
                f"{is_image} {image.repository}:{image.tag}, whose answers have no Content-Length, "
                "and an asynchronous endpoint refuses them; use 0.31.0 or later"
            )


@warning(source="aws/aws-cdk-rfcs 0431 (2022)", example="AsyncInferenceConfig beside two variants")
def async_variants(config: EndpointConfigFacts) -> Iterator[Finding]:
    """An asynchronous endpoint has one variant.

    SageMaker's engineers wrote so in 2022. Whether it takes more by now is not documented, so this
    warns.
    """
    count = config.variants_fact.size
    if config.asynchronous.given and count is not None and count > 1:
        yield config.asynchronous.says(
            f"stands beside {count} variants; SageMaker took one in 2022; make an endpoint for "
            "each, or try it first"
        )


@rule(
    source="AWS SageMaker developer guide, "
    "use-training-plan-for-inference-endpoints-using-api-cli-sdk",
    example="two variants, each with a reservation of its own",
)
def endpoint_reservations(config: EndpointConfigFacts) -> Iterator[Finding]:
    """All variants of an endpoint that take reserved instances name the same reservation.

    An endpoint takes one training plan.
    """
    named = [
        arn
        for variant in (*config.variants, *config.shadows)
        if (arn := variant.get("CapacityReservationConfig").get("MlReservationArn")).text
    ]
    for arn in named[1:]:
        if arn.text != named[0].text:
            yield arn.says(
                f"is {arn.text}, and another variant names {named[0].text}; an endpoint takes one "
                "reservation: name the same, or make an endpoint for each"
            )


@warning(
    source=_STORAGE,
    example="KmsKeyId: …   # with ml.g4dn.xlarge",
    silent={"environment files": "the deploy leaves the key out there"},
)
def endpoint_key_local(config: EndpointConfigFacts) -> Iterator[Finding]:
    """A KMS key for volumes is given only where any variant has a volume.

    Types with local NVMe storage encrypt that by their own hardware and never with the key.
    Today's documentation says that the key does nothing there, older editions that the call fails.
    """
    kinds = [known(variant.instance_type) for variant in config.variants]
    local = sorted({kind.name for kind in kinds if kind is not None and kind.nvme_gb})
    has_volume = any(kind is None or not kind.nvme_gb for kind in kinds)
    if config.kms_key.given and local and not has_volume:
        yield config.kms_key.says(
            f"is given, but {', '.join(local)} has local storage, which its own hardware encrypts, "
            "not the key; remove the key, or use a type without local storage"
        )


@rule(source=_STORAGE, example="VolumeKmsKeyId: …   # with ml.g4dn.xlarge")
def transform_key_local(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's volume key is given only for types that have a volume.

    The job is refused when it is created, each time the pipeline runs.
    """
    pools = (pool.get("InstanceType") for pool in transform.instance_pools.items())
    kinds = (known(fact) for fact in (transform.instance_type, *pools))
    local = sorted({kind.name for kind in kinds if kind is not None and kind.nvme_gb})
    if transform.volume_key.given and local:
        yield transform.volume_key.says(
            f"is given, but {', '.join(local)} has local storage, which its own hardware encrypts; "
            "remove it, or use a type without local storage"
        )
