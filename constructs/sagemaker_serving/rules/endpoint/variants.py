"""Rules on production variants: their names, sizes and shares."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.model_ids import frameworks_of_image, model_id_variables
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ABSENT, EndpointConfigFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.rules.template.marks import same_text

_SOURCE = "botocore ProductionVariant"


@rule(refused=True, source=_SOURCE, example="two variants with name: blue")
def variant_names_unique(config: EndpointConfigFacts) -> Iterator[Finding]:
    """No two variants of an endpoint share a name.

    Metrics, scaling and targeted requests all find a variant by its name. What one parameter names
    twice is the same, too.
    """
    seen: set[str] = set()
    for variant in (*config.variants, *config.shadows):
        name = same_text(variant.name.value)
        if name is None:
            continue
        if name in seen:
            shown = repr(variant.name.text) if variant.name.text is not None else "the same"
            yield variant.name.finding(f"a variant named {shown} stands above; rename one of them")
        seen.add(name)


@rule(
    source="AWS SageMaker developer guide, ProductionVariant",
    example="weight: 0   # on every variant",
)
def variant_weights(config: EndpointConfigFacts) -> Iterator[Finding]:
    """Some variant gets traffic: not every weight is 0.

    Shares are weights over their sum. A single 0 is legal: the variant waits, ready, for requests
    that name it.
    """
    weights = [variant.get("InitialVariantWeight").number for variant in config.variants]
    known = config.variants_fact.size is not None
    if known and weights and all(weight == 0 for weight in weights):
        yield config.variants_fact.finding(
            "every variant's weight is 0, so no request would be answered; give one of them a "
            "weight over 0"
        )


@rule(
    refused=True,
    source="botocore ProductionVariant, AWS::SageMaker::EndpointConfig",
    example="{VariantName: a, ModelName: m}   # neither InstanceType nor ServerlessConfig",
    silent={"environment files": "the number has a default"},
)
def variant_complete(variant: VariantFacts) -> Iterator[Finding]:
    """A variant has instances, with their type and number, or is serverless with a model.

    CloudFormation's schema demands the variant's name only, so it accepts what CreateEndpointConfig
    then refuses.
    """
    if variant.is_serverless and variant.model.name and not variant.model.given:
        yield variant.finding(
            "ModelName is missing and the variant is serverless, which hosts no inference "
            "components; name its model"
        )
    if variant.is_serverless or variant.instance_pools.given:
        return
    if not variant.instance_type.given:
        yield variant.finding(
            f"{variant.instance_type.name} is missing and the variant is not serverless; give the "
            "type and number of its instances, or a serverless configuration"
        )
    count, managed = map(variant.get, ("InitialInstanceCount", "ManagedInstanceScaling"))
    has_default = count.name != "InitialInstanceCount"  # that of environment files is 1
    if not (count.given or has_default or managed.given):
        yield variant.finding(f"{count.name} is missing; give it, 1 or more")


@rule(
    refused=True,
    source="AWS SageMaker developer guide, serverless endpoints",
    example="{InstanceType: ml.c5.large, ServerlessConfig: {…}}",
)
def variant_mixed(variant: VariantFacts) -> Iterator[Finding]:
    """A variant is on instances or serverless, never both.

    CreateEndpointConfig refuses both; the schema allows them.
    """
    if not variant.is_serverless:
        return
    instances = (
        *(variant.instance_type, variant.instance_pools),
        *(variant.get("InitialInstanceCount"), variant.get("ManagedInstanceScaling")),
    )
    for fact in instances:
        if fact.given:
            yield fact.says(
                "is given on a serverless variant; serverless variants have no instances; remove "
                "it, or remove the serverless configuration"
            )


@warning(
    source="AWS SageMaker developer guide, model artifacts for inference; "
    "hashicorp/terraform-provider-aws#32734",
    example="a Model of knn:1 without ModelDataUrl",
)
def variant_model(variant: VariantFacts) -> Iterator[Finding]:
    """A variant whose image serves what is in its archive has one, or its variables name a model.

    CreateModel takes a container without. Then the server finds nothing to serve, and the endpoint
    fails its health checks. A path names no model: nothing but ModelDataUrl puts one there. A
    script, or a server's own settings, may fetch a model of their own.
    """
    for container in variant.containers if variant.model.given else ():
        serves = frameworks_of_image(container.image_uri.text or "")
        without = not (container.artifact.given or container.data_source.given)
        own = ("SAGEMAKER_SUBMIT_DIRECTORY", "SERVING_", "OPTION_ENTRYPOINT")
        if not serves or not without or any(name.startswith(own) for name in container.environment):
            continue
        variables = {name for one in serves for name in model_id_variables(one) or ()}
        needless = any(model_id_variables(one) == () for one in serves)
        given = (container.environment.get(name, ABSENT) for name in variables)
        if not needless and not any(id_.given and id_.shown[:1] != "/" for id_ in given):
            instead = f", or the model's id as {' or '.join(sorted(variables))}"
            yield container.finding(
                f"the image of {serves[0]} serves what ModelDataUrl leads to, and there is none; "
                f"add it{instead if variables else ''}"
            )


@rule(
    refused=True,
    source="botocore CreateEndpointConfig.ShadowProductionVariants",
    example="two ProductionVariants beside one ShadowProductionVariants",
)
def shadow_variants(config: EndpointConfigFacts) -> Iterator[Finding]:
    """A shadow test has exactly one production and one shadow variant.

    The shadow gets a copy of the one production variant's requests.
    """
    shadows, production = config.shadows_fact.size, config.variants_fact.size
    if not shadows:
        return
    for fact, count in ((config.variants_fact, production), (config.shadows_fact, shadows)):
        if count is not None and count != 1:
            yield fact.says(
                f"has {count} variants; with a shadow there is exactly one production and one "
                "shadow variant; remove the others"
            )


@rule(
    refused=True,
    source="AWS SageMaker developer guide, shadow-tests-exclusions",
    example="ShadowProductionVariants beside a multi-model container",
)
def shadow_excludes(config: EndpointConfigFacts) -> Iterator[Finding]:
    """Beside a shadow variant every variant runs one container with one model, and answers at once.

    It is not serverless, asynchronous, or on Inf1 or Elastic Inference. SageMaker refuses the
    others.
    """
    if not config.shadows:
        return
    for variant in (*config.variants, *config.shadows):
        for where, what in _not_in_shadow_tests(variant):
            yield (
                where,
                f"{what}, and the endpoint has a shadow variant, beside which SageMaker takes "
                "none; change it, or remove the shadow",
            )
    if config.asynchronous.given:
        yield config.shadows_fact.says(
            f"stands beside {config.asynchronous.name}; shadow tests are of real-time endpoints; "
            "remove one of them"
        )


def _not_in_shadow_tests(variant: VariantFacts) -> Iterator[Finding]:
    if variant.is_serverless:
        yield variant.get("ServerlessConfig").finding("the variant is serverless")
    if len(variant.containers) > 1:
        yield variant.finding(f"the variant's model has {len(variant.containers)} containers")
    for container in variant.containers:
        if container.is_multi_model:
            yield container.mode.finding("the container is multi-model")
    if (variant.instance_type.text or "").startswith("ml.inf1."):
        yield variant.instance_type.says(f"is {variant.instance_type.text}, an Inf1 host")
    if variant.accelerator_type.given:
        yield variant.accelerator_type.says("is given")


@warning(
    source="AWS SageMaker developer guide, host instance storage; aws/sagemaker-python-sdk#4828",
    example="VolumeSizeInGB: 100   # on ml.g4dn.xlarge",
)
def variant_volume_local(variant: VariantFacts) -> Iterator[Finding]:
    """A volume size is asked for only on types that get a volume.

    Types with local NVMe storage get that instead of an EBS volume of a chosen size.
    CreateEndpointConfig refuses the size on some of them, ml.trn1 for one. On which it does not,
    nobody documents, so this warns.
    """
    kind, size = known(variant.instance_type), variant.get("VolumeSizeInGB")
    if kind is not None and kind.nvme_gb and size.given:
        yield size.says(
            f"is given on {kind.name}, which has {kind.nvme_gb} GB of local storage instead of a "
            "volume; remove it, or use a type without local storage"
        )


@rule(
    refused=True,
    source="botocore ProductionVariantRoutingConfig, PrefixAwareRoutingConfig",
    example="RoutingConfig: {RoutingStrategy: PREFIX_AWARE}",
    shapes=("PrefixAwareRoutingPrefixLength", "PrefixAwareRoutingConcurrencyThreshold"),
)
def variant_prefix_routing(variant: VariantFacts) -> Iterator[Finding]:
    """PREFIX_AWARE says how long a beginning counts and when an instance is full; no other does.

    CreateEndpointConfig demands both with it, and takes neither without.
    """
    routing = variant.get("RoutingConfig")
    strategy = routing.get("RoutingStrategy")
    prefixes = routing.get("PrefixAwareRoutingConfig")
    if strategy.text == "PREFIX_AWARE" and not prefixes.given:
        yield strategy.says(
            f"is PREFIX_AWARE and {prefixes.name} is missing; add it, with the length of a "
            "beginning and the number of open requests"
        )
    elif prefixes.given and strategy.text not in (None, "PREFIX_AWARE"):
        yield prefixes.says(
            f"is given and {strategy.name} is {strategy.text}; remove it, or choose PREFIX_AWARE"
        )


@rule(
    source="botocore ProductionVariantCapacityReservationConfig",
    example="CapacityReservationConfig: {MlReservationArn: my-plan}",
    shapes=("MlReservationArn",),
)
def variant_reservation(variant: VariantFacts) -> Iterator[Finding]:
    """A capacity reservation is named by its ARN, in the endpoint's region.

    A reservation is of one region, and instances of another cannot come from it.
    """
    arn = variant.get("CapacityReservationConfig").get("MlReservationArn")
    if arn.text is None:
        return
    found = arn.text.split(":")[3:4]
    if found and variant.region.text not in (None, *found):
        yield arn.says(
            f"is in {found[0]}; instances in {variant.region.text} come from a reservation of "
            f"{variant.region.text}; name one there"
        )
