"""Turns an environment file's plain data into facts, whatever shape it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from sagemaker_serving.archive import (
    ArchiveContents,
    UnreadableArtifact,
    known_contents,
    must_be_convertible,
)
from sagemaker_serving.rules.facts import (
    ArtifactFacts,
    ContainerFacts,
    EndpointConfigFacts,
    EnvironmentFacts,
    Fact,
    ModelFacts,
    TransformFacts,
    VariantFacts,
)
from sagemaker_serving.rules.locations import artifact_location
from sagemaker_serving.rules.resource_facts import NetworkFacts, TagsFacts
from sagemaker_serving.spec import EnvironmentFile


def environment_facts(file: EnvironmentFile) -> Iterator[object]:
    """Every fact of the environment: the whole, its models, variants, containers, artifacts."""
    top = Fact(file.data, file.where)
    region = top.get("region")
    models = tuple(_model(name, model, top) for name, model in top.get("models").entries())
    yield EnvironmentFacts(
        where=file.where,
        name=top.get("name"),
        region=region,
        account=top.get("account"),
        tags=top.get("tags"),
        models=models,
        folder=file.path.parent,
    )
    yield TagsFacts(
        where=top.get("tags").where,
        tags=tuple((Fact(key, value.where), value) for key, value in top.get("tags").entries()),
    )
    network = top.get("network")
    yield NetworkFacts(
        where=network.where,
        subnets=network.get("subnet_ids"),
        security_groups=network.get("security_group_ids"),
    )
    for model in models:
        yield model
        yield EndpointConfigFacts(
            where=model.where,
            region=region,
            variants=model.variants,
            variants_fact=model.variants_fact,
        )
        for variant in model.variants:
            yield variant
            yield from variant.containers
            yield from (artifact_location(container) for container in variant.containers)
        if model.transform is not None:
            yield model.transform
            if model.transform.container is not None:
                yield model.transform.container
        yield from _artifacts(model, file.path.parent, top.get("models").get(model.name))


def _artifacts(model: ModelFacts, folder: Path, written: Fact) -> Iterator[ArtifactFacts]:
    for variant, fact in zip(model.variants, written.get("variants").items(), strict=True):
        for container in variant.containers:
            yield _artifact(container, folder, fact)
    if model.transform is not None and model.transform.container is not None:
        yield _artifact(model.transform.container, folder, written.get("batch_transform"))


def _model(name: str, model: Fact, environment: Fact) -> ModelFacts:
    region = environment.get("region")
    transform = model.get("batch_transform")
    return ModelFacts(
        where=model.where,
        name=name,
        environment_name=environment.get("name"),
        variants=tuple(
            _variant(variant, model, environment) for variant in model.get("variants").items()
        ),
        variants_fact=model.get("variants"),
        transform=_transform(transform, model, region) if transform.value is not None else None,
    )


def _variant(variant: Fact, model: Fact, environment: Fact) -> VariantFacts:
    region = environment.get("region")
    return VariantFacts(
        where=variant.where,
        name=variant.get("name"),
        instance_type=variant.get("instance_type"),
        initial_instance_count=variant.get("initial_instance_count"),
        weight=variant.get("weight"),
        accelerator_type=variant.get("accelerator_type"),
        accept_retired=_accepts(environment, "elastic-inference"),
        volume_size=variant.get("volume_size_in_gb"),
        download_timeout=variant.get("model_data_download_timeout_in_seconds"),
        startup_timeout=variant.get("container_startup_health_check_timeout_in_seconds"),
        region=region,
        containers=(_container(variant, model, region),),
    )


def _accepts(environment: Fact, what: str) -> bool:
    accepted = environment.get("accept_retired").value
    return isinstance(accepted, list) and what in accepted


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
        accelerated=above.get("accelerator_type").given,
        network_isolation=field("network_isolation"),
    )


def _artifact(container: ContainerFacts, folder: Path, written: Fact) -> ArtifactFacts:
    contents, unreadable = None, None
    text = container.artifact.text
    if text is not None and not text.startswith("s3://"):
        contents, unreadable = _read(folder / text, text)
    return ArtifactFacts(
        container=container,
        contents=contents,
        unreadable=unreadable,
        compilation=written.get("compile"),
        volume_size=written.get("volume_size_in_gb"),
    )


@cache
def _read(path: Path, as_written: str) -> tuple[ArchiveContents | None, UnreadableArtifact | None]:
    try:
        contents = known_contents(path)
        if contents.converted:
            must_be_convertible(path)
    except UnreadableArtifact as error:
        return None, error
    except (OSError, ValueError) as error:
        # What is no path at all: too long for any file system, or with a null byte in it.
        reason = error.strerror if isinstance(error, OSError) else None
        return None, UnreadableArtifact(
            f"this can't be opened: {reason.lower() if reason is not None else error}"
        )
    return contents, None
