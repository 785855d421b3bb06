"""What AWS's runtimes bring: what a function may import beside its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from local_aws.process.node import node_program
from local_aws.services.lambda_.mounts import LANGUAGE

PACKAGES = ("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3")
"""AWS Lambda developer guide, "Building Lambda functions with Python": boto3 and
what it needs. Everything else a function brings in its zip, here as there."""

SCOPES = ("@aws-sdk", "@smithy")
"""What Node.js finds of the AWS SDK for JavaScript ("Building Lambda functions with Node.js"):
here the clients that npm has installed, no other module beside them."""

_NPM = """#!/bin/sh
echo 'npm: functions of the local AWS install nothing while they run' >&2
exit 1
"""
"""In place of the user's: AwsCustomResource installs the newest SDK where it can, and goes on with
the one that is there where not. That would take the network, and more memory than it has."""


def make_runtime_folder(folder: Path) -> None:
    """Fill ``folder`` with links to `PACKAGES` of this Python, to `SCOPES` in a ``node_modules``,
    and to the programs in ``lang/bin``; what is there already stays."""
    modules = folder / "node_modules"
    modules.mkdir(parents=True, exist_ok=True)
    for name in PACKAGES:
        place = _place(name)
        _link(folder / place.name, place)
    found = _node_modules(Path.cwd())
    for scope in SCOPES:
        if found is not None:
            _link(modules / scope, found / scope)
    programs = folder / LANGUAGE / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    python = Path(sys.executable)
    for name, program in (("python", python), ("python3", python), ("node", Path(node_program()))):
        _link(programs / name, program)
    npm = programs / "npm"
    if not npm.exists():
        npm.write_text(_NPM)
        npm.chmod(0o755)


def _link(link: Path, place: Path) -> None:
    if not (link.is_symlink() and link.resolve() == place.resolve()):
        link.unlink(missing_ok=True)
        link.symlink_to(place)


def _place(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed; install the 'local' extra")
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin


def _node_modules(here: Path) -> Path | None:
    """The nearest with the SDK: of ``here`` and the folders above, or npm's global one."""
    return next((each for each in _candidates(here) if (each / SCOPES[0]).is_dir()), None)


def _candidates(here: Path) -> Iterator[Path]:
    yield from (folder / "node_modules" for folder in (here, *here.parents))
    yield Path(node_program()).parent.parent / "lib" / "node_modules"
