"""What both distributions ask for, and what files of pins hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def asked_for() -> dict[str, list[Requirement]]:
    """By extras, "" for none; not what the two ask of one another."""
    found: dict[str, list[Requirement]] = {"": []}
    for file in (ROOT / "pyproject.toml", ROOT / "local-aws" / "pyproject.toml"):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        wanted = {"": project["dependencies"], **project["optional-dependencies"]}
        for extra, texts in wanted.items():
            others = (each for each in map(Requirement, texts) if each.name != "local-aws")
            found[extra] = [*found.get(extra, ()), *others]
    return found


def pins_of(file: Path) -> dict[str, Requirement]:
    """The pins in ``file`` by `name_of`."""
    return {name_of(pin): pin for pin in _requirements(file)}


def name_of(requirement: Requirement) -> str:
    """As indexes have it: ``pyyaml`` of PyYAML."""
    return canonicalize_name(requirement.name)


def version_of(pin: Requirement) -> str:
    (exactly,) = pin.specifier
    return exactly.version


def lowest_of(requirement: Requirement) -> str:
    (lowest,) = (bound for bound in requirement.specifier if bound.operator == ">=")
    return lowest.version


def _requirements(file: Path) -> Iterator[Requirement]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if re.match(r"\w", line):
            yield Requirement(line)
