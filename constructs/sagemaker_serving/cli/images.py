"""``sagemaker-serving images``: which container images AWS publishes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, get_args

import click

from sagemaker_serving.cli.options import shell_region
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.catalog.images import Processor, Scope


@click.command()
@click.argument("framework", required=False)
@click.argument("version", required=False)
@click.option("--region", help="Only this region; default: AWS_REGION, AWS_DEFAULT_REGION, or all.")
@click.option("--processor", help="Only images for cpu, gpu, inf, inf2 or neuronx.")
@click.option("--arm64", "scope", flag_value="inference_graviton", help="Images for Graviton.")
@click.option("--eia", "scope", flag_value="eia", help="Images for Elastic Inference (ended).")
@click.option("--python", help="Only images with this Python, where there are several: py3.")
@click.option("--base", help="What Hugging Face's images build on: pytorch2.6.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def images(
    framework: str | None,
    version: str | None,
    region: str | None,
    processor: Processor | None,
    scope: Scope | None,
    python: str | None,
    base: str | None,
    as_json: bool,
) -> None:
    """Print the images that AWS publishes to serve models, from 1.4.1 to today.

    Without FRAMEWORK the frameworks; without VERSION its versions; with both
    the URIs. From a snapshot of the SageMaker SDK's tables: needs no AWS and no
    network. Any release or patch release will do: 2.19, 2.19.0.

    \b
    Examples:
      sagemaker-serving images
      sagemaker-serving images tensorflow
      sagemaker-serving images tensorflow 2.19 --region eu-west-1 --processor gpu
    """
    if framework is None:
        rows = list(_frameworks())
    elif version is None:
        rows = list(_versions(framework))
    else:
        wanted = scope if scope is not None else "inference"
        where = region if region is not None else shell_region()
        rows = list(_uris(framework, version, where, processor, wanted, python, base))
    print_table(rows, as_json=as_json)


def _frameworks() -> Iterator[dict[str, Any]]:
    from sagemaker_serving.catalog import framework_scopes, framework_versions, frameworks

    for name in frameworks():
        scopes = framework_scopes(name)
        versions = framework_versions(name, scopes[0])
        yield {
            "framework": name,
            "versions": len(versions),
            "newest": versions[-1],
            "for": list(scopes),
        }


def _versions(framework: str) -> Iterator[dict[str, Any]]:
    from sagemaker_serving.catalog import (
        framework_scopes,
        framework_versions,
        image_processors,
        image_regions,
    )

    for scope in framework_scopes(framework):
        for version in framework_versions(framework, scope):
            yield {
                "version": version,
                "for": scope,
                "processors": list(image_processors(framework, version, scope)),
                "regions": len(image_regions(framework, version, scope)),
            }


def _uris(
    framework: str,
    version: str,
    region: str | None,
    processor: Processor | None,
    scope: Scope,
    python: str | None,
    base: str | None,
) -> Iterator[dict[str, Any]]:
    from sagemaker_serving.catalog import image_processors, image_regions, image_uri
    from sagemaker_serving.catalog.images import Processor as Known

    if processor is not None and processor not in get_args(Known):
        raise click.UsageError(f"--processor is {processor!r}; known: {', '.join(get_args(Known))}")
    processors = image_processors(framework, version, scope) if processor is None else (processor,)
    regions = image_regions(framework, version, scope) if region is None else (region,)
    for where in regions if regions else ("us-east-1",):
        for kind in processors if processors else ("cpu",):
            uri = image_uri(
                framework=framework,
                version=version,
                region=where,
                processor=kind,
                scope=scope,
                python=python,
                base=base,
            )
            yield {"region": where, "processor": kind, "uri": uri}
