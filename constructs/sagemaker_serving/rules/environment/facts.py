"""Turns an environment file's plain data into facts, whatever shape it is in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from local_aws.template import Unknown
from sagemaker_serving.archive import (
    ArchiveContents,
    UnreadableArtifact,
    known_contents,
    must_be_convertible,
    neo_contents,
    parse_source,
)
from sagemaker_serving.rules.artifact.locations import artifact_location
from sagemaker_serving.rules.endpoint.monitoring import monitoring_facts
from sagemaker_serving.rules.environment.kinds import config_of, definition_of, kind_of, update_of
from sagemaker_serving.rules.environment.neighbours import neighbours
from sagemaker_serving.rules.environment.routers import router_facts
from sagemaker_serving.rules.environment.scaling import scaling_of
from sagemaker_serving.rules.environment.shapes import shapes_of
from sagemaker_serving.rules.environment.variants import container_facts, pools_of, variant_facts
from sagemaker_serving.rules.facts import (
    ABSENT,
    ArtifactFacts,
    ContainerFacts,
    EndpointConfigFacts,
    EnvironmentFacts,
    Fact,
    ModelFacts,
    TransformFacts,
)
from sagemaker_serving.rules.facts.kinds import (
    InferenceComponentFacts,
    Renamed,
    ReplayFacts,
    host_type,
    in_aws_words,
    laid_over,
)
from sagemaker_serving.rules.facts.resources import (
    BatchPipelineFacts,
    CompilationFacts,
    ExtraFacts,
    LocationFacts,
    NameFacts,
    NetworkFacts,
    TagsFacts,
)
from sagemaker_serving.rules.neo.facts import compilation_facts
from sagemaker_serving.s3_address import is_s3
from sagemaker_serving.spec import BatchTransformSettings, EnvironmentFile
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL
from sagemaker_serving.spec.network import ExistingNetwork
from sagemaker_serving.spec.variants import AdapterSettings, ComponentSettings


def environment_facts(file: EnvironmentFile) -> Iterator[object]:
    """Every fact of the environment: the whole, its models, variants, containers, artifacts; and
    what of them becomes a shape of AWS's API."""
    for fact in _of_environment(file):
        yield fact
        yield from shapes_of(fact)


def _of_environment(file: EnvironmentFile) -> Iterator[object]:
    top = Fact(file.data, file.where)
    models = tuple(_model(name, model, top) for name, model in top.get("models").entries())
    yield EnvironmentFacts(
        members=top,
        models=models,
        folder=file.path.parent,
        neighbours=tuple(neighbours(file.path, top.get("name").text, _existing(top))),
        production=top.get("production").value is True,
    )
    yield _tags(top.get("tags"), of_roles=True, added=3)
    for network in (top.get("network"), top.get("organization").get("functions")):
        yield NetworkFacts(members=in_aws_words(network, ExistingNetwork), cidr=network.get("cidr"))
    yield from router_facts(top)
    for model in models:
        yield from _of_model(model, top.get("models").get(model.name), top, file.path.parent)


def _existing(environment: Fact) -> list[str]:
    """The endpoints that were there, and that models of the environment name."""
    named = (
        model.get("endpoint").get("existing").text
        for _, model in environment.get("models").entries()
    )
    return [name for name in named if name is not None]


def _of_model(
    model: ModelFacts, written: Fact, environment: Fact, folder: Path
) -> Iterator[object]:
    yield model
    kind = kind_of(written, environment)
    yield monitoring_facts(environment, written, alarmed=kind.alarmed)
    yield kind
    config = config_of(model, written, environment)
    yield config
    yield from _extras(written)
    for variant in (*config.variants, *config.shadows):
        yield variant
        yield definition_of(variant, written, environment)
        yield from variant.containers
        for container in variant.containers:
            for one in _each_artifact(container, written):
                yield artifact_location(one)
                volume = variant.get("VolumeSizeInGB")
                memory = variant.get("ServerlessConfig").get("MemorySizeInMB")
                yield from artifact_facts(one, folder, volume, memory, is_gated=True)
    yield from _components(config, model.name, written, environment, folder)
    yield from update_of(config, written, kind)
    yield ReplayFacts(
        written=written.get("update").get("replay"),
        environment=environment.get("name").text or "",
        model=model.name,
        folder=folder,
    )
    yield from scaling_of(written)
    if model.transform is not None:
        block = written.get("batch_transform")
        yield BatchPipelineFacts(block)
        yield _tags(block.get("tags"), added=2)
        yield model.transform
        if model.transform.container is not None:
            yield model.transform.container
            in_jobs = _in_jobs(model.transform)
            yield from artifact_facts(in_jobs, folder, transform=model.transform)
    package = written.get("model_package")
    many = written.get("multi_model")
    for place, of in ((package.get("model_data"), package), (many.get("s3_prefix"), many)):
        key = of.get("kms_key_arn")
        yield LocationFacts(uri=place, region=environment.get("region"), key=key)


def _tags(written: Fact, *, of_roles: bool = False, added: int = 0) -> TagsFacts:
    return TagsFacts(
        where=written.where,
        tags=tuple((Fact(key, value.where), value) for key, value in written.entries()),
        of_roles=of_roles,
        added=added,
    )


def _in_jobs(transform: TransformFacts) -> ContainerFacts:
    """The container with the variables that a job lays over the model's."""
    assert transform.container is not None
    own = dict(transform.environment.entries())
    environment = {**transform.container.environment, **own}
    return replace(transform.container, environment=environment)


def _each_artifact(container: ContainerFacts, model: Fact) -> Iterator[ContainerFacts]:
    """The container with each model that the deploy brings to it: one, or those of many."""
    if not container.mode.given:
        yield container
    else:
        archives = model.get("multi_model").get("archives")
        for artifact in (*archives.items(), *(each for _, each in archives.entries())):
            yield container.of(artifact)


def _extras(model: Fact) -> Iterator[ExtraFacts]:
    extra = model.get("extra")
    for name, resource_type in (
        ("model", MODEL),
        ("endpoint_config", ENDPOINT_CONFIG),
        ("endpoint", ENDPOINT),
    ):
        yield ExtraFacts(resource_type=resource_type, extra=extra.get(name))
    for name, below in (
        ("variants", "ProductionVariants"),
        ("shadow_variants", "ShadowProductionVariants"),
    ):
        for variant in model.get(name).items():
            extra = variant.get("extra")
            yield ExtraFacts(resource_type=ENDPOINT_CONFIG, extra=extra, below=below)


def _components(
    config: EndpointConfigFacts, model_name: str, written: Fact, environment: Fact, folder: Path
) -> Iterator[object]:
    host = config.variants[0] if config.variants else None
    instance_type = host.instance_type if host is not None else ABSENT
    for name, component in written.get("inference_components").entries():
        adapts = component.get("base_inference_component_name").given
        yield InferenceComponentFacts(
            members=laid_over(
                in_aws_words(component, AdapterSettings if adapts else ComponentSettings),
                component.get("extra"),
            ),
            variant=host.name if host is not None else ABSENT,
            config=config,
        )
        full = f"{environment.get('name').text}-{model_name}-{name}"
        yield NameFacts(kind="inference component", name=Fact(full, component.where))
        yield ExtraFacts(resource_type=COMPONENT, extra=component.get("extra"))
        below = ABSENT if adapts else written
        container = container_facts(component, below, environment, instance_type)
        devices = component.get("number_of_accelerator_devices_required")
        container = replace(container, accelerators=devices)
        if adapts:
            # What loads it is the base's image; no archive of a model is asked for.
            unknown = Fact(Unknown(), component.where)
            container = replace(container, image_uri=unknown, framework=unknown)
        else:
            yield container
        yield artifact_location(container)
        yield from artifact_facts(container, folder, ABSENT)


def _model(name: str, model: Fact, environment: Fact) -> ModelFacts:
    block = model.get("batch_transform")
    variants, shadows = (
        tuple(variant_facts(variant, model, environment) for variant in model.get(field).items())
        for field in ("variants", "shadow_variants")
    )
    return ModelFacts(
        where=model.where,
        name=name,
        environment_name=environment.get("name"),
        variants=variants,
        shadows=shadows,
        variants_fact=model.get("variants"),
        transform=_transform(block, model, environment) if block.value is not None else None,
    )


def _transform(transform: Fact, model: Fact, environment: Fact) -> TransformFacts:
    nothing_over = Fact({}, transform.where)
    encrypted = transform.get("encrypt_volumes")
    has_key = environment.get("storage").get("kms").value is True
    members = in_aws_words(transform, BatchTransformSettings)
    hosts = dict(members.get("TransformResources").entries())
    hosts["InstanceType"] = host_type(transform)
    if encrypted.value is True and has_key:
        hosts["VolumeKmsKeyId"] = encrypted
    members.parts["TransformResources"] = Renamed({}, transform.where, hosts)
    return TransformFacts(
        region=environment.get("region"),
        members=members,
        instance_pools=pools_of(transform),
        container=container_facts(nothing_over, model, environment, host_type(transform)),
    )


def artifact_facts(
    container: ContainerFacts,
    folder: Path,
    volume_size: Fact = ABSENT,
    memory_size: Fact = ABSENT,
    *,
    is_gated: bool = False,
    transform: TransformFacts | None = None,
) -> Iterator[ArtifactFacts | CompilationFacts]:
    """The container's model, as it lies on disk or in S3, and how Neo compiles it, if it does.

    What is gated the deploy judges before it has traffic. ``transform`` runs it, where one does.
    """
    contents, unreadable = None, None
    text = container.artifact.text
    each = container.sources.items() if container.sources.given else (container.artifact,)
    texts = tuple(one.text for one in each if one.text is not None and not is_s3(one.text))
    if text is not None and texts:
        contents, unreadable = _read(
            folder, texts, container.compilation.given, container.is_multi_model
        )
    yield ArtifactFacts(
        container=container,
        contents=contents,
        unreadable=unreadable,
        volume_size=volume_size,
        memory_size=memory_size,
        transform=transform,
    )
    compilation = compilation_facts(container, contents, folder=folder, is_gated=is_gated)
    if compilation is not None:
        yield compilation


@cache
def _read(
    folder: Path, texts: tuple[str, ...], for_neo: bool, versions_on_top: bool
) -> tuple[ArchiveContents | None, UnreadableArtifact | None]:
    try:
        sources = [parse_source(text, folder) for text in texts]
        if for_neo:
            contents = neo_contents(sources)
        else:
            contents = known_contents(sources, versions_on_top=versions_on_top)
        if contents.converted:
            must_be_convertible(sources)
    except UnreadableArtifact as error:
        return None, error
    except (OSError, ValueError) as error:
        # What is no path at all: too long for any file system, or with a null byte in it.
        reason = error.strerror if isinstance(error, OSError) else None
        return None, UnreadableArtifact(
            f"this can't be opened: {reason.lower() if reason is not None else error}"
        )
    return contents, None
