"""Make the catalog's snapshots anew: ``python tools/refresh_catalog.py``.

Reads what others keep (sagemaker-core's image tables, botocore's service
model, cfn-lint's price lists, moto's EC2 table) and writes the facts, not
copies of the files, to ``constructs/sagemaker_serving/catalog/data/``, each with
the source's name, version, sha256 and licence. sagemaker-core is downloaded
without its dependencies and read as a zip: its SDK is never imported. The
others are read from where they are installed.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

SAGEMAKER_CORE = "2.27.0"
PIP_DOWNLOAD = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")
DATA = Path(__file__).parents[1] / "constructs" / "sagemaker_serving" / "catalog" / "data"


def main() -> None:
    """Write every snapshot and say what was written."""
    for name, snapshot in (("images", images()), ("instances", instances())):
        path = DATA / f"{name}.json"
        path.write_text(compact(snapshot), encoding="utf-8")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def images() -> dict[str, Any]:
    """Image repositories, tags and registry accounts of the TensorFlow serving images."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*PIP_DOWNLOAD, f"--dest={folder}", f"sagemaker-core=={SAGEMAKER_CORE}"],
            check=True,
        )
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            raw = archive.read("sagemaker/core/image_uri_config/tensorflow.json")
    table = json.loads(raw)
    registries: list[dict[str, str]] = []
    scopes = {
        scope: _scope(table[scope], registries)
        for scope in ("inference", "inference_graviton", "eia")
    }
    return {
        "sources": [
            _source("sagemaker-core", SAGEMAKER_CORE, "Apache-2.0", "tensorflow.json", raw)
        ],
        "registries": registries,
        "frameworks": {"tensorflow": scopes},
    }


def instances() -> dict[str, Any]:
    """Instance types that the API takes, where they are priced, and what they are made of."""
    import botocore.loaders

    model = botocore.loaders.Loader().load_service_model("sagemaker", "service-2")
    hosting = model["shapes"]["ProductionVariantInstanceType"]["enum"]
    transform = model["shapes"]["TransformInstanceType"]["enum"]
    enums = json.dumps([hosting, transform]).encode()

    prices: dict[str, dict[str, list[str]]] = {}
    sources = [
        _source(
            "botocore", _version("botocore"), "Apache-2.0", "sagemaker instance type enums", enums
        )
    ]
    for use in ("hosting", "transform"):
        raw = _installed(
            "cfnlint",
            f"data/schemas/extensions/aws_sagemaker_{use}/instancetype_enum.json",
        )
        regional = json.loads(raw)
        prices[use] = {
            region: rule["enum"] for region, rule in regional.items() if isinstance(rule, dict)
        }
        sources.append(
            _source("cfn-lint", _version("cfn-lint"), "MIT-0", f"aws_sagemaker_{use}", raw)
        )
    raw = _installed("moto", "ec2/resources/instance_types.json.gz")
    sources.append(
        _source("moto", _version("moto"), "Apache-2.0", "ec2/instance_types.json.gz", raw)
    )
    ec2 = json.loads(gzip.decompress(raw))

    types = sorted(set(hosting) | set(transform))
    regions = sorted(set(prices["hosting"]) | set(prices["transform"]))
    return {
        "sources": sources,
        "regions": regions,
        "types": {
            name: {
                "uses": [
                    use
                    for use, enum in (("endpoint", hosting), ("transform", transform))
                    if name in enum
                ],
                "endpoint_regions": _offering(prices["hosting"], name, regions),
                "transform_regions": _offering(prices["transform"], name, regions),
                **_hardware(ec2.get(name.removeprefix("ml."))),
            }
            for name in types
        },
    }


def compact(value: Any) -> str:
    """JSON with one fact a line at the second level: small, and a diff can be read."""
    lines = []
    for key, part in value.items():
        if isinstance(part, dict):
            inner = ",\n".join(f"  {json.dumps(k)}: {_tight(v)}" for k, v in part.items())
            lines.append(f" {json.dumps(key)}: {{\n{inner}\n }}")
        elif key in ("sources", "registries"):
            inner = ",\n".join(f"  {_tight(v)}" for v in part)
            lines.append(f" {json.dumps(key)}: [\n{inner}\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {_tight(part)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _scope(table: dict[str, Any], registries: list[dict[str, str]]) -> dict[str, Any]:
    versions = {}
    for version, config in table["versions"].items():
        if config["registries"] not in registries:
            registries.append(config["registries"])
        fact = {
            "repository": config["repository"],
            "registries": registries.index(config["registries"]),
        }
        if config.get("py_versions"):
            (fact["python"],) = config["py_versions"]
        if config.get("container_version"):
            fact["suffix"] = f"{config['container_version']['cpu']}-sagemaker"
        versions[version] = fact
    return {
        "processors": table["processors"],
        "aliases": table["version_aliases"],
        "versions": versions,
    }


def _offering(prices: dict[str, list[str]], name: str, regions: list[str]) -> list[int]:
    return [index for index, region in enumerate(regions) if name in prices.get(region, ())]


def _hardware(ec2: dict[str, Any] | None) -> dict[str, Any]:
    if ec2 is None:
        return {}
    gpus = ec2.get("GpuInfo", {}).get("Gpus", [])
    neuron = ec2.get("NeuronInfo", {}).get("NeuronDevices", [])
    facts: dict[str, Any] = {
        "vcpus": ec2["VCpuInfo"]["DefaultVCpus"],
        "memory_mib": ec2["MemoryInfo"]["SizeInMiB"],
        "architecture": "arm64"
        if "arm64" in ec2["ProcessorInfo"]["SupportedArchitectures"]
        else "x86_64",
    }
    if gpus:
        facts["gpus"] = sum(gpu["Count"] for gpu in gpus)
        facts["gpu_memory_mib"] = ec2["GpuInfo"]["TotalGpuMemoryInMiB"]
    if neuron:
        facts["neuron"] = neuron[0]["Name"]
        facts["neuron_devices"] = sum(device["Count"] for device in neuron)
    if ec2.get("InstanceStorageSupported"):
        facts["nvme_gb"] = ec2["InstanceStorageInfo"]["TotalSizeInGB"]
    if ec2.get("BurstablePerformanceSupported"):
        facts["burstable"] = True
    return facts


def _source(name: str, version: str, licence: str, what: str, raw: bytes) -> dict[str, str]:
    return {
        "name": name,
        "version": version,
        "licence": licence,
        "what": what,
        "sha256": hashlib.sha256(raw).hexdigest(),
    }


def _installed(package: str, path: str) -> bytes:
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parent / path).read_bytes()


def _version(package: str) -> str:
    return importlib.metadata.version(package)


def _tight(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


if __name__ == "__main__":
    main()
