"""Rules on an endpoint's kind: which fields of a model go together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact
from sagemaker_serving.rules.facts.kinds import KindFacts, moves
from sagemaker_serving.spec import Container

_GUIDE = "AWS SageMaker developer guide, deploy models for real-time inference"
_MODEL = "botocore CreateModel"
_PACKAGE = re.compile(
    r"arn:aws[a-z-]*:sagemaker:[a-z0-9-]+:[0-9]{12}:model-package/[a-zA-Z0-9-]{1,63}(/[0-9]{1,9})?"
)
_INSTEAD = ("containers", "multi_model", "model_package", "inference_components")
"""What stands in the place of one artifact for the whole model."""

_SAID_BY = {
    "containers": ("artifact",),
    "multi_model": ("artifact",),
    "model_package": ("artifact", "framework", "framework_version", "image_uri", "image_digest"),
}
"""Fields of one artifact's model that these say themselves."""


@rule(source=_MODEL, example="multi_model: {}   # beside containers")
def kind_content(kind: KindFacts) -> Iterator[Finding]:
    """A model is one artifact, a pipeline, many models, or a package; one of these only.

    Each of them determines what the containers run, so a second one would be ignored.
    """
    facts = [kind.model.get(name) for name in _INSTEAD]
    given = [
        fact
        for fact in facts
        if (isinstance(fact.value, Mapping) if fact.name == "multi_model" else fact.value)
    ]
    if len(given) > 1:
        yield given[1].says(
            f"stands beside {given[0].name}; a model is one of them; remove the other"
        )
    for fact in given[:1]:
        for said in map(kind.model.get, _SAID_BY.get(fact.name, ())):
            if said.given:
                yield said.says(
                    f"stands beside {fact.name}, which says itself what is run; remove it"
                )


@rule(source="this project", example="multi_model: {kms_key_arn: …}   # and no s3_prefix")
def model_key(kind: KindFacts) -> Iterator[Finding]:
    """The key of models in S3 stands beside the place that it encrypts.

    Without one nothing is decrypted with it: the environment's bucket has the environment's key.
    """
    for name, place in (("multi_model", "s3_prefix"), ("model_package", "model_data")):
        given = kind.model.get(name)
        if given.get("kms_key_arn").given and not given.get(place).given:
            yield given.get("kms_key_arn").says(
                f"stands without {place}, which it is the key of; name the place, or remove the key"
            )


@rule(source="this project", example="containers: […], variants: [{artifact…")
def variant_override(kind: KindFacts) -> Iterator[Finding]:
    """A variant overrides its container only where it has exactly one.

    In a pipeline, a package, or beside inference components it has none of its own.
    """
    several = [
        name
        for name in ("containers", "model_package", "inference_components")
        if kind.model.get(name).value
    ]
    for variant in kind.model.get("variants").items() if several else ():
        for name in Container.model_fields:
            if variant.get(name).given:
                yield variant.get(name).says(
                    f"of a variant is ignored beside {several[0]}; say it there, or of the model"
                )
    for variant in kind.model.get("variants").items():
        if kind.model.get("multi_model").given and variant.get("artifact").given:
            yield variant.get("artifact").says(
                "of a variant is ignored beside multi_model; give it a name in archives"
            )


@rule(source=_MODEL, example="containers: [{network_isolation: true}, …]")
def part_isolation(kind: KindFacts) -> Iterator[Finding]:
    """Network isolation is the whole model's: a pipeline's containers and components share it.

    SageMaker accepts it for a Model or an endpoint, not for a part of one.
    """
    parts = {
        "a container": kind.model.get("containers").items(),
        "an inference component": (
            component for _, component in kind.model.get("inference_components").entries()
        ),
    }
    for what, facts in parts.items():
        for isolation in (part.get("network_isolation") for part in facts):
            if isolation.given:
                yield isolation.says(f"of {what} is ignored; say it of the model")


@rule(source=_GUIDE, example="inference_components: {…}   # two variants")
def component_host(kind: KindFacts) -> Iterator[Finding]:
    """Inference components share the instances of their endpoint's one variant.

    A second one, a weight or a shadow would have no requests.
    """
    components = kind.model.get("inference_components")
    if not components.value:
        return
    variants = kind.model.get("variants")
    if variants.size != 1 or len(kind.on_instances) != 1:
        yield components.finding(
            f"there are {variants.size or 0} variants; inference components share the instances of "
            "exactly one; give one variant with an instance_type"
        )
    for weight in (variant.get("weight") for variant in variants.items()):
        if weight.given:
            yield weight.says(
                "shares requests among variants, and inference components have one; remove it"
            )
    if kind.model.get("shadow_variants").value:
        yield components.says(
            "stands beside shadow_variants; a shadow copies requests to a variant's own model; "
            "remove one of them"
        )


@rule(source=_GUIDE, example="update: {canary_percent: 10}   # of components")
def component_update(kind: KindFacts) -> Iterator[Finding]:
    """Inference components are updated in rolling batches of their copies.

    SageMaker makes no second set of instances for an endpoint that many models share.
    """
    update = kind.model.get("update")
    if not kind.model.get("inference_components").value or not moves(update):
        return
    if not update.get("rolling_percent").given:
        yield update.says(
            "is not a rolling one; inference components are replaced in batches of their copies; "
            "use rolling_percent, 5 to 50"
        )


@rule(source="botocore DestinationS3Uri (512 characters)", example='data_capture: {prefix: ""}')
def prefix_form(kind: KindFacts) -> Iterator[Finding]:
    """A prefix in the environment's bucket has 1 to 440 characters on one line.

    With the bucket's address before it, it is a destination of at most 512. A core dump's has no
    slash at either end, either.
    """
    variants = [*kind.model.get("variants").items(), *kind.model.get("shadow_variants").items()]
    dumps = [variant.get("core_dump").get("prefix") for variant in variants]
    for fact in (kind.model.get("data_capture").get("prefix"), *dumps):
        text = fact.text
        if text is not None and not (text.strip() and len(text) <= 440 and text.isprintable()):
            yield fact.says(
                f"is {text[:40]!r} ({len(text)} characters); it must have 1 to 440 on one line; "
                "leave it out for one of the model's own"
            )
        elif text is not None and fact in dumps and text.strip("/") != text:
            yield fact.says(f"is {text!r}; remove the slash at its beginning or end")


@rule(source=_MODEL, example="model_package: {name: digits}")
def model_package_name(kind: KindFacts) -> Iterator[Finding]:
    """A model package is named by the ARN of its version, in the environment's region.

    SageMaker looks a short name up in the deploying account, which is seldom the registry's.
    """
    name = kind.model.get("model_package").get("name")
    if name.text is None:
        return
    if _PACKAGE.fullmatch(name.text) is None:
        yield name.says(
            f"is {name.text!r}; it must be "
            "arn:aws:sagemaker:<region>:<account>:model-package/<group>/<version>; copy it from "
            "the registry"
        )
    else:
        yield from _of_another_region(name, kind.region)


@rule(
    source="aws/amazon-sagemaker-examples#1444",
    example="ModelPackageName: arn:aws:sagemaker:us-west-2:…   # in us-east-1",
)
def model_package_region(container: ContainerFacts) -> Iterator[Finding]:
    """A container's model package is of the region that it is deployed to.

    "ARN should be scoped to correct region": each region has a registry of its own.
    """
    yield from _of_another_region(container.definition.get("ModelPackageName"), container.region)


def _of_another_region(name: Fact, region: Fact) -> Iterator[Finding]:
    found = re.match("arn:[^:]+:sagemaker:([^:]+):", name.text or "")
    if found is not None and region.text is not None and found[1] != region.text:
        yield name.says(
            f"is of {found[1]}; an endpoint in {region.text} takes packages of {region.text}; "
            "register the model there, too"
        )


@warning(source="this project", example="model_package: {name: arn:…}   # without model_data")
def model_package_access(kind: KindFacts) -> Iterator[Finding]:
    """The role may read the archive and the image of a package.

    Only SageMaker can read these names, and the endpoint fails after minutes when the role may not
    read them. A product of the Marketplace needs neither, so this warns.
    """
    package = kind.model.get("model_package")
    missing = [name for name in ("model_data", "image_uri") if not package.get(name).given]
    if package.given and missing:
        yield package.finding(
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing, so the role "
            "may not read it; give what the package names, unless it is of the Marketplace"
        )
