"""sagemaker-core's image tables as facts of our own: which repository, account and tag."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SAGEMAKER_CORE = "2.27.0"
SCOPES = ("inference", "inference_graviton", "eia")
TABLES = "sagemaker/core/image_uri_config/"
PIP_DOWNLOAD = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")

NEURON_REPOSITORIES = {
    "huggingface-pytorch-inference-neuron": "neuron",
    "huggingface-pytorch-inference-neuronx": "neuronx",
}
"""Their tags name the tool where others name the processor, and the SDK's version after it."""

ARM64_TAGS = {"xgboost": "{version}-arm64", "sklearn": "{version}-arm64-cpu-py3"}
"""Frameworks whose arm64 images stand in the same repository as the others."""

LEGACY, SERVING = "sagemaker-tensorflow", "sagemaker-tensorflow-serving"
SERVING_SOURCE = {
    "name": "aws/sagemaker-tensorflow-serving-container",
    "version": "da192561ad8120b29a862e445ebf9a16f2f00b92",
    "licence": "Apache-2.0; facts only",
    "what": "README.md: 1.4.1 to 1.10.0 in sagemaker-tensorflow-serving, by the same accounts",
    "sha256": "5f7964c615535d16278ff4303dccc6c83dd6087e9f86f66d32cc3ef43e006d4c",
}
"""TensorFlow Serving's images of releases that sagemaker-core's table has in legacy mode alone."""

Table = Mapping[str, Any]


def image_tables() -> tuple[dict[str, Table], str]:
    """The wheel's tables by framework, and the wheel's sha256.

    sagemaker-core is downloaded without its dependencies and read as a zip: the
    SDK is never imported. Raises CalledProcessError without a package index.
    """
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*PIP_DOWNLOAD, f"--dest={folder}", f"sagemaker-core=={SAGEMAKER_CORE}"],
            check=True,
            capture_output=True,
        )
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            tables = {
                Path(name).stem: json.loads(archive.read(name))
                for name in sorted(archive.namelist())
                if name.startswith(TABLES) and name.endswith(".json")
            }
        return tables, hashlib.sha256(wheel.read_bytes()).hexdigest()


def images(tables: Mapping[str, Table], domains: Mapping[str, str]) -> dict[str, Any]:
    """Every framework that serves, with its scopes; account maps and suffixes are shared."""
    registries: list[dict[str, str]] = []
    frameworks = {}
    for name, table in tables.items():
        scopes = {
            scope: _scope(name, scope, part, registries) for scope, part in _serving(table).items()
        }
        if scopes:
            frameworks[name] = scopes
    frameworks["tensorflow-legacy"] = _legacy_mode(frameworks["tensorflow"])
    return {"domains": domains, "registries": registries, "frameworks": frameworks}


def _serving(table: Table) -> dict[str, Table]:
    if "versions" in table:
        return {"inference": table} if "inference" in table.get("scope", ()) else {}
    return {scope: table[scope] for scope in SCOPES if scope in table}


def _scope(
    framework: str, scope: str, table: Table, registries: list[dict[str, str]]
) -> dict[str, Any]:
    return {
        "aliases": table.get("version_aliases", {}),
        "versions": {
            version: [
                _build(framework, scope, table, version, config, registries)
                for config in _configs(entry)
            ]
            for version, entry in table["versions"].items()
        },
    }


def _legacy_mode(scopes: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Takes the images of legacy mode out of TensorFlow's, and puts its Serving's in their place.

    In legacy mode a script of Python 2 defines input_fn and output_fn. SDK 1 has two tables
    ("tensorflow", "tensorflow-serving"); sagemaker-core joins them, and lacks the second's oldest.
    """
    legacy = {}
    for scope, table in scopes.items():
        own: dict[str, Any] = {}
        aliases: dict[str, str] = {}
        for version, (build, *_) in list(table["versions"].items()):
            if build["repository"] not in (LEGACY, f"{LEGACY}-eia"):
                continue
            own[version] = table["versions"].pop(version)
            aliases |= {alias: full for alias, full in table["aliases"].items() if full == version}
            if scope == "inference":
                tags = {processor: f"{{version}}-{processor}" for processor in ("cpu", "gpu")}
                serving = {"repository": SERVING, "registries": build["registries"], "tags": tags}
                table["versions"][version] = [serving]
        if own:
            legacy[scope] = {"aliases": aliases, "versions": own}
        table["aliases"] = {
            alias: full for alias, full in table["aliases"].items() if full in table["versions"]
        }
        in_order = sorted(table["versions"], key=lambda name: [int(n) for n in name.split(".")])
        table["versions"] = {version: table["versions"][version] for version in in_order}
    return legacy


def _configs(entry: Table) -> Iterator[dict[str, Any]]:
    """What a version's images have in common, once for each base framework and Python."""
    if "repository" in entry:
        pythons = entry.get("py_versions") or [None]
        yield from ({**entry, "python": python} for python in reversed(pythons))
        return
    aliases = {full: short for short, full in entry.get("version_aliases", {}).items()}
    for name, part in entry.items():
        if name == "version_aliases":
            continue
        if name in ("py2", "py3"):
            yield {**part, "python": name}
        else:
            for config in _configs(part):
                yield {**config, "base": [name, *([aliases[name]] if name in aliases else [])]}


def _build(
    framework: str,
    scope: str,
    table: Table,
    version: str,
    config: dict[str, Any],
    registries: list[dict[str, str]],
) -> dict[str, Any]:
    if config["registries"] not in registries:
        registries.append(config["registries"])
    processors = table.get("processors") or config.get("processors") or ["any"]
    build: dict[str, Any] = {
        "repository": config["repository"],
        "registries": registries.index(config["registries"]),
        "tags": {
            processor: _tag(framework, scope, version, config, processor)
            for processor in sorted(processors)
        },
    }
    if config.get("python") is not None:
        build["python"] = config["python"]
    if "base" in config:
        build["base"] = config["base"]
    return build


def _tag(framework: str, scope: str, version: str, config: dict[str, Any], processor: str) -> str:
    """The tag as a template: ``{version}`` and ``{base}`` stand for what was asked for."""
    if scope == "inference_graviton" and framework in ARM64_TAGS:
        return ARM64_TAGS[framework]
    container = config.get("container_version", {}).get(processor)
    if "neuron" in config["repository"] and config.get("sdk_versions"):
        container = f"{max(config['sdk_versions'])}-{container}"
    if config["repository"] in (f"{framework}-inference-graviton", f"{framework}-inference-arm64"):
        container = f"{container}-sagemaker"
    prefix = config.get("tag_prefix", "{version}")
    if "base" in config:
        exact = config["repository"] in NEURON_REPOSITORIES
        shown_base = config["base"][0].lstrip("abcdefghijklmnopqrstuvwxyz") if exact else "{base}"
        prefix = f"{shown_base}-transformers{version}"
    shown = NEURON_REPOSITORIES.get(config["repository"], processor)
    no_token = processor == "any" or not config.get("processor_in_tag", True)
    if no_token or (framework == "sagemaker-tritonserver" and processor == "gpu"):
        shown = ""
    return "-".join(part for part in (prefix, shown, config.get("python"), container) if part)
