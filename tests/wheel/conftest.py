"""The built wheels, and environments that they are installed in."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.jsii_cache import keep_unpacked
from tools.own_environments.environments import ROOT, environment_of

PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


@dataclass(frozen=True)
class Installed:
    """An environment that has the wheels."""

    folder: Path

    @property
    def packages(self) -> Path:
        return packages_of(self.folder)

    def run(self, *command: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
        keep_unpacked(cwd)
        return subprocess.run(
            [str(self.folder / "bin" / "python"), *command],
            cwd=cwd,
            env={
                "PATH": os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]]),
                "HOME": str(cwd),
                "CDK_VALIDATION": "false",
                **more,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def cli(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return self.run(str(self.folder / "bin" / "sagemaker-serving"), *arguments, cwd=cwd)

    def install(self, *wanted: str) -> None:
        python = str(self.folder / "bin" / "python")
        subprocess.run([*PIP, "--python", python, "install", "--no-compile", *wanted], check=True)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Those of sagemaker-serving and of local-aws."""
    folder = tmp_path_factory.mktemp("wheels")
    for source in (ROOT, ROOT / "local-aws"):
        subprocess.run([*PIP, "wheel", "--no-deps", "-w", str(folder), str(source)], check=True)
    return sorted(folder.glob("*.whl"), reverse=True)


@pytest.fixture(scope="session")
def base(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheels, and what they ask for without any extra."""
    return _installed("wheel", wheels, tmp_path_factory, [environment_of("wheel")])


@pytest.fixture(scope="session")
def lowest(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheels with the extras `IN_LOWEST`, each library in the lowest version it may have."""
    return _installed("lowest", wheels, tmp_path_factory, [environment_of("lowest")])


@pytest.fixture(scope="session")
def with_torch(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheels with the extras cdk, local, ray and torch, all as they are pinned."""
    try:
        environments = [environment_of("ray"), environment_of("torch"), Path(sys.prefix)]
    except subprocess.CalledProcessError:
        pytest.skip("no index that pip knows here has torch==2.13.0+cpu (tools/own_environments)")
    return _installed("torch", wheels, tmp_path_factory, environments)


def _installed(
    name: str, wheels: list[Path], folders: pytest.TempPathFactory, libraries: list[Path]
) -> Installed:
    """The wheels in an environment of their own, which sees the libraries of these."""
    installed = Installed(folders.mktemp(name))
    venv.create(installed.folder, symlinks=True)
    seen = "".join(f"{packages_of(environment)}\n" for environment in libraries)
    (installed.packages / "libraries.pth").write_text(seen)
    installed.install("--no-deps", *map(str, wheels))
    return installed


def packages_of(environment: Path) -> Path:
    (packages,) = (environment / "lib").glob("python*/site-packages")
    return packages
