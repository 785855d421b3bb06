"""As much of ``docker`` as the suites ask for: volumes that are folders, and a container's life."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import psutil

STAND_IN = """
import json
def model_fn(model_dir): return None
def transform_fn(model, data, content_type, accept): return json.dumps([0.001] * 1000)
"""
BUILT_IN = ("/resnet_152", "/resnet_18")
"""The models that a suite's own Dockerfile puts into the image."""

_ML = "/opt/ml"
_MODELS = (f"{_ML}/model", f"{_ML}/models")
_CODE = f"{_ML}/code"
_POLL_SECONDS = 0.05


def main() -> None:
    """``volume create``, ``volume rm``, ``run`` and ``rm -f``."""
    scratch = Path(os.environ["IMAGE_SUITE_FOLDER"])
    match sys.argv[1:]:
        case ["volume", "create", "--name", name, *options]:
            device = next(each for each in options if each.startswith("device="))
            (scratch / name).write_text(device.removeprefix("device="))
        case ["volume", "rm", name]:
            (scratch / name).unlink()
        case ["run", *options]:
            _run(scratch, options)
        case ["rm", "-f", name]:
            _remove(scratch / f"{name}.pid")
        case other:
            sys.exit(f"docker {' '.join(other)}: not among what the suites ask for")


def _run(scratch: Path, options: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="docker run")
    parser.add_argument("--name", required=True)
    parser.add_argument("-p", dest="ports")
    parser.add_argument("-v", dest="folders", action="append", default=[])
    parser.add_argument("--mount", action="append", default=[])
    parser.add_argument("-e", dest="environment", action="append", default=[])
    parser.add_argument("image")
    parser.add_argument("command")
    given = parser.parse_args(options)
    framework = os.environ["IMAGE_SUITE_FRAMEWORK"]
    if framework == "tensorflow":
        models, environment = _tensorflow(dict(_mounted(scratch, each) for each in given.mount))
    else:
        names = [folder.partition(":")[2] for folder in given.folders]
        models, environment = _pytorch(scratch / "models", names or BUILT_IN)
    (scratch / f"{given.name}.pid").write_text(str(os.getpid()))
    program = str(Path(sys.executable).with_name("sagemaker-serving"))
    os.execv(
        program,
        [
            *(program, "serve", str(models), "--framework", framework),
            *("--container-version", os.environ["IMAGE_SUITE_VERSION"]),
            *("--port", os.environ["IMAGE_SUITE_PORT"]),
            *(f"--env={variable}" for variable in [*given.environment, *environment]),
        ],
    )


def _tensorflow(mounts: dict[str, str]) -> tuple[Path, list[str]]:
    """The folder of the model or models, and variables beside those that are given."""
    if _ML in mounts:
        whole = Path(mounts.pop(_ML))
        mounts |= {f"{_ML}/{each.name}": str(each) for each in whole.iterdir()}
    code = [f"SAGEMAKER_SERVING_UNIVERSAL_CODE={mounts[_CODE]}"] if _CODE in mounts else []
    return Path(next(mounts[at] for at in _MODELS if at in mounts)), code


def _pytorch(models: Path, names: tuple[str, ...] | list[str]) -> tuple[Path, list[str]]:
    for name in names:
        code = models / name.strip("/") / "code"
        code.mkdir(parents=True)
        (code / "inference.py").write_text(STAND_IN)
        # SageMaker's own layout, which one of the suites loads from.
        (code.parent / "model").symlink_to(code.parent)
    return models, ["SAGEMAKER_MULTI_MODEL=true"]


def _mounted(scratch: Path, mount: str) -> tuple[str, str]:
    said = dict(part.partition("=")[::2] for part in mount.split(","))
    return said["target"], (scratch / said["source"]).read_text()


def _remove(pid: Path) -> None:
    try:
        server = psutil.Process(int(pid.read_text()))
        server.terminate()
        # Its parent is the test, which does not wait for it.
        while server.is_running() and server.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_POLL_SECONDS)
    except (FileNotFoundError, psutil.NoSuchProcess):
        return


if __name__ == "__main__":
    main()
