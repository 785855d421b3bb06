"""Tags that tell which commit and version deployed an endpoint."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving import __version__
from sagemaker_serving.spec.provenance import COMMIT_TAG, VERSION_TAG

_TAGGED = [f"AWS::SageMaker::{kind}" for kind in ("Endpoint", "EndpointConfig", "Model")]
"""What explains itself by these tags. CloudFormation changes tags of all three in place
(resource schemas of aws-cdk-lib 2.275, ``tagUpdatable``); other resources are left alone, so that
a commit that changes nothing else touches nothing else."""


def provenance_of(folder: Path) -> dict[str, str]:
    """The tags for what is synthesized from ``folder``.

    The commit is what CI says (GITHUB_SHA), else what git says; without both only
    the version is known.
    """
    commit = os.environ.get("GITHUB_SHA") or _commit(folder)
    return {VERSION_TAG: __version__, **({COMMIT_TAG: commit} if commit is not None else {})}


def tag_provenance(scope: Construct, provenance: Mapping[str, str]) -> None:
    """Tags every Model, EndpointConfig and Endpoint below ``scope``."""
    for key, value in provenance.items():
        cdk.Tags.of(scope).add(key, value, include_resource_types=_TAGGED)


def _commit(folder: Path) -> str | None:
    commit = _git(folder, "rev-parse", "HEAD")
    if not commit:
        return None
    return f"{commit}-dirty" if _git(folder, "status", "--porcelain") else commit


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        ended = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return ended.stdout.strip()
