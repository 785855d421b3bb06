"""As much of ``docker`` as the suites ask for: volumes that are folders, and one container."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import psutil

_ML = "/opt/ml"
_MODELS = (f"{_ML}/model", f"{_ML}/models")
_CODE = f"{_ML}/code"
_POLL_SECONDS = 0.05


def main() -> None:
    """``volume create``, ``volume rm``, ``run`` and ``rm -f``."""
    state = Path(os.environ["CONTAINER_SUITES_STATE"])
    match sys.argv[1:]:
        case ["volume", "create", "--name", name, *options]:
            device = next(each for each in options if each.startswith("device="))
            (state / name).write_text(device.removeprefix("device="))
        case ["volume", "rm", name]:
            (state / name).unlink()
        case ["run", *options]:
            _run(state, options)
        case ["rm", "-f", name]:
            _remove(state / f"{name}.pid")
        case other:
            sys.exit(f"docker {' '.join(other)}: not among what the suites ask for")


def _run(state: Path, options: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="docker run")
    parser.add_argument("--name", required=True)
    parser.add_argument("-p", dest="ports")
    parser.add_argument("--mount", action="append", default=[])
    parser.add_argument("-e", dest="environment", action="append", default=[])
    parser.add_argument("image")
    parser.add_argument("command")
    given = parser.parse_args(options)
    mounts = dict(_mounted(state, mount) for mount in given.mount)
    if _ML in mounts:
        whole = Path(mounts.pop(_ML))
        mounts |= {f"{_ML}/{each.name}": str(each) for each in whole.iterdir()}
    environment = [*given.environment]
    if _CODE in mounts:
        environment.append(f"SAGEMAKER_SERVING_UNIVERSAL_CODE={mounts[_CODE]}")
    (state / f"{given.name}.pid").write_text(str(os.getpid()))
    os.execvp(
        "sagemaker-serving",
        [
            *("sagemaker-serving", "serve", next(mounts[at] for at in _MODELS if at in mounts)),
            *("--container-version", given.image.rpartition(":")[2].partition("-")[0]),
            *("--framework", "tensorflow"),
            *(f"--env={variable}" for variable in environment),
        ],
    )


def _mounted(state: Path, mount: str) -> tuple[str, str]:
    said = dict(part.partition("=")[::2] for part in mount.split(","))
    return said["target"], (state / said["source"]).read_text()


def _remove(pid: Path) -> None:
    try:
        server = psutil.Process(int(pid.read_text()))
        server.terminate()
        # Its parent is the test, which does not wait for it.
        while server.is_running() and server.status() != psutil.STATUS_ZOMBIE:
            time.sleep(_POLL_SECONDS)
    except (FileNotFoundError, psutil.NoSuchProcess):
        return
