"""Python environments of their own for what must not share this project's packages."""

from __future__ import annotations

import fcntl
import hashlib
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
    """Without pip and without bytecode in it, which would take most of the time."""
    venv.create(folder, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    options = ["--quiet", "--no-deps", "--no-compile", "--requirement", str(pins)]
    subprocess.run(
        [*pip, "--python", str(folder / "bin" / "python"), "install", *options], check=True
    )
