"""Runs the tests that AWS's serving images bring, against this project's server in their place.

``python -m tools.container_suites FOLDER --version 2.19``: FOLDER holds such a suite, as
aws/sagemaker-tensorflow-serving-container has in ``test/integration/local``, or
aws/deep-learning-containers below ``test/sagemaker_tests/tensorflow/inference``. It is read, not
changed, and none of it is part of this repository. The suites start images by ``docker``: a program
of that name is put before all others, and starts ``sagemaker-serving serve`` instead, on the port
8080. Other arguments go to pytest, whose status is that of this.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

_SUITE = Path("test/integration/local")


def main() -> int:
    """Prints what pytest prints."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.container_suites", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("folder", type=Path, help=f"the folder in which {_SUITE} lies")
    parser.add_argument("--version", required=True, help="the image's version, such as 2.19")
    given, for_pytest = parser.parse_known_args()
    if not (given.folder / _SUITE).is_dir():
        parser.error(f"{given.folder / _SUITE} is no folder")
    with tempfile.TemporaryDirectory(prefix="container-suites-") as state:
        docker = Path(state, "docker")
        docker.write_text(
            f"#!{sys.executable}\n"
            f"import sys\nsys.path.insert(0, {str(Path.cwd())!r})\n"
            "from tools.container_suites.docker import main\nmain()\n"
        )
        docker.chmod(0o700)
        path = os.pathsep.join((state, str(Path(sys.executable).parent), os.environ["PATH"]))
        return subprocess.run(
            [
                *(sys.executable, "-m", "pytest", str(_SUITE), "-p", "no:cacheprovider", "-q"),
                *("--framework-version", given.version, *for_pytest),
            ],
            cwd=given.folder,
            env={**os.environ, "PATH": path, "CONTAINER_SUITES_STATE": state},
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
