"""This project in an environment that has OpenVINO, which is not among its own pins."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

from tools.own_environments.environments import ROOT, environment_of


def python_with_openvino() -> Path:
    """A Python that has this project's packages and OpenVINO; the environment is made once."""
    folder = environment_of("openvino")
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    # Not PYTHONPATH: model servers are started without regard to it.
    packages = [sysconfig.get_path("purelib"), ROOT / "constructs", ROOT / "local-aws" / "src"]
    beside = Path(paths["purelib"], "beside.pth")
    beside.write_text("".join(f"{path}\n" for path in packages))
    return folder / "bin" / "python"


def run_tests(*tests: str) -> None:
    """Run these test files there; raises when one fails or is skipped."""
    options = ["-q", "-n", "0", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [str(python_with_openvino()), "-m", "pytest", *options, *tests],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout
    assert "skipped" not in ended.stdout
