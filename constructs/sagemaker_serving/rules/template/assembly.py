"""The templates of a folder that ``cdk synth`` wrote, of any app in any language."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from sagemaker_serving.errors import ProblemsFound, Where, why_unread


def templates_of(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """Each stack's template below ``folder`` with its region: in Stages and nested stacks too.

    The region is None where the app left it open. Raises `ProblemsFound` for a folder that is no
    cloud assembly. Source: the manifest's schema, @aws-cdk/cloud-assembly-schema.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        artifacts = [
            (artifact["type"], artifact.get("environment", ""), artifact.get("properties", {}))
            for artifact in manifest["artifacts"].values()
        ]
        stages = [
            folder / properties["directoryName"]
            for kind, _, properties in artifacts
            if kind == "cdk:cloud-assembly"
        ]
        stacks = [
            (folder / properties["templateFile"], environment.rpartition("/")[2])
            for kind, environment, properties in artifacts
            if kind == "aws:cloudformation:stack"
        ]
        files = {
            f"/{asset}.json": folder / one["source"]["path"]
            for kind, _, properties in artifacts
            if kind == "cdk:asset-manifest"
            for asset, one in json.loads((folder / properties["file"]).read_text())["files"].items()
            if "path" in one["source"]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProblemsFound.of(
            "assembly",
            Where(str(folder)),
            f"this is no cloud assembly ({why_unread(error)}); give the folder that cdk synth "
            "wrote, cdk.out by default, or one that has environment files or templates; a model's "
            "folder is for `sagemaker-serving inspect`",
        ) from None
    for template, region in stacks:
        known = region if region and region != "unknown-region" else None
        yield from _with_nested(template, known, files)
    for stage in stages:
        yield from templates_of(stage)


def _with_nested(
    path: Path, region: str | None, files: Mapping[str, Path]
) -> Iterator[tuple[Path, str | None]]:
    """The template and those of its nested stacks: ``files`` of the assembly, named by their URL.

    A stack without resources has none to judge.
    """
    try:
        resources = json.loads(path.read_text(encoding="utf-8")).get("Resources", {})
        urls = [
            json.dumps(resource.get("Properties", {}).get("TemplateURL"))
            for resource in resources.values()
            if resource.get("Type") == "AWS::CloudFormation::Stack"
        ]
    except (OSError, ValueError, TypeError, AttributeError) as error:
        message = f"it cannot be read ({why_unread(error)}); run cdk synth again"
        raise ProblemsFound.of("assembly", Where(str(path)), message) from None
    if resources:
        yield path, region
    for url in urls:
        nested = next((file for name, file in files.items() if name in url), None)
        if nested is not None:
            yield from _with_nested(nested, region, files)
