"""This project in an environment that has OpenVINO and torch, which are not among its own pins."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sysconfig
from pathlib import Path

from sagemaker_serving.whole_files import write_whole
from tools.own_environments.environments import ROOT, environment_of


def python_with_openvino() -> Path:
    """A Python that has this project's packages, OpenVINO, and torch where an index has it.

    The environment is made once.
    """
    folder = environment_of("openvino")
    sources = [Path(sysconfig.get_path("purelib"))]
    with contextlib.suppress(subprocess.CalledProcessError):
        sources += (environment_of("torch") / "lib").glob("python*/site-packages")
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    for kept in Path(paths["purelib"]).iterdir():
        if kept.is_symlink() and not kept.exists():  # of a version that was here before
            kept.unlink(missing_ok=True)
    # Neither PYTHONPATH, which model servers are started without, nor a .pth: what the handler's
    # worker takes for this environment's own lies below it.
    for package in (package for source in sources for package in source.iterdir()):
        with contextlib.suppress(FileExistsError):
            Path(paths["purelib"], package.name).symlink_to(package)
    command = folder / "bin" / "sagemaker-serving"
    python = command.with_name("python")
    code = "from sagemaker_serving.cli import main\nmain()\n"
    write_whole(command, f"#!{python}\n{code}")
    command.chmod(0o755)
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
