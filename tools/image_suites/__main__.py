"""Runs the multi-model tests of AWS's PyTorch images against `sagemaker-serving serve`.

``python -m tools.image_suites FOLDER``, where FOLDER is a checkout of
github.com/aws/sagemaker-pytorch-inference-toolkit or github.com/aws/sagemaker-inference-toolkit.
Nothing of those is part of this repository.

The tests start their container with ``docker run``. Here ``docker`` is `tools.image_suites.docker`,
and `tools.image_suites.plugin` sends their requests to its port. Their models need torch,
torchvision and MXNet, and are hundreds of megabytes; a script answers in their place, as it is the
server that is tested.
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

SUITES = {
    "test/integration/local/test_multi_model_endpoint_local.py": ("2.3", ""),
    # Written for Multi Model Server, and so for the oldest images; the answers of MXNet's models
    # are left out.
    "test/integration/local/test_mxnet_multi_model.py": ("1.5", "not test_invocation"),
    "test/integration/local/test_dummy_multi_model.py": ("1.5", "not test_invocation"),
}
"""By file: the version of the image that each is about, and which of its tests."""


def main() -> int:
    """The number of suites that failed, as the exit status; 2 when the folder has none."""
    parser = argparse.ArgumentParser(prog="python -m tools.image_suites", description=__doc__)
    parser.add_argument("folder", type=Path, help="a checkout of one of the two projects")
    parser.add_argument("--container-version", help="serve as this version; default: the suite's")
    arguments = parser.parse_args()
    found = {name: how for name, how in SUITES.items() if (arguments.folder / name).exists()}
    if not found:
        parser.error(f"{arguments.folder} has none of {', '.join(SUITES)}")
    failed = 0
    for name, (version, chosen) in found.items():
        version = arguments.container_version or version
        failed += _run(arguments.folder.resolve(), name, version, chosen)
    return failed


def _run(folder: Path, name: str, version: str, chosen: str) -> bool:
    """Whether pytest fails."""
    with tempfile.TemporaryDirectory(prefix="image-suite-") as scratch:
        program = Path(scratch, "docker")
        program.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m tools.image_suites.docker "$@"\n'
        )
        program.chmod(0o755)
        ended = subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "pytest",
                    str(folder / name),
                    "-v",
                    "-p",
                    "no:cacheprovider",
                ),
                *("-p", "tools.image_suites.plugin", "--noconftest", "-c", os.devnull),
                *("--rootdir", scratch, "-k", chosen),
            ],
            cwd=scratch,
            env={
                **os.environ,
                "PATH": os.pathsep.join([scratch, os.environ.get("PATH", os.defpath)]),
                "PYTHONPATH": str(ROOT),
                "IMAGE_SUITE_PORT": str(_free_port()),
                "IMAGE_SUITE_FOLDER": scratch,
                "IMAGE_SUITE_VERSION": version,
            },
            check=False,
        )
    return ended.returncode != 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
