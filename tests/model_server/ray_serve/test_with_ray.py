"""`test_ray` where Ray Serve is: in an environment of its own, in front of this one's packages."""

from __future__ import annotations

import importlib.util
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tools.own_environments.environments import ROOT, environment_of

TESTS = "tests/model_server/ray_serve/test_ray.py"


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(
    importlib.util.find_spec("ray") is not None, reason="ray is here: test_ray itself runs"
)
def test_ray_serve_s_models_answer_on_the_local_aws() -> None:
    folder = environment_of("ray")
    python = str(folder / "bin" / "python")
    paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
    # Not PYTHONPATH: model servers are started without regard to it.
    packages = [sysconfig.get_path("purelib"), ROOT / "constructs", ROOT / "local-aws" / "src"]
    Path(paths["purelib"], "beside.pth").write_text("".join(f"{path}\n" for path in packages))
    options = ["-q", "-n", "0", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        [python, "-m", "pytest", *options, TESTS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout
    assert "skipped" not in ended.stdout
