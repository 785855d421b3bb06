"""What runs behind an endpoint, where it came from, and whether a file says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.catalog import instances
from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.host_images import image_for
from sagemaker_serving.catalog.images import UnknownImage
from sagemaker_serving.catalog.instances import variant_types
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.describing import described_endpoint
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.endpoint.guardrails import waits_of
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.spec import Container, InstanceVariant, Model, Variant
from sagemaker_serving.spec.container import Artifact, in_s3
from sagemaker_serving.spec.provenance import COMMIT_TAG, VERSION_TAG

_SHA256_KEY = re.compile(r"/([0-9a-f]{64})(\.tar\.gz|/|\.files/)$")
"""How an archive, or a folder that is not packed, is named in S3 by a synth: by its content."""


@dataclass(frozen=True, kw_only=True)
class Served:
    """One container of one variant, as SageMaker describes it.

    ``archive`` is the prefix of files that are not packed, and None where a Model names neither;
    ``archive_sha256`` is None for an archive whose name does not tell it;
    ``instance_type`` and ``instances`` are None where there are none.
    """

    variant: str
    container: int
    model: str
    image: str | None
    archive: str | None
    archive_sha256: str | None
    environment: Mapping[str, str]
    instance_type: str | None
    instances: int | None
    weight: float | None


@dataclass(frozen=True, kw_only=True)
class StandsStill:
    """What no scaling changes during an update, and for how long.

    Auto scaling is blocked until an update has ended (developer guide, "Update endpoints that use
    auto scaling"). ``scaled`` are the variants that scale, None where AWS does not say to this
    caller. ``waits_seconds`` are the update's waits together, to which the start of the new
    instances comes; ``most_seconds`` is its MaximumExecutionTimeoutInSeconds, None for none.
    """

    scaled: tuple[str, ...] | None
    waits_seconds: float
    most_seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """An endpoint, and everything that it runs.

    ``stands_still`` is None where nothing scales it, or its last deployment moved it at once.
    """

    endpoint: str
    status: str
    config: str
    changed: str
    commit: str | None
    version: str | None
    served: tuple[Served, ...]
    stands_still: StandsStill | None

    def as_dict(self) -> dict[str, Any]:
        """All of it, for programs."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """One thing that is not as the file says."""

    variant: str
    what: str
    file: str
    runs: str


def explain(endpoint: str, aws: Aws | None = None) -> Explanation:
    """Asks SageMaker what ``endpoint`` runs.

    Needs ``sagemaker:DescribeEndpoint``, ``DescribeEndpointConfig``,
    ``DescribeModel`` and ``ListTags``, and to tell what scales
    ``application-autoscaling:DescribeScalableTargets``. Raises `NotFound` for an unknown
    endpoint, `Failure` when AWS fails.
    """
    aws = aws if aws is not None else Aws()
    client = aws.client("sagemaker")
    described = described_endpoint(client, endpoint)
    with aws_failures():
        config = client.describe_endpoint_config(EndpointConfigName=described["EndpointConfigName"])
        tags = {
            tag["Key"]: tag["Value"]
            for page in client.get_paginator("list_tags").paginate(
                ResourceArn=config["EndpointConfigArn"]
            )
            for tag in page["Tags"]
        }
        running = {
            variant["VariantName"]: variant for variant in described.get("ProductionVariants", [])
        }
        return Explanation(
            endpoint=endpoint,
            status=described["EndpointStatus"],
            config=described["EndpointConfigName"],
            changed=described["LastModifiedTime"].isoformat(timespec="seconds"),
            commit=tags.get(COMMIT_TAG),
            version=tags.get(VERSION_TAG),
            served=tuple(
                served
                for kind in ("ProductionVariants", "ShadowProductionVariants")
                for variant in config.get(kind, ())
                for served in _served(client, variant, running.get(variant["VariantName"], {}))
            ),
            stands_still=_stands_still(aws, endpoint, described.get("LastDeploymentConfig", {})),
        )


def _stands_still(aws: Aws, endpoint: str, last: Mapping[str, Any]) -> StandsStill | None:
    deployment = Fact(last, Where())
    blue_green, rolling = (
        deployment.get(f"{kind}UpdatePolicy") for kind in ("BlueGreen", "Rolling")
    )
    waits = waits_of(blue_green, rolling)
    if not waits:
        return None
    scaled: tuple[str, ...] | None = None
    try:
        pages = aws.client("application-autoscaling").get_paginator("describe_scalable_targets")
        scaled = tuple(
            sorted(
                name
                for page in pages.paginate(ServiceNamespace="sagemaker")
                for target in page["ScalableTargets"]
                for of, _, name in [target["ResourceId"].rpartition("/variant/")]
                if of == f"endpoint/{endpoint}"
            )
        )
    except ClientError as error:
        if "AccessDenied" not in str(error):
            raise
    policy = rolling if rolling.given else blue_green
    most = policy.get("MaximumExecutionTimeoutInSeconds").number
    if scaled == ():
        return None
    return StandsStill(scaled=scaled, waits_seconds=waits, most_seconds=most)


def _served(client: Any, variant: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Served]:
    containers: Sequence[Mapping[str, Any]] = ()
    if "ModelName" in variant:
        model = client.describe_model(ModelName=variant["ModelName"])
        containers = model.get("Containers") or [model.get("PrimaryContainer", {})]
    for number, container in enumerate(containers):
        files = container.get("ModelDataSource", {}).get("S3DataSource", {})
        archive = container.get("ModelDataUrl", files.get("S3Uri"))
        named = _SHA256_KEY.search(archive) if archive is not None else None
        yield Served(
            variant=variant["VariantName"],
            container=number,
            model=variant["ModelName"],
            image=container.get("Image"),
            archive=archive,
            archive_sha256=None if named is None else named[1],
            environment=container.get("Environment", {}),
            instance_type=next(iter(variant_types(variant)), None),
            instances=now.get("CurrentInstanceCount"),
            weight=now.get("CurrentWeight"),
        )


def deviations(
    explanation: Explanation, model: Model, region: str, sha256_of: Callable[[Artifact], str]
) -> list[Deviation]:
    """What is not as ``model`` of an environment file in ``region`` says; empty: all is.

    ``sha256_of`` tells the content's hash of an artifact that lies here, as the deploy sends it.
    Weights and counts are not judged: callers and scaling change them on
    purpose. Of compiled variants only the instance type is judged, since what
    they run is made at the deploy; of pipelines and multi-model endpoints each
    container's image and variables.
    """
    return [
        Deviation(variant=variant, what=what, file=file, runs=runs)
        for variant, what, file, runs in _deviations(explanation, model, region, sha256_of)
    ]


def _deviations(
    explanation: Explanation, model: Model, region: str, sha256_of: Callable[[Artifact], str]
) -> Iterator[tuple[str, str, str, str]]:
    """The variant, what of it is another, what the file says and what runs."""
    served = {(each.variant, each.container): each for each in explanation.served}
    stated = {variant.name: variant for variant in [*model.variants, *model.shadow_variants]}
    for name, variant in stated.items():
        if (name, 0) not in served:
            yield name, "variant", "is there", "is not served"
            continue
        parts: Sequence[Container] = model.containers if model.containers else [variant]
        for number, part in enumerate(parts):
            actual = served.get((name, number))
            if actual is not None:
                container = model.container(part)
                for found in _compared(variant, container, actual, model, region, sha256_of):
                    yield name, *found
        if isinstance(variant, InstanceVariant):
            runs = served[name, 0].instance_type
            if runs != variant.instance_type:
                yield name, "instance_type", variant.instance_type, str(runs)
    for name in dict.fromkeys(each.variant for each in explanation.served):
        if name not in stated:
            yield name, "variant", "is not there", "is served"


def _compared(
    of: Variant,
    stated: Container,
    actual: Served,
    model: Model,
    region: str,
    sha256_of: Callable[[Artifact], str],
) -> Iterator[tuple[str, str, str]]:
    """What of a container is another, what the file says and what runs."""
    if stated.compile is not None or model.model_package is not None:
        return
    accelerator = of.accelerator_type if isinstance(of, InstanceVariant) else None
    image = _image(stated, actual.instance_type, region, Accelerator.named(accelerator))
    if image is not None and image != actual.image:
        yield "image", image, str(actual.image)
    for name, value in stated.variables.items():
        runs = actual.environment.get(name)
        if runs != value:
            yield name, value, "is not set" if runs is None else runs
    artifact = stated.artifact
    if model.multi_model is not None or artifact is None:
        return
    archive = in_s3(artifact)
    if archive is not None:
        if archive.s3 != actual.archive:
            yield "archive", archive.s3, str(actual.archive)
    elif (sha256 := sha256_of(artifact)) != actual.archive_sha256:
        runs = actual.archive_sha256 if actual.archive_sha256 is not None else str(actual.archive)
        yield "archive's sha256", sha256, runs


def _image(
    stated: Container,
    instance_type: str | None,
    region: str,
    accelerator: Accelerator | None,
) -> str | None:
    if stated.own_image is not None:
        return stated.own_image
    if stated.framework is None or stated.framework_version is None or instance_type is None:
        return None
    try:
        image = image_for(
            instances.instance_type(instance_type),
            framework=stated.framework,
            version=stated.framework_version,
            region=region,
            accelerator=accelerator,
        )
    except UnknownImage:
        return None
    return image.pinned(stated.image_digest).uri
