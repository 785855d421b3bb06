"""Variants of an endpoint and the containers that they run, as fields of an environment file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.catalog.images import (
    Processor,
    UnknownImage,
    container_image,
    repository_versions,
    scopes_of,
)
from sagemaker_serving.operations.adoption.draft import Path
from sagemaker_serving.operations.adoption.members import (
    Reading,
    is_unknown,
    open_,
    plain,
    take,
)
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.resources import Resource
from sagemaker_serving.spec.container import Container, PipelineContainer
from sagemaker_serving.spec.kinds import ModelPackage, MultiModel
from sagemaker_serving.spec.members import ENDPOINT_CONFIG, MODEL

_PROCESSORS: tuple[Processor, ...] = ("cpu", "gpu", "inf", "inf2", "neuronx")
_FIELDS = {"ProductionVariants": "variants", "ShadowProductionVariants": "shadow_variants"}


def read_variants(reading: Reading, config: Fact, base: Path) -> None:
    """Writes the variants of ``config`` and what they run; what all have stands above them."""
    variants = [
        (kind, index, fact)
        for kind in _FIELDS
        for index, fact in enumerate(config.get(kind).items())
        if isinstance(fact.value, Mapping)
    ]
    models = [
        reading.resources.referred(fact.get("ModelName"), MODEL, "ModelName")
        for _, _, fact in variants
    ]
    for (kind, index, fact), model in zip(variants, models, strict=True):
        path = (*base, _FIELDS[kind], index)
        _variant(reading, kind, index, reading.resources.numbered(fact).value, path)
        if model is not None:
            read_model(reading, model, base, path)
        elif fact.get("ModelName").given:
            reading.draft.remark(
                (*path, "artifact"),
                "the Model does not stand beside the endpoint; write what it runs",
            )
    reading.draft.lift(base, [(*base, _FIELDS[kind], index) for kind, index, _ in variants])


def _variant(reading: Reading, kind: str, index: int, members: Any, path: Path) -> None:
    rest = plain(members)
    take(rest, "ModelName")
    reading.keys(take(rest, "CoreDumpConfig", "KmsKeyId"))
    dump = take(rest, "CoreDumpConfig")
    pools = take(rest, "InstancePools")
    if rest.get("ServerlessConfig") is not None:
        take(rest, "InitialVariantWeight")  # its only variant has all the traffic
    if take(rest, "ManagedInstanceScaling", "Status") == "DISABLED":
        take(rest, "ManagedInstanceScaling")
    reading.by_table(ENDPOINT_CONFIG, rest, path, (kind, index))
    if isinstance(dump, Mapping):
        reading.draft.set((*path, "core_dump"), {})
        reading.bucket((*path, "core_dump"), "DestinationS3Uri", dump.get("DestinationS3Uri"))
    if pools is not None and is_unknown(pools):
        reading.draft.remark((*path, "instance_types"), open_("InstancePools"))
    elif pools:
        ordered = sorted(pools, key=lambda pool: pool.get("Priority") or 0)
        types = [pool.pop("InstanceType", None) for pool in ordered]
        reading.draft.set((*path, "instance_types"), types)
        others = [{k: v for k, v in pool.items() if k != "Priority"} for pool in ordered]
        if any(others):
            reading.draft.set((*path, "extra", "InstancePools"), others)


def read_model(reading: Reading, model: Resource, base: Path, at: Path) -> None:
    """Writes a Model's members; its container's fields go to ``at``."""
    if not isinstance(model.properties.value, Mapping):
        reading.draft.remark((*at, "artifact"), open_(f"all of {model.logical_id}"))
        return
    rest = plain(model.properties.value)
    reading.tags(take(rest, "Tags"))
    reading.network(take(rest, "VpcConfig"))
    if rest.get("InferenceExecutionConfig") == {"Mode": "Serial"}:  # SageMaker's own default
        take(rest, "InferenceExecutionConfig")
    role = take(rest, "ExecutionRoleArn")
    if isinstance(role, str):
        reading.draft.remark(
            base, f"ran as {role}; here the deploy makes a role that may do what the file needs"
        )
    primary, many = (model.properties.get(name) for name in ("PrimaryContainer", "Containers"))
    for name in ("PrimaryContainer", "Containers"):
        take(rest, name)
    containers = list(many.items())
    if len(containers) == 1:
        primary, containers = containers[0], []
    if isinstance(primary.value, Mapping):
        read_container(reading, primary, at, base, ("PrimaryContainer",))
    for index, fact in enumerate(containers):
        read_container(reading, fact, (*base, "containers", index), base, ("Containers", index))
    reading.by_table(MODEL, rest, base)


def read_container(reading: Reading, fact: Fact, at: Path, base: Path, place: Path) -> None:
    """Writes a container's members to ``at``, and what the whole model has to ``base``."""
    given = fact.value if isinstance(fact.value, Mapping) else {}
    rest = {name: value for name, value in given.items() if name != "Environment"}
    image = take(rest, "Image")
    if image is not None:
        _image(reading, image, at)
    if take(rest, "Mode") == "MultiModel":
        many = (*base, "multi_model")
        reading.draft.set(many, reading.draft.get(many) or {})
        reading.by_fields(MultiModel, rest, many)
    in_line = at[-2] == "containers"
    reading.by_fields(PipelineContainer if in_line else Container, rest, at)
    reading.by_fields(ModelPackage, rest, (*base, "model_package"))
    for name in ("ContainerHostname", "MultiModelConfig"):  # of one container they say nothing
        take(rest, name)
    if rest.get("ModelDataSource") == {"S3DataSource": {}}:
        take(rest, "ModelDataSource")
    for name, fact_of in fact.get("Environment").entries():
        if is_unknown(fact_of.value):
            reading.draft.remark((*at, "environment", name), open_("it"))
        else:
            reading.draft.set((*at, "environment", name), _text(fact_of.value))
    reading.by_table(MODEL, plain(rest), base, place)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _image(reading: Reading, image: Any, at: Path) -> None:
    if is_unknown(image):
        reading.draft.remark((*at, "image_uri"), open_("Image"))
        return
    published = _published(str(image))
    if published is None:
        uri, _, digest = str(image).partition("@")
        reading.draft.set((*at, "image_uri"), uri)
        if digest:
            reading.draft.set((*at, "image_digest"), digest)
    else:
        for name, value in zip(("framework", "framework_version"), published, strict=True):
            reading.draft.set((*at, name), value)


def _published(uri: str) -> tuple[str, str] | None:
    """Framework and version whose image ``uri`` is, by its own tag; None where it is no such."""
    image = parse_ecr_uri(uri)
    if image is None:
        return None
    versions = repository_versions(image.repository)
    for (framework, scope), processor in product(scopes_of(image.repository), _PROCESSORS):
        for version in versions[framework]:
            try:
                found = container_image(
                    framework=framework,
                    version=version,
                    region=image.region,
                    processor=processor,
                    scope=scope,
                )
            except UnknownImage:
                continue
            if found == image:
                return framework, version
    return None
