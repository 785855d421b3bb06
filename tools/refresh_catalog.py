"""Make the catalog's snapshots anew: ``python -m tools.refresh_catalog [--check]``.

Reads what others keep (sagemaker-core's image tables, botocore's service
model, cfn-lint's price lists, moto's EC2 table, deep-learning-containers'
support data) and writes the facts, not copies of the files, to
``constructs/sagemaker_serving/catalog/data/``, each with the source's name,
version, sha256 and licence, and prints what has changed. sagemaker-core is
downloaded without its dependencies and read as a zip: its SDK is never
imported. The support data are cloned from GitHub, or read from the Git
repository that ``--support`` names, at ``--ref``. The others are read from
where they are installed. With ``--check`` nothing is written; the exit status
says whether the snapshots still agree.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.metadata
import importlib.util
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tools import support_data
from tools.action_shapes import (
    INPUTS,
    RUNTIME_INPUTS,
    SCALING_INPUTS,
    SERVICES,
    input_shapes,
    sdk_name,
)
from tools.image_tables import SAGEMAKER_CORE, SERVING_SOURCE, image_tables
from tools.image_tables import images as image_facts
from tools.shape_trees import RESOURCES, resource_tree

DATA = Path(__file__).parents[1] / "constructs" / "sagemaker_serving" / "catalog" / "data"


def main() -> None:
    """Write every snapshot and say what has changed, or say which are out of date."""
    parser = argparse.ArgumentParser(prog="python -m tools.refresh_catalog")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--support", default=support_data.PUBLIC, help="default: %(default)s")
    parser.add_argument("--ref", default="HEAD", help="its branch or commit; default: %(default)s")
    asked = parser.parse_args()
    makers: dict[str, Callable[[], dict[str, Any]]] = {
        **SNAPSHOTS,
        "support": lambda: support(asked.support, asked.ref),
    }
    stale = []
    for name, make in makers.items():
        path = DATA / f"{name}.json"
        before = path.read_text(encoding="utf-8") if path.exists() else "{}"
        facts = make()
        text = compact(facts)
        if text != before:
            stale.append(name)
            print(*support_data.changes(json.loads(before), facts, f"{name}:"), sep="\n")
            if not asked.check:
                path.write_text(text, encoding="utf-8")
    if asked.check and stale:
        sys.exit(f"out of date: {', '.join(stale)}; run `make catalog`")


def images() -> dict[str, Any]:
    """Repositories, tags and registry accounts of every image that serves models."""
    import botocore.loaders

    tables, sha256 = image_tables()
    raw = json.dumps(botocore.loaders.Loader().load_data("endpoints"), sort_keys=True).encode()
    facts = image_facts(tables, _domains(json.loads(raw)))
    sources = [
        {
            "name": "sagemaker-core",
            "version": SAGEMAKER_CORE,
            "licence": "Apache-2.0",
            "what": "image_uri_config, in the wheel of this sha256",
            "sha256": sha256,
        },
        _source("botocore", _version("botocore"), "Apache-2.0", "endpoints, DNS suffixes", raw),
        SERVING_SOURCE,
    ]
    return {"sources": sources, **facts}


def support(source: str, ref: str) -> dict[str, Any]:
    """Until when AWS patches its images, and what those that it still builds hold."""
    tables = json.loads((DATA / "images.json").read_text(encoding="utf-8"))["frameworks"]
    frameworks = {
        build["repository"]: framework
        for framework, scopes in tables.items()
        for scope in scopes.values()
        for builds in scope["versions"].values()
        for build in builds
    }
    facts, sources = support_data.support_data(source, ref, frameworks)
    return {"sources": sources, **facts}


def properties() -> dict[str, Any]:
    """The resource types of SageMaker in CloudFormation, and the properties of those we judge."""
    provider = json.loads(_installed("cfnlint", f"{_SCHEMAS}/providers/us-east-1.json"))
    types = sorted(name for name in provider if name.startswith("AWS::SageMaker::"))
    raw = {
        name: _installed("cfnlint", f"{_SCHEMAS}/resources/{provider[name]}.json")
        for name in RESOURCES
    }
    return {
        "sources": [
            _source("cfn-lint", _version("cfn-lint"), "MIT-0", name, data)
            for name, data in raw.items()
        ],
        "types": types,
        "resources": {name: resource_tree(json.loads(data)) for name, data in raw.items()},
        "attributes": {name: _attributes(provider[name]) for name in types},
    }


def actions() -> dict[str, Any]:
    """Names of services and actions that tasks of Step Functions call, and the inputs of those that
    are judged."""
    import botocore.loaders

    loader = botocore.loaders.Loader()
    models = {name: loader.load_service_model(name, "service-2") for name in SERVICES}
    names = loader.list_available_services("service-2")
    sdk = {name: sdk_name(_service_id(loader, name)) for name in names}
    inputs: dict[str, str] = {}
    shapes: dict[str, Any] = {}
    judged = {"sagemaker": INPUTS, _RUNTIME: RUNTIME_INPUTS, _SCALING: SCALING_INPUTS}
    for service, actions in judged.items():
        model = models[service]
        above = "" if service == "sagemaker" else f"{service}."
        named = {name: model["operations"][name]["input"]["shape"] for name in actions}
        inputs |= {name: f"{above}{shape}" for name, shape in named.items()}
        shapes |= input_shapes(model["shapes"], named.values(), above)
    facts = {
        "services": {sdk[name]: sorted(models[name]["operations"]) for name in SERVICES},
        "others": sorted(set(sdk.values()) - {sdk[name] for name in SERVICES}),
        "inputs": inputs,
        "shapes": shapes,
    }
    raw = json.dumps(facts).encode()
    what = "services and actions by name, inputs of SageMaker, Runtime and Application Auto Scaling"
    source = _source("botocore", _version("botocore"), "Apache-2.0", what, raw)
    return {"sources": [source], **facts}


def _service_id(loader: Any, name: str) -> str:
    """From the first lines of its model: to read the whole of every one takes ten seconds."""
    version = loader.determine_latest_version(name, "service-2")
    model = Path(loader.BUILTIN_DATA_PATH) / name / version / "service-2.json.gz"
    with gzip.open(model, "rt", encoding="utf-8") as file:
        found = re.search(r'"serviceId":\s*"([^"]+)"', file.read(4096))
    assert found is not None, name
    return found[1]


def neo() -> dict[str, Any]:
    """What compilation jobs take: frameworks, target devices, platforms."""
    shapes = _sagemaker_shapes()
    names = {
        "frameworks": "Framework",
        "target_devices": "TargetDevice",
        "target_platform_os": "TargetPlatformOs",
        "target_platform_arch": "TargetPlatformArch",
        "target_platform_accelerators": "TargetPlatformAccelerator",
    }
    enums = {name: shapes[shape]["enum"] for name, shape in names.items()}
    raw = json.dumps(enums).encode()
    sources = [_source("botocore", _version("botocore"), "Apache-2.0", "sagemaker Neo enums", raw)]
    return {"sources": sources, **enums}


def instances() -> dict[str, Any]:
    """Instance types that the API takes, where they are priced, and what they are made of."""
    shapes = _sagemaker_shapes()
    hosting = shapes["ProductionVariantInstanceType"]["enum"]
    transform = shapes["TransformInstanceType"]["enum"]
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


SNAPSHOTS = {
    "actions": actions,
    "images": images,
    "instances": instances,
    "neo": neo,
    "properties": properties,
}
"""What is made of packages by its name, and what makes it; `support` is made of a repository."""

_SCHEMAS = "data/schemas"
_RUNTIME, _SCALING = "sagemaker-runtime", "application-autoscaling"


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


def _attributes(schema: str) -> list[str]:
    """The members of a resource type at the top, what only the service sets included."""
    return sorted(
        json.loads(_installed("cfnlint", f"{_SCHEMAS}/resources/{schema}.json"))["properties"]
    )


def _sagemaker_shapes() -> dict[str, Any]:
    import botocore.loaders

    model = botocore.loaders.Loader().load_service_model("sagemaker", "service-2")
    shapes: dict[str, Any] = model["shapes"]
    return shapes


def _domains(endpoints: dict[str, Any]) -> dict[str, str]:
    """The DNS suffix by the pattern of a region's name, where it is not amazonaws.com."""
    return {
        part["regionRegex"]: part["dnsSuffix"]
        for part in endpoints["partitions"]
        if part["dnsSuffix"] != "amazonaws.com"
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
