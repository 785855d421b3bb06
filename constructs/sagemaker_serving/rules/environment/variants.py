"""The variants and containers of an environment file as facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from local_aws.template import Unknown
from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.rules.facts import ABSENT, ContainerFacts, Fact, VariantFacts
from sagemaker_serving.rules.facts.kinds import (
    Listed,
    Renamed,
    host_type,
    in_aws_words,
    is_serverless,
    laid_over,
    renamed,
)
from sagemaker_serving.rules.neo.facts import compilation_fact
from sagemaker_serving.s3_address import is_s3
from sagemaker_serving.spec.container import PipelineContainer
from sagemaker_serving.spec.variants import InstanceHost, ServerlessHost


def variant_facts(variant: Fact, model: Fact, environment: Fact) -> VariantFacts:
    """A variant with the containers that it runs."""
    hosts_components = bool(model.get("inference_components").value)
    accepted = environment.get("accept_retired").value
    return VariantFacts(
        region=environment.get("region"),
        instance_type=host_type(variant),
        instance_pools=laid_over(pools_of(variant), variant.get("extra").get("InstancePools")),
        # What it runs is the deploy's to name, where it is not inference components.
        model=ABSENT if hosts_components else Fact(Unknown(), variant.where),
        accelerator_type=variant.get("accelerator_type"),
        accept_retired=isinstance(accepted, list) and "elastic-inference" in accepted,
        chooses_ami=True,
        members=_members(variant),
        asynchronous=model.get("asynchronous").given,
        containers=tuple(_containers(variant, model, environment)),
    )


def _members(variant: Fact) -> Fact:
    members = in_aws_words(variant, ServerlessHost if is_serverless(variant) else InstanceHost)
    if is_serverless(variant):
        # What is missing of it is missing of the variant.
        members.parts["ServerlessConfig"] = replace(members.get("ServerlessConfig"), value={})
    return laid_over(members, variant.get("extra"))


def pools_of(host: Fact) -> Fact:
    """Its ``instance_types`` as InstancePools has them; their order is their Priority."""
    types = host.get("instance_types")
    order = Fact(Unknown(), types.where)
    pools = [
        renamed(each, {"InstanceType": Fact(each.value, types.where), "Priority": order})
        for each in types.items()
    ]
    return Listed(types.value, types.where, tuple(pools))


def _containers(variant: Fact, model: Fact, environment: Fact) -> Iterator[ContainerFacts]:
    """What a variant runs: one container, those of a pipeline, or none that are told here."""
    host = host_type(variant)
    package = model.get("model_package")
    if model.get("inference_components").value:
        return
    if package.given:
        unknown = Fact(Unknown(), package.where)
        container = container_facts(variant, model, environment, host)
        yield replace(
            container, artifact=unknown, image_uri=unknown, framework=unknown, definition=ABSENT
        )
        return
    if model.get("containers").value:
        over = dict(enumerate(extra_model(model).get("Containers").items()))
        for number, part in enumerate(model.get("containers").items()):
            yield container_facts(part, model, environment, host, over.get(number, ABSENT))
    elif model.get("multi_model").given:
        container = container_facts(variant, model, environment, host)
        many = model.get("multi_model")
        ports = many.get("safe_port_range")
        given = ports if ports.given else Fact("9000-9999", ports.where)
        yield replace(
            container,
            artifact=many.get("s3_prefix"),
            mode=Fact("MultiModel", many.where),
            environment={"SAGEMAKER_SAFE_PORT_RANGE": given, **container.environment},
        )
    else:
        yield container_facts(variant, model, environment, host)


def extra_model(model: Fact) -> Fact:
    """What ``extra`` lays over each Model."""
    return model.get("extra").get("model")


def container_facts(
    above: Fact, below: Fact, environment: Fact, instance_type: Fact, extra: Fact | None = None
) -> ContainerFacts:
    """What a container runs: a part of the model laid over the model itself. ``extra`` lies over
    it, that of a model's one container unless given."""
    over = extra_model(below).get("PrimaryContainer") if extra is None else extra

    def field(name: str) -> Fact:
        return above.get(name).or_else(below.get(name))

    def joined(name: str) -> Mapping[str, Fact]:
        return {**dict(below.get(name).entries()), **dict(above.get(name).entries())}

    batching = joined("batching")
    block = field("batching")
    if isinstance(block.value, Mapping):  # an empty one turns it on, too
        batching = {"enabled": Fact(True, block.where), **batching}
    artifact = field("artifact")
    in_folder = artifact.get("folder")
    container = ContainerFacts(
        where=above.where,
        region=environment.get("region"),
        framework=field("framework"),
        framework_version=field("framework_version"),
        image_uri=field("image_uri"),
        image_digest=field("image_digest"),
        instance_type=instance_type,
        batching=batching,
        server=joined("server"),
        environment=joined("environment"),
        accelerator=Accelerator.named(above.get("accelerator_type").value),
        network_isolation=field("network_isolation"),
        compilation=compilation_fact(above, below),
        private_network=environment.get("network").get("cidr"),
        definition=laid_over(_definition(above, artifact), over),
    )
    return container.of(in_folder if in_folder.given else artifact)


def _definition(container: Fact, artifact: Fact) -> Fact:
    """What the deploy writes of a container, by AWS's names; it always has an image."""
    source = Renamed({}, artifact.where, {"S3DataSource": _data_source(artifact)})
    image = Fact(Unknown(), container.where)
    written = in_aws_words(container, PipelineContainer)
    del written.parts["Environment"]  # which is judged with what the model and its fields add
    return Renamed(
        {}, container.where, {**written.parts, "Image": image, "ModelDataSource": source}
    )


def _data_source(artifact: Fact) -> Fact:
    """What the deploy writes of a model that lies in S3, or is sent there, without being packed."""
    uri = artifact.get("s3") if isinstance(artifact.value, Mapping) else artifact
    if artifact.get("uncompressed").value is True:
        uri = Fact(Unknown(), artifact.get("folder").where)
    elif not (is_s3(uri.text or "") and (uri.text or "").endswith("/")):
        return ABSENT
    given = {"S3Uri": uri, "S3DataType": "S3Prefix", "CompressionType": "None"}
    return renamed(
        artifact,
        {
            name: value if isinstance(value, Fact) else Fact(value, uri.where)
            for name, value in given.items()
        },
    )
