"""The variants and containers of an environment file as facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sagemaker_serving.catalog import Accelerator
from sagemaker_serving.rules.environment.kinds import serverless_of
from sagemaker_serving.rules.facts import ContainerFacts, Fact, VariantFacts
from sagemaker_serving.rules.facts.kinds import Renamed
from sagemaker_serving.rules.neo.facts import compilation_fact


def variant_facts(variant: Fact, model: Fact, environment: Fact) -> VariantFacts:
    """A variant with the containers that it runs."""
    region = environment.get("region")
    managed = variant.get("managed_instance_scaling")
    return VariantFacts(
        where=variant.where,
        name=variant.get("name"),
        instance_type=variant.get("instance_type"),
        initial_instance_count=variant.get("initial_instance_count"),
        weight=variant.get("weight"),
        accelerator_type=variant.get("accelerator_type"),
        accept_retired=_accepts(environment, "elastic-inference"),
        serverless=serverless_of(variant),
        volume_size=variant.get("volume_size_in_gb"),
        download_timeout=variant.get("model_data_download_timeout_in_seconds"),
        startup_timeout=variant.get("container_startup_health_check_timeout_in_seconds"),
        managed_scaling=Renamed(
            managed.value,
            managed.where,
            {
                "MinInstanceCount": managed.get("min_instance_count"),
                "MaxInstanceCount": managed.get("max_instance_count"),
            },
        ),
        asynchronous=model.get("asynchronous").given,
        region=region,
        containers=tuple(_containers(variant, model, region)),
    )


def _containers(variant: Fact, model: Fact, region: Fact) -> Iterator[ContainerFacts]:
    """What a variant runs: one container, those of a pipeline, or none that are told here."""
    host = variant.get("instance_type")
    if model.get("inference_components").given or model.get("model_package").given:
        return
    if model.get("containers").given:
        for part in model.get("containers").items():
            yield container_facts(part, model, region, host)
    elif model.get("multi_model").given:
        container = container_facts(variant, model, region, host)
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
        yield container_facts(variant, model, region, host)


def _accepts(environment: Fact, what: str) -> bool:
    accepted = environment.get("accept_retired").value
    return isinstance(accepted, list) and what in accepted


def container_facts(above: Fact, below: Fact, region: Fact, instance_type: Fact) -> ContainerFacts:
    """What a container runs: a part of the model laid over the model itself."""

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
        instance_type=instance_type,
        batching=joined("batching"),
        server=joined("server"),
        environment=joined("environment"),
        accelerator=Accelerator.named(above.get("accelerator_type").value),
        network_isolation=field("network_isolation"),
        compilation=compilation_fact(above, below),
    )
