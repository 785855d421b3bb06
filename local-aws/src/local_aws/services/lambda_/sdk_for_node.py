"""The AWS SDK for JavaScript, which AWS's Node.js runtimes bring: found here, or fetched by npm.

A function imports of it what its zip and layers lack ("Building Lambda functions with Node.js", AWS
Lambda developer guide: the runtimes from 18 on include version 3). What npm has installed where the
local AWS was started comes first. Any other client is installed once into a cache of the user's.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import re
import shlex
import subprocess
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from local_aws.process.node import node_program

_log = logging.getLogger(__name__)

SCOPES = ("@aws-sdk", "@smithy")

_IMPORT = re.compile(
    rb"""\b(?:require|import|from)\s*\(?\s*["'`](@(?:aws-sdk|smithy)/[a-z0-9][a-z0-9._-]*)"""
)
_SOURCES = (".js", ".mjs", ".cjs")
_SECONDS = 45
"""For all of npm's work; a client and what it needs took 8 s on two busy cores."""


class NotFetched(Exception):
    """npm could not fetch what a function imports; the message says what to type."""


def cache_folder() -> Path:
    """``$XDG_CACHE_HOME/local-aws/node``, where npm installs."""
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "local-aws" / "node"


def provide(zips: Iterable[Path | IO[bytes]]) -> None:
    """Fetch what the code of the zips imports of the SDK and neither they nor this machine have.

    ``zips`` are a function's own and its layers'. What no index has is left out, as AWS
    would not have it either. Raises `NotFetched`.
    """
    wanted, brought = set[str](), set[str]()
    for each in zips:
        with zipfile.ZipFile(each) as archive:
            for member in archive.namelist():
                if "node_modules/" in member:
                    _, _, below = member.rpartition("node_modules/")
                    brought.add("/".join(below.split("/")[:2]))
                elif member.endswith(_SOURCES):
                    wanted |= {name.decode() for name in _IMPORT.findall(archive.read(member))}
    missing = [each for each in sorted(wanted - brought) if not _is_here(each)]
    if missing:
        _fetch(missing)


def fetched() -> set[str]:
    """The packages that npm has fetched for functions."""
    try:
        manifest = json.loads((cache_folder() / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    return set(manifest.get("dependencies", ()))


def link_into(modules: Path) -> None:
    """Fill the ``node_modules`` of a runtime with links to each package of the SDK that is here."""
    for scope in SCOPES:
        own = modules / scope
        if own.is_symlink():  # of a version that linked the scope
            own.unlink()
        own.mkdir(parents=True, exist_ok=True)
        for folder in _folders():
            there = folder / scope
            for package in there.iterdir() if there.is_dir() else ():
                link = own / package.name
                if not link.exists():
                    link.unlink(missing_ok=True)
                    link.symlink_to(package)


def _is_here(package: str) -> bool:
    return any((folder / package).is_dir() for folder in _folders())


def _folders() -> Iterator[Path]:
    """Each ``node_modules`` with the SDK, the first one's package before another's: of this folder
    and those above it, npm's global one, the cache."""
    above = [folder / "node_modules" for folder in (Path.cwd(), *Path.cwd().parents)]
    everywhere = Path(node_program()).parent.parent / "lib" / "node_modules"
    found = [each for each in (*above, everywhere) if (each / SCOPES[0]).is_dir()]
    yield from found[:1]
    yield cache_folder() / "node_modules"


def _fetch(packages: list[str]) -> None:
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        packages = [each for each in packages if not _is_here(each)]
        while packages:
            _log.warning("npm fetches %s into %s, once", ", ".join(packages), folder)
            said = _npm_install(folder, packages)
            if said is None:
                return
            absent = [each for each in packages if f"'{each}@" in said and "E404" in said]
            if not absent:
                raise NotFetched(_told(packages, folder, said))
            packages = [each for each in packages if each not in absent]


def _npm_install(folder: Path, packages: list[str]) -> str | None:
    """None, or what npm said instead of installing."""
    node = Path(node_program())
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    program = [str(node), str(npm)] if npm.is_file() else ["npm"]
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0"]
    try:
        done = subprocess.run(
            [*program, "install", "--prefix", str(folder), *options, *packages],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if done.returncode == 0 else done.stderr


def _told(packages: list[str], folder: Path, said: str) -> str:
    lines = [line.removeprefix("npm error ").strip() for line in said.splitlines()]
    reasons = [each for each in lines if "request to" in each or each.startswith("network")]
    reason = (reasons or [each for each in lines if each] or ["npm said nothing"])[0]
    command = f"npm install --prefix {shlex.quote(str(folder))} {' '.join(packages)}"
    return (
        f"it imports {', '.join(packages)}, which AWS's Node.js runtime brings and this machine "
        f"lacks, and npm could not fetch it ({reason}); where npm has an index, type: {command}"
    )
