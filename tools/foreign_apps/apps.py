"""The apps beneath a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class App:
    """A CDK app: a folder with a cdk.json."""

    name: str
    folder: Path

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """A copy of it, with this repository's CDK CLI, in which its context can be written."""
        with TemporaryDirectory() as folder:
            copy = Path(folder) / self.folder.name
            left_out = ignore_patterns("node_modules", ".venv", "cdk.out", ".git")
            copytree(self.folder, copy, ignore=left_out, symlinks=True)
            (copy / "node_modules").symlink_to(ROOT / "node_modules")
            yield copy


def apps_in(folder: Path) -> list[App]:
    """Every app beneath ``folder``, by the name of its path; unreadable ones are none."""
    found = (path.parent for path in sorted(folder.rglob("cdk.json")) if _says_what_to_run(path))
    return [App(str(each.relative_to(folder)), each) for each in found]


def _says_what_to_run(path: Path) -> bool:
    if "node_modules" in path.parts:
        return False
    try:
        return "app" in json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
