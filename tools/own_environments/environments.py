"""Python environments of their own for what must not share this project's packages."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".cache-venvs"
"""Beside .venv, and as durable: made once for each set of pins."""


def environment_of(name: str) -> Path:
    """The folder of the environment with the pins of ``<name>.txt``, made when it is missing.

    Two processes that ask at once make it once. What an earlier set of pins
    left behind is removed.
    """
    pins = Path(__file__).with_name(f"{name}.txt")
    digest = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()
    folder = KEPT / f"{name}-{digest[:12]}"
    KEPT.mkdir(exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            for stale in KEPT.glob(f"{name}-*"):
                shutil.rmtree(stale)
            _make(folder, pins)
            (folder / "ready").touch()
    return folder


def _make(folder: Path, pins: Path) -> None:
    """Without pip and without bytecode in it, by uv, which takes a sixth of pip's time.

    By pip where uv finds no index: pip may know one.
    """
    venv.create(folder, symlinks=True)
    into = ["--python", str(folder / "bin" / "python")]
    what = ["--quiet", "--no-deps", "--requirement", str(pins)]
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--system-certs"]
    # Of two libraries that bring one file, aws-cdk-lib has to come last (Makefile).
    last = "--reinstall-package=aws-cdk-lib"
    commands = ([*uv, *into, *more, *what] for more in ([], [last]))
    if any(subprocess.run(each, env=_told_of_pip_s(), check=False).returncode for each in commands):
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, *into, "install", "--no-compile", *what], check=True)


def _told_of_pip_s() -> dict[str, str]:
    """This process's variables, those of pip that say where packages are by uv's names, too."""
    names = ("INDEX_URL", "EXTRA_INDEX_URL", "FIND_LINKS")
    told = {
        f"UV_{name}": os.environ[f"PIP_{name}"] for name in names if f"PIP_{name}" in os.environ
    }
    return {**told, **os.environ}
