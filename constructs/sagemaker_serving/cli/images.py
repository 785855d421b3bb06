"""``sagemaker-serving images``: which container images AWS publishes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING, Any, get_args

import click

from local_aws.cli.options import json_option
from local_aws.process.region import shell_region
from sagemaker_serving.cli.options import must_be_region, today_option
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.catalog.ecr import EcrImage
    from sagemaker_serving.catalog.images import Processor, Scope


@click.command()
@click.argument("framework", required=False)
@click.argument("version", required=False)
@click.option("--region", help="The AWS region; default: the shell's, or all.")
@click.option("--processor", help="Only images for cpu, gpu, inf, inf2 or neuronx.")
@click.option("--arm64", "scope", flag_value="inference_graviton", help="Images for Graviton.")
@click.option("--eia", "scope", flag_value="eia", help="Images for Elastic Inference (ended).")
@click.option("--python", help="Only images with this Python, where there are several: py3.")
@click.option("--base", help="The base of Hugging Face's images, such as pytorch2.6.")
@today_option
@json_option
def images(
    framework: str | None,
    version: str | None,
    region: str | None,
    processor: Processor | None,
    scope: Scope | None,
    python: str | None,
    base: str | None,
    today: date,
    as_json: bool,
) -> None:
    """Print the images that AWS publishes to serve models.

    Without FRAMEWORK it prints the frameworks, without VERSION the framework's versions, and with
    both the URIs. VERSION is a release or a patch release: 2.20, 2.20.0. The last columns say until
    when AWS patches the image, whether it still does, and the image's CUDA and Python, where AWS
    says so. The data are snapshots of the SageMaker SDK's tables and of AWS's support data, so it
    needs no AWS and no network. `docs images` has all that is patched.

    \b
    Examples:
      sagemaker-serving images
      sagemaker-serving images tensorflow
      sagemaker-serving images tensorflow 2.20 --region eu-west-1 --processor gpu
    """
    where = must_be_region(region if region is not None else shell_region())
    if framework is None:
        rows = list(_frameworks())
    elif version is None:
        rows = list(_versions(framework, today))
    else:
        wanted = scope if scope is not None else "inference"
        rows = list(_uris(framework, version, where, processor, wanted, python, base, today))
    print_table(rows, as_json=as_json)


def _frameworks() -> Iterator[dict[str, Any]]:
    from sagemaker_serving.catalog.images import framework_scopes, framework_versions, frameworks
    from sagemaker_serving.catalog.servers import image_server

    for name in frameworks():
        scopes = framework_scopes(name)
        versions = framework_versions(name, scopes[0])
        server = image_server(name)
        yield {
            "framework": name,
            "versions": len(versions),
            "newest": versions[-1],
            "for": list(scopes),
            "server": "" if server is None else server.server,
            "payload": "" if server is None else server.payload,
            "chat": server is not None and server.has_chat,
        }


def _versions(framework: str, today: date) -> Iterator[dict[str, Any]]:
    from sagemaker_serving.catalog.images import (
        UnknownImage,
        container_image,
        framework_scopes,
        framework_versions,
        image_processors,
        image_regions,
    )

    for scope in framework_scopes(framework):
        for version in framework_versions(framework, scope):
            processors = image_processors(framework, version, scope)
            regions = image_regions(framework, version, scope)
            try:
                image = container_image(
                    framework=framework,
                    version=version,
                    region=regions[0],
                    processor=processors[-1] if processors else "cpu",
                    scope=scope,
                )
            except UnknownImage:  # several of one version, each with a base of its own
                image = None
            yield {
                "version": version,
                "for": scope,
                "processors": list(processors),
                "regions": len(regions),
                **_support(image, today),
            }


def _uris(
    framework: str,
    version: str,
    region: str | None,
    processor: Processor | None,
    scope: Scope,
    python: str | None,
    base: str | None,
    today: date,
) -> Iterator[dict[str, Any]]:
    from sagemaker_serving.catalog.images import Processor as Known
    from sagemaker_serving.catalog.images import container_image, image_processors, image_regions

    if processor is not None and processor not in get_args(Known):
        raise click.UsageError(f"--processor is {processor!r}; known: {', '.join(get_args(Known))}")
    processors = image_processors(framework, version, scope) if processor is None else (processor,)
    regions = image_regions(framework, version, scope) if region is None else (region,)
    for where in regions if regions else ("us-east-1",):
        for kind in processors if processors else ("cpu",):
            image = container_image(
                framework=framework,
                version=version,
                region=where,
                processor=kind,
                scope=scope,
                python=python,
                base=base,
            )
            yield {
                "region": where,
                "processor": kind,
                "uri": image.uri,
                **_support(image, today),
            }


def _support(image: EcrImage | None, today: date) -> dict[str, str]:
    from sagemaker_serving.catalog.support import ImageSupport, image_support

    support = ImageSupport() if image is None else image_support(image)
    until = "" if support.patched_until is None else str(support.patched_until)
    return {
        "patched_until": until if not support.older_than else "",
        "support": support.state(today),
        "cuda": support.cuda,
        "python": support.python,
    }
