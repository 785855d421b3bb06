"""Pins every dependency of both distributions in requirements.txt: ``python tools/lock.py``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADER = """\
# This project and its local AWS, editable, and every package it needs, pinned exactly.
# Made by `make lock` from pyproject.toml; docs/dependencies.md says why each is there.
-e ./local-aws
-e .
"""

EXTRAS = ("local", "tensorflow", "client", "plots", "dev")
"""Not torch, onnxruntime and xgboost: what they bring is gigabytes, and few need it."""

OPTIONS = (
    "--quiet",
    "--strip-extras",
    "--allow-unsafe",
    "--no-header",
    "--no-annotate",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--no-emit-trusted-host",
)


def main() -> None:
    """Resolve both distributions with `EXTRAS` and write requirements.txt."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, pins = Path(folder) / "wanted.in", Path(folder) / "pins.txt"
        # Named by their folders: an index may have another project of the same name.
        wanted.write_text(f"-e {ROOT}/local-aws[run]\n-e {ROOT}[{','.join(EXTRAS)}]\n")
        subprocess.run(
            [
                sys.executable,
                "-m",
                "piptools",
                "compile",
                *OPTIONS,
                f"-o{pins}",
                wanted,
            ],
            cwd=ROOT,
            check=True,
        )
        found = pins.read_text().splitlines(keepends=True)
        others = [line for line in found if not line.startswith("-e ")]
        (ROOT / "requirements.txt").write_text(HEADER + "".join(others))


if __name__ == "__main__":
    main()
