"""Runs the tests that AWS's serving images bring, against `sagemaker-serving serve` in their place.

``python -m tools.image_suites FOLDER``, where FOLDER is a checkout of one of these projects of
github.com/aws: sagemaker-tensorflow-serving-container, deep-learning-containers,
sagemaker-pytorch-inference-toolkit or sagemaker-inference-toolkit. It is read, not changed, and
nothing of it is part of this repository. Further arguments go to pytest.

The tests start their container by ``docker``: `tools.image_suites.docker` takes its place. Their
requests go to its port by `tools.image_suites.plugin`. PyTorch's and MXNet's models are hundreds of
megabytes, and a script answers in their place, as it is the server that is tested.

Those of deep-learning-containers since the image of 2.20 deploy endpoints: a local AWS is started
for them (`tools.image_suites.endpoints`).
"""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from tools.image_suites import endpoints

ROOT = Path(__file__).parents[2]


class Suite(NamedTuple):
    """What is run in `folder`: `tests`, which lie there, as that version of that framework."""

    tests: str
    framework: str
    version: str
    folder: str = "."
    known_by: str = ""
    chosen: str = ""

    def lies_in(self, checkout: Path) -> bool:
        """Whether the checkout has it."""
        return (checkout / self.folder / self.tests / self.known_by).exists()


_LOCAL = "test/integration/local"
SUITES = (
    Suite(_LOCAL, "tensorflow", "2.0", known_by="test_multi_tfs.py"),
    Suite(
        _LOCAL,
        "tensorflow",
        "2.19",
        folder="test/sagemaker_tests/tensorflow/inference",
        known_by="test_multi_tfs.py",
    ),
    Suite(f"{_LOCAL}/test_multi_model_endpoint_local.py", "pytorch", "2.3"),
    # Written for Multi Model Server, and so for the oldest images; the answers of MXNet's models
    # are left out.
    Suite(f"{_LOCAL}/test_mxnet_multi_model.py", "pytorch", "1.5", chosen="not test_invocation"),
    Suite(f"{_LOCAL}/test_dummy_multi_model.py", "pytorch", "1.5", chosen="not test_invocation"),
)


def main() -> int:
    """The number of suites that failed, as the exit status; 2 when the folder has none."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.image_suites",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="a checkout of one of these projects")
    parser.add_argument("--container-version", help="serve as this version; default: the suite's")
    given, for_pytest = parser.parse_known_args()
    found = [suite for suite in SUITES if suite.lies_in(given.folder)]
    if endpoints.lies_in(given.folder):
        version = given.container_version or "2.20"
        return int(endpoints.fails(given.folder.resolve(), version, for_pytest))
    if not found:
        known = ", ".join(str(Path(suite.folder, suite.tests, suite.known_by)) for suite in SUITES)
        parser.error(f"{given.folder} has none of {known}; give the top folder of a checkout")
    return sum(
        _fails(
            suite._replace(version=given.container_version or suite.version),
            given.folder.resolve() / suite.folder,
            for_pytest,
        )
        for suite in found
    )


def _fails(suite: Suite, folder: Path, for_pytest: list[str]) -> bool:
    # The conftest of the other suites builds images.
    options = (
        ["--framework-version", suite.version]
        if suite.framework == "tensorflow"
        else ["--noconftest", "-c", os.devnull, "--rootdir", str(folder)]
    )
    with tempfile.TemporaryDirectory(prefix="image-suite-") as scratch:
        program = Path(scratch, "docker")
        program.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m tools.image_suites.docker "$@"\n'
        )
        program.chmod(0o700)
        return bool(
            subprocess.run(
                [
                    *(sys.executable, "-m", "pytest", suite.tests, "-p", "no:cacheprovider"),
                    *("-p", "tools.image_suites.plugin", "-k", suite.chosen),
                    *(*options, *for_pytest),
                ],
                cwd=folder,
                env={
                    **os.environ,
                    "PATH": os.pathsep.join([scratch, os.environ.get("PATH", os.defpath)]),
                    "PYTHONPATH": str(ROOT),
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "IMAGE_SUITE_FOLDER": scratch,
                    "IMAGE_SUITE_FRAMEWORK": suite.framework,
                    "IMAGE_SUITE_PORT": str(_free_port()),
                    "IMAGE_SUITE_VERSION": suite.version,
                },
                check=False,
            ).returncode
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    sys.exit(main())
