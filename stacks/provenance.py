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

_TAGGED = [f"AWS::SageMaker::{kind}" for kind in ("EndpointConfig", "Model")]
"""What explains itself by these tags. CloudFormation changes tags of both in place, and their
updates may do nothing but that (``tagging`` and ``handlers`` of their resource schemas, in the data
of cfn-lint). That of an Endpoint calls UpdateEndpoint; whether for tags alone is
unverified. Other resources are left alone as well, so that a commit that changes nothing else
touches nothing else."""


def provenance_of(folder: Path) -> dict[str, str]:
    """The tags for what is synthesized from ``folder``.

    The commit is what CI says (GITHUB_SHA), else what git says; without both only
    the version is known.
    """
    commit = os.environ.get("GITHUB_SHA") or _commit(folder)
    return {VERSION_TAG: __version__, **({COMMIT_TAG: commit} if commit is not None else {})}


def tag_provenance(scope: Construct, provenance: Mapping[str, str]) -> None:
    """Tags every Model and EndpointConfig below ``scope``."""
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
