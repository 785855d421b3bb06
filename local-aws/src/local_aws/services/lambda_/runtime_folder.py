"""The packages that AWS's Python runtimes bring: what a function may import beside its own."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("boto3", "botocore", "dateutil", "jmespath", "s3transfer", "six", "urllib3")
"""AWS Lambda developer guide, "Building Lambda functions with Python", read 2026-11-21: boto3 and
what it needs. Everything else a function brings in its zip, here as there."""


def make_runtime_folder(folder: Path) -> None:
    """Fill ``folder`` with links to `PACKAGES` of this Python; what is there already stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in PACKAGES:
        place = _place(name)
        link = folder / place.name
        if link.is_symlink() and link.resolve() == place.resolve():
            continue
        link.unlink(missing_ok=True)
        link.symlink_to(place)


def _place(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{name} is not installed; install the 'local' extra")
    origin = Path(spec.origin)
    return origin.parent if origin.name == "__init__.py" else origin
