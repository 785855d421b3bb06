"""``docker`` as the suites call it: ``run … serve`` serves, ``rm -f`` ends what serves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

STAND_IN = """
import json
def model_fn(model_dir): return None
def transform_fn(model, data, content_type, accept): return json.dumps([0.001] * 1000)
"""


BUILT_IN = ("/resnet_152", "/resnet_18")
"""The models that a suite's own Dockerfile puts into the image."""


def main() -> int:
    """What ``serve`` ends with; 0 for ``rm``."""
    scratch = Path(os.environ["IMAGE_SUITE_FOLDER"])
    pid_file = scratch / "pid"
    if sys.argv[1] == "rm":
        os.kill(int(pid_file.read_text()), signal.SIGINT)
        return 0
    words = sys.argv[2:]
    mounts = [words[at + 1].partition(":")[2] for at, word in enumerate(words) if word == "-v"]
    models = scratch / "models"
    for name in mounts or BUILT_IN:
        code = models / name.strip("/") / "code"
        code.mkdir(parents=True)
        (code / "inference.py").write_text(STAND_IN)
        # SageMaker's own layout, which one of the suites loads from.
        (code.parent / "model").symlink_to(code.parent)
    process = subprocess.Popen(
        [
            *(str(Path(sys.executable).with_name("sagemaker-serving")), "serve", str(models)),
            *("--framework", "pytorch", "--port", os.environ["IMAGE_SUITE_PORT"]),
            *("--container-version", os.environ["IMAGE_SUITE_VERSION"]),
            *("--env", "SAGEMAKER_MULTI_MODEL=true"),
        ]
    )
    pid_file.write_text(str(process.pid))
    return process.wait()


if __name__ == "__main__":
    sys.exit(main())
