"""Turns an environment file's plain data into facts, whatever shape it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from sagemaker_serving.archive import ArchiveContents, UnreadableArtifact, read_contents
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import (
    ArtifactFacts,
    ContainerFacts,
    EnvironmentFacts,
    Fact,
    ModelFacts,
    TransformFacts,
    VariantFacts,
)
from sagemaker_serving.spec import EnvironmentFile


def environment_facts(file: EnvironmentFile) -> Iterator[object]:
    """Every fact of the environment: the whole, its models, variants, containers, artifacts."""
    top = Fact(file.data, file.where)
    region = top.get("region")
    models = tuple(
        _model(name, model, top.get("name"), region) for name, model in top.get("models").entries()
    )
    yield EnvironmentFacts(
        where=file.where,
        name=top.get("name"),
        region=region,
        account=top.get("account"),
        tags=top.get("tags"),
        models=models,
        folder=file.path.parent,
    )
    artifacts: dict[Where, ArtifactFacts] = {}
    for model in models:
        yield model
        for variant in model.variants:
            yield variant
            yield variant.container
        if model.transform is not None:
            yield model.transform
            yield model.transform.container
        for container in _containers(model):
            if container.artifact.where not in artifacts:
                artifacts[container.artifact.where] = _artifact(container, file.path.parent)
    yield from artifacts.values()


def _containers(model: ModelFacts) -> Iterator[ContainerFacts]:
    yield from (variant.container for variant in model.variants)
    if model.transform is not None:
        yield model.transform.container


def _model(name: str, model: Fact, environment_name: Fact, region: Fact) -> ModelFacts:
    transform = model.get("batch_transform")
    return ModelFacts(
        where=model.where,
        name=name,
        environment_name=environment_name,
        variants=tuple(
            _variant(variant, model, region) for variant in model.get("variants").items()
        ),
        variants_fact=model.get("variants"),
        transform=_transform(transform, model, region) if transform.value is not None else None,
    )


def _variant(variant: Fact, model: Fact, region: Fact) -> VariantFacts:
    return VariantFacts(
        where=variant.where,
        name=variant.get("name"),
        instance_type=variant.get("instance_type"),
        initial_instance_count=variant.get("initial_instance_count"),
        weight=variant.get("weight"),
        region=region,
        container=_container(variant, model, region),
    )


def _transform(transform: Fact, model: Fact, region: Fact) -> TransformFacts:
    nothing_over = Fact({"instance_type": transform.get("instance_type").value}, transform.where)
    return TransformFacts(
        where=transform.where,
        region=region,
        instance_type=transform.get("instance_type"),
        instance_count=transform.get("instance_count"),
        split_type=transform.get("split_type"),
        batch_strategy=transform.get("batch_strategy"),
        max_payload_in_mb=transform.get("max_payload_in_mb"),
        max_concurrent_transforms=transform.get("max_concurrent_transforms"),
        environment=transform.get("environment"),
        container=_container(nothing_over, model, region),
    )


def _container(above: Fact, below: Fact, region: Fact) -> ContainerFacts:
    def field(name: str) -> Fact:
        fact = above.get(name)
        return fact if fact.value is not None else below.get(name)

    def joined(name: str) -> Mapping[str, Fact]:
        return {**dict(below.get(name).entries()), **dict(above.get(name).entries())}

    return ContainerFacts(
        where=above.where,
        region=region,
        artifact=field("artifact"),
        framework=field("framework"),
        framework_version=field("framework_version"),
        image_uri=field("image_uri"),
        instance_type=above.get("instance_type"),
        batching=joined("batching"),
        server=joined("server"),
        environment=joined("environment"),
    )


def _artifact(container: ContainerFacts, folder: Path) -> ArtifactFacts:
    contents, unreadable = None, None
    text = container.artifact.text
    if text is not None and not text.startswith("s3://"):
        contents, unreadable = _read(folder / text, text)
    return ArtifactFacts(
        artifact=container.artifact,
        framework=container.framework,
        contents=contents,
        unreadable=unreadable,
    )


@cache
def _read(path: Path, as_written: str) -> tuple[ArchiveContents | None, str | None]:
    try:
        return read_contents(path), None
    except UnreadableArtifact as error:
        return None, str(error)
