"""What `make setup` has installed is what CDK's distributions brought."""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import PackagePath, distribution
from pathlib import Path

SHARED = "aws_cdk/cloud_assembly_schema/__init__.py"


def test_the_file_that_two_distributions_bring_is_aws_cdk_lib_s() -> None:
    """In that of aws-cdk-cloud-assembly-schema, jsii finds none of the types that CDK returns."""
    recorded = file_of("aws-cdk-lib")
    assert recorded.hash is not None
    assert file_of("aws-cdk-cloud-assembly-schema").hash != recorded.hash
    digest = hashlib.new(recorded.hash.mode, Path(recorded.locate()).read_bytes()).digest()
    assert base64.urlsafe_b64encode(digest).decode().rstrip("=") == recorded.hash.value


def file_of(name: str) -> PackagePath:
    files = distribution(name).files
    assert files is not None
    return next(file for file in files if str(file) == SHARED)
