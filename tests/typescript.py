"""What an app in TypeScript imports: aws-cdk-lib for Node is in the one for Python."""

from __future__ import annotations

import json
import tarfile
from importlib.util import find_spec
from pathlib import Path


def add_cdk(app: Path) -> Path:
    """Unpacks the CDK into ``node_modules`` of the folder ``app``; gives that folder."""
    modules = app / "node_modules"
    for library in ("aws_cdk", "aws_cdk/cloud_assembly_schema", "constructs"):
        (tarball,) = (_site_packages() / library / "_jsii").glob("*.tgz")
        with tarfile.open(tarball) as archive:
            archive.extractall(app, filter="data")
        package = modules / json.loads((app / "package" / "package.json").read_text())["name"]
        package.parent.mkdir(parents=True, exist_ok=True)
        (app / "package").rename(package)
    return modules


def _site_packages() -> Path:
    spec = find_spec("aws_cdk")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parents[1]
