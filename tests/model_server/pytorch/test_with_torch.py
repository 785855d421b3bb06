"""`test_torch` where torch is: in an environment of its own, beside this one's packages."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tools.own_environments.environments import ROOT, environment_of

TESTS = Path(__file__).with_name("test_torch.py")


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    importlib.util.find_spec("torch") is not None, reason="torch is here: test_torch itself runs"
)
def test_the_image_s_own_functions_answer_with_torch() -> None:
    try:
        python = environment_of("torch") / "bin" / "python"
    except subprocess.CalledProcessError:
        pytest.skip("no index that pip knows here has torch==2.13.0+cpu (tools/own_environments)")
    packages = sysconfig.get_path("purelib")
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "--noconftest"]
    ended = subprocess.run(
        [str(python), "-m", "pytest", *options, str(TESTS)],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                [packages, str(ROOT / "constructs"), str(ROOT / "local-aws/src"), str(ROOT)]
            ),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout
    assert "skipped" not in ended.stdout
