"""Pins every dependency, direct and indirect, in requirements.txt: ``python tools/lock.py``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADER = """\
# This project, editable, and every package it needs, pinned exactly.
# Made by `make lock` from pyproject.toml; docs/dependencies.md says why each is there.
-e .
"""

EXTRAS = ("local", "tensorflow", "client", "plots", "dev")
"""Not torch, onnxruntime and xgboost: what they bring is gigabytes, and few need it."""

OPTIONS = (
    "--quiet",
    *(f"--extra={extra}" for extra in EXTRAS),
    "--strip-extras",
    "--allow-unsafe",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
    "pyproject.toml",
)


def main() -> None:
    """Resolve pyproject.toml with `EXTRAS` and write requirements.txt."""
    with tempfile.TemporaryDirectory() as folder:
        pins = Path(folder) / "pins.txt"
        subprocess.run(
            [sys.executable, "-m", "piptools", "compile", *OPTIONS, f"--output-file={pins}"],
            cwd=ROOT,
            check=True,
        )
        (ROOT / "requirements.txt").write_text(HEADER + pins.read_text())


if __name__ == "__main__":
    main()
