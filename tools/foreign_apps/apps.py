"""The apps beneath a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class App:
    """A CDK app: a folder with a cdk.json."""

    name: str
    folder: Path

    @contextmanager
    def copied(self) -> Iterator[Path]:
        """A copy of it, with a CDK CLI, in which its context can be written; beside it stands what
        stands beside the original, which it may import."""
        with TemporaryDirectory() as folder:
            copy = Path(folder) / self.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            for theirs, ours in zip(self.folder.parents, copy.parents, strict=False):
                if not ours.is_relative_to(folder):
                    break
                for each in set(theirs.iterdir()) - {self.folder, *self.folder.parents}:
                    (ours / each.name).symlink_to(each.resolve())
            copytree(self.folder, copy, ignore=self._left_out, symlinks=True)
            (copy / "node_modules").symlink_to(self._node_modules())
            yield copy

    def _left_out(self, folder: str, names: list[str]) -> set[str]:
        """What is not the app's: what was made of it, and what it imports."""
        beside = {"node_modules"} if Path(folder) == self.folder else set()
        return {*beside, ".venv", "cdk.out", ".git"} & set(names)

    def _node_modules(self) -> Path:
        """Where Node finds what it imports: its own, or those of a folder above it; of an app that
        is not Node's, this repository's, for the CDK CLI."""
        here = self.folder.resolve()
        above = (each / "node_modules" for each in (here, *here.parents))
        return next((each for each in above if each.is_dir()), ROOT / "node_modules")


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
