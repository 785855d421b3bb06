"""What an image's URI says of it, when AWS publishes that image."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Literal

from sagemaker_serving.catalog.ecr import EcrImage, parse_ecr_uri
from sagemaker_serving.catalog.images import repository_versions
from sagemaker_serving.catalog.snapshot import snapshot


@dataclass(frozen=True, kw_only=True)
class PublishedImage:
    """An image from one of AWS's serving repositories.

    ``processor`` and ``architecture`` are None where the tag does not tell them;
    ``accounts`` are those that AWS publishes the repository from in that region,
    empty where it does not publish it; ``neuron`` is whether the image is made for
    Inferentia or Trainium.
    """

    image: EcrImage
    processor: Literal["cpu", "gpu"] | None
    architecture: Literal["x86_64", "arm64"] | None
    accounts: tuple[str, ...]
    neuron: bool = False


@lru_cache(maxsize=1024)
def published_image(uri: str | None) -> PublishedImage | None:
    """What is known of the image at ``uri``, or None when it is not one of AWS's.

    An image is AWS's when repository and account are, the account perhaps of other
    repositories: one's own copy under the same name in an account of one's own is
    None, too. Source: sagemaker-core's image tables.
    """
    image = parse_ecr_uri(uri) if uri is not None else None
    if image is None or not _publishes(image.account, image.repository):
        return None
    return PublishedImage(
        image=image,
        processor=processor_of(image.tag, image.repository),
        architecture=_architecture(image),
        accounts=tuple(sorted(_accounts()[image.repository].get(image.region, ()))),
        neuron=_NEURON.search(f"{image.repository}:{image.tag}") is not None,
    )


def processor_of(tag: str, repository: str = "") -> Literal["cpu", "gpu"] | None:
    """What a tag of AWS's says that its image runs on; None where it says nothing.

    The words of the tag decide, since a list of AWS's has called an image of ``cu130`` one for
    CPUs (aws/deep-learning-containers#3803). Where it has none, as Triton's for GPUs,
    ``repository`` and AWS's table do.
    """
    parts = tag.split("-")
    if any(re.fullmatch(r"gpu|cuda|cu[0-9]{2,3}", part) for part in parts):
        return "gpu"
    return "cpu" if "cpu" in parts else _untold().get(f"{repository}:{tag}")


@cache
def _untold() -> dict[str, Literal["cpu", "gpu"]]:
    """The processor by repository and tag, of all that AWS's tables have under one."""
    return {
        f"{build['repository']}:{tag.format(version=version, base='')}": processor
        for scopes in snapshot("images")["frameworks"].values()
        for scope in scopes.values()
        for version, builds in scope["versions"].items()
        for build in builds
        for processor, tag in build["tags"].items()
        if processor in ("cpu", "gpu")
    }


_NEURON = re.compile(r"neuron|optimum|sagemaker-neo-.*-inf(-|$)")


def _architecture(image: EcrImage) -> Literal["x86_64", "arm64"] | None:
    if image.tag.startswith("sha256:"):
        return None
    name = f"{image.repository}-{image.tag}"
    return "arm64" if re.search(r"arm64|graviton", name) else "x86_64"


def is_repository_of_aws(arn: str) -> bool:
    """Whether the ARN of a repository is of one that AWS publishes images from."""
    *_, account, repository = ["", *arn.rsplit(":", maxsplit=2)]
    return _publishes(account, repository.removeprefix("repository/"))


def is_pulled_by_sagemaker(arn: str) -> bool:
    """Whether the ARN of a repository is of one that SageMaker pulls from without a model's role.

    Those of SageMaker's algorithms, of which there is version 1 alone, let no other account in
    (aws/sagemaker-python-sdk#4064). Linear learner is served by a role that may pull its own
    account's images only (awslabs/aws-solutions-constructs, integ.lamsag-deployFunction). Those of
    frameworks are not (its issue 986).
    """
    named = repository_versions(arn.rpartition("repository/")[2]).values()
    return is_repository_of_aws(arn) and {*chain(*named)} - {"latest"} == {"1"}


def _publishes(account: str, repository: str) -> bool:
    return repository in _accounts() and account in _all_accounts()


@cache
def _all_accounts() -> set[str]:
    return {account for each in snapshot("images")["registries"] for account in each.values()}


@cache
def _accounts() -> dict[str, dict[str, set[str]]]:
    """The accounts by repository and region."""
    facts = snapshot("images")
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for scopes in facts["frameworks"].values():
        for scope in scopes.values():
            for builds in scope["versions"].values():
                for build in builds:
                    for region, account in facts["registries"][build["registries"]].items():
                        found[build["repository"]][region].add(account)
    return {repository: dict(regions) for repository, regions in found.items()}
