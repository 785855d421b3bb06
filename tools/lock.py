"""Pins every dependency of both distributions in requirements.txt.

``python tools/lock.py [PACKAGE…]``: what is pinned stays as it is while pyproject.toml allows it,
but for the packages that are named, which are pinned to the newest that it allows.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADER = """\
# This project and its local AWS, editable, and every package it needs, pinned exactly.
# Made by `make lock` from pyproject.toml; docs/dependencies.md says why each is there.
-e ./local-aws
-e .
"""

EXTRAS = (
    "cdk",
    "check",
    "local",
    "tensorflow",
    "onnxruntime",
    "client",
    "simulation",
    "plots",
    "dev",
)
"""Not torch, openvino and xgboost: what they bring is gigabytes, and few need it."""

HAS_TENSORFLOW_CPU = 'sys_platform == "linux" and platform_machine == "x86_64"'
ELSEWHERE = 'sys_platform != "linux" or platform_machine != "x86_64"'

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


def main(upgraded: Sequence[str]) -> None:
    """Resolve both distributions with `EXTRAS` and write requirements.txt."""
    locked = ROOT / "requirements.txt"
    with tempfile.TemporaryDirectory() as folder:
        wanted, pins = Path(folder) / "wanted.in", Path(folder) / "pins.txt"
        # Named by their folders: an index may have another project of the same name.
        wanted.write_text(f"-e {ROOT}/local-aws[run]\n-e {ROOT}[{','.join(EXTRAS)}]\n")
        pins.write_text(_pins(locked))  # pip-compile keeps those that fit
        subprocess.run(
            [
                *(sys.executable, "-m", "piptools", "compile", *OPTIONS),
                *(f"--upgrade-package={package}" for package in upgraded),
                f"-o{pins}",
                wanted,
            ],
            cwd=ROOT,
            check=True,
        )
        locked.write_text(HEADER + _on_every_machine(_pins(pins)))


def _pins(path: Path) -> str:
    lines = path.read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("-e ", "# This", "# Made")))


def _on_every_machine(pins: str) -> str:
    """With TensorFlow's other build, too: pip-compile sees what this machine needs alone."""
    return re.sub(
        r"(?m)^tensorflow(?:-cpu)?==(\S+).*$",
        rf"tensorflow==\1 ; {ELSEWHERE}\ntensorflow-cpu==\1 ; {HAS_TENSORFLOW_CPU}",
        pins,
    )


if __name__ == "__main__":
    main(sys.argv[1:])
