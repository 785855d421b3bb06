"""``sagemaker-serving instances``: which instance types SageMaker takes, and where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.options import json_option
from local_aws.process.region import shell_region
from sagemaker_serving.cli.options import must_be_region
from sagemaker_serving.cli.tables import print_table

if TYPE_CHECKING:
    from sagemaker_serving.catalog.instances import InstanceType, Use


@click.command()
@click.argument("name", required=False)
@click.option("--gpu", is_flag=True, help="Only types with GPUs.")
@click.option("--neuron", is_flag=True, help="Only types with Inferentia or Trainium.")
@click.option("--arm64", is_flag=True, help="Only Graviton types.")
@click.option("--transform", is_flag=True, help="Types of transform jobs instead of endpoints.")
@click.option("--region", help="The AWS region, where it is priced; default: the shell's.")
@json_option
def instances(
    name: str | None,
    gpu: bool,
    neuron: bool,
    arm64: bool,
    transform: bool,
    region: str | None,
    as_json: bool,
) -> None:
    """Print the instance types for endpoints, with their cores, memory and GPUs.

    NAME is a part of the type's name: g4dn, .xlarge, ml.c5.large. A region is listed when its price
    list has the type, which may come later than the type. The data are a snapshot, so it needs no
    AWS and no network.

    \b
    Examples:
      sagemaker-serving instances --gpu --region eu-west-1
      sagemaker-serving instances c5 --transform
    """
    from sagemaker_serving.catalog.instances import instance_types, regions_offering

    use: Use = "transform" if transform else "endpoint"
    where = must_be_region(region if region is not None else shell_region())
    rows = [
        _row(kind, regions_offering(kind.name, use))
        for kind in _wanted(instance_types(use), name, gpu, neuron, arm64)
        if where is None or where in regions_offering(kind.name, use)
    ]
    if not rows:
        click.echo("no instance type is of this kind there", err=True)
    print_table(rows, as_json=as_json)


def _wanted(
    kinds: tuple[InstanceType, ...], name: str | None, gpu: bool, neuron: bool, arm64: bool
) -> Iterator[InstanceType]:
    for kind in kinds:
        if (
            (name is None or name in kind.name)
            and (kind.gpus or not gpu)
            and (kind.neuron is not None or not neuron)
            and (kind.architecture == "arm64" or not arm64)
        ):
            yield kind


def _row(kind: InstanceType, regions: tuple[str, ...]) -> dict[str, Any]:
    accelerators = "" if kind.processor in ("cpu", None) else kind.devices
    if kind.gpus:
        accelerators = f"{kind.gpus} GPU, {kind.gpu_memory_mib // 1024} GiB"
    return {
        "type": kind.name,
        "vcpus": kind.vcpus,
        "memory_gib": kind.memory_mib / 1024 if kind.memory_mib is not None else None,
        "accelerators": accelerators,
        "architecture": kind.architecture,
        "nvme_gb": kind.nvme_gb,
        "regions": len(regions),
    }
