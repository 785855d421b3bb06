"""AWS's support data as facts of our own: until when which image is patched, and what it holds.

Read from a Git repository of aws/deep-learning-containers: a checkout, a bare mirror, or GitHub's
address. Its files are Apache-2.0 but for what its LICENSE names (SageMaker's distributed training
libraries, under the AWS Customer Agreement); dates, versions and tags are taken, and no text.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import yaml

PUBLIC = "https://github.com/aws/deep-learning-containers"
DATA = "docs/src/data"
LEGACY = "docs/src/legacy/legacy_support.yml"
FACTS = ("version", "accelerator", "python", "cuda", "os", "ga", "eop")


def support_data(
    source: str, ref: str, frameworks: Mapping[str, str]
) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """The facts and their source; ``frameworks`` has the catalog's name of each repository.

    Raises CalledProcessError where ``source`` is no Git repository, or has no ``ref``.
    """
    with tempfile.TemporaryDirectory() as folder:
        at = source
        if "://" in source:
            _git("clone", "--quiet", "--bare", "--depth=1", source, folder)
            at = folder
        files = dict(_files(at, ref))
        commit, date = _git("-C", at, "log", "-1", "--format=%H %cs", ref).split()
    raw = "".join(f"{path}\n{text}" for path, text in sorted(files.items()))
    return (
        {"as_of": date, **_facts(files, frameworks)},
        [
            {
                "name": "aws/deep-learning-containers",
                "version": commit,
                "date": date,
                "licence": "Apache-2.0; facts only",
                "what": f"{DATA}, {LEGACY}",
                "sha256": hashlib.sha256(raw.encode()).hexdigest(),
            }
        ],
    )


def _facts(files: Mapping[str, str], frameworks: Mapping[str, str]) -> dict[str, Any]:
    images = dict(_images(files, frameworks))
    older: dict[str, list[dict[str, str]]] = yaml.safe_load(files[LEGACY])
    releases: dict[str, dict[str, dict[str, str]]] = {}
    for image, facts in images.items():
        if "eop" in facts:
            framework = frameworks[image.partition(":")[0]]
            dates = {"ga": facts.pop("ga"), "eop": facts.pop("eop")}
            releases.setdefault(framework, {})[facts["version"]] = dates
    for framework, entries in older.items():
        known = releases.setdefault(framework, {})
        for entry in entries:
            known.setdefault(entry["version"], {"ga": entry["ga"], "eop": entry["eop"]})
    return {"complete": sorted(older), "releases": releases, "images": images}


def _images(
    files: Mapping[str, str], frameworks: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every image for SageMaker of a repository that serves, by repository and first tag."""
    for path, text in sorted(files.items()):
        folder = PurePosixPath(path).parent.name
        entry = yaml.safe_load(text)
        if path == LEGACY or folder == "template" or entry.get("platform") != "sagemaker":
            continue
        repository = entry.get("ecr_repository", folder)
        if repository not in frameworks:
            continue
        first, *others = entry["tags"]
        yield (
            f"{repository}:{first}",
            {**{key: entry[key] for key in FACTS if key in entry}, "tags": others},
        )


def _files(at: str, ref: str) -> Iterator[tuple[str, str]]:
    for path in _git("-C", at, "ls-tree", "-r", "--name-only", ref, DATA, LEGACY).splitlines():
        yield path, _git("-C", at, "show", f"{ref}:{path}")


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


def changes(before: Any, after: Any, place: str) -> Iterator[str]:
    """What differs between two states of a snapshot, a line for each thing that is new or gone."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            if key in ("sources", "registries"):
                continue
            inner = f"{place} {key}"
            if key not in before:
                yield f"{inner} is new: {after[key]}"
            elif key not in after:
                yield f"{inner} is gone"
            else:
                yield from changes(before[key], after[key], inner)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, pair in enumerate(zip(before, after, strict=True)):
            yield from changes(*pair, f"{place} {index + 1}")
    elif before != after:
        yield f"{place} was {before}, is {after}"
