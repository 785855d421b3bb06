"""The CDK app with the scenario's environment, and the CDK CLI that deploys it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from local_aws.process import Tree
from sagemaker_serving.errors import DeployFailed, Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import Environment, read_environment
from sagemaker_serving.spec.overlay import overlay
from tests.acceptance.site import Site
from tests.today import TODAY

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PREFIX = "acceptance"
"""What the names of all stacks, endpoints and configs begin with."""

TAG = ("project", "sagemaker-serving-acceptance")
"""What all that is made is tagged with."""

TOOLKIT = f"{PREFIX}-CDKToolkit"
"""A bootstrap of its own, so that nobody else's is touched and this one can be taken down."""

_QUALIFIER = "accept"
_TAGS = (f"--tags={'='.join(TAG)}",)


class Project:
    """A copy of this project in ``folder`` with one environment, deployed to ``site``."""

    def __init__(self, folder: Path, site: Site) -> None:
        self.folder = folder
        self._site = site
        for name in ("app.py", "cdk.json"):
            shutil.copy(ROOT / name, folder / name)
        for name in ("stacks", "model_assets"):
            shutil.copytree(ROOT / name, folder / name)
        broken = folder / "model_assets" / "broken" / "model"
        shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", broken)
        shutil.copytree(HERE / "broken", broken, dirs_exist_ok=True)
        (folder / "environments").mkdir()

    def bootstrap(self) -> None:
        """Away from ``cdk.json``: where there is an app, the CLI synthesizes it first."""
        self._cdk(
            "bootstrap",
            f"aws://{self._site.account}/{self._site.region}",
            f"--qualifier={_QUALIFIER}",
            f"--toolkit-stack-name={TOOLKIT}",
            *_TAGS,
            folder=self.folder / "environments",
        )

    def deploy(self, *overlays: str) -> Environment:
        """Deploys the environment with ``overlays`` laid over it; raises `DeployFailed`."""
        environment = self.environment(*overlays)
        self._cdk("deploy", "--all", *self._options(), *_TAGS, "--require-approval=never")
        return environment

    def destroy(self) -> None:
        """Destroys what was deployed last, but the bootstrap."""
        self._cdk("destroy", "--all", *self._options(), "--force")

    def environment(self, *overlays: str) -> Environment:
        """The environment, written to where the app reads it, and checked."""
        content: dict[str, Any] = _read(HERE / "environment.yaml")
        for name in overlays:
            content = overlay(content, _read(HERE / "overlays" / f"{name}.yaml"))
        content["region"] = self._site.region
        path = self.folder / "environments" / f"{PREFIX}.yaml"
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        file = read_environment(path)
        found = check_environment(file, today=TODAY)
        assert [str(each) for each in found if each.severity is not Severity.NOTE] == []
        return file.sound

    def _options(self) -> list[str]:
        return [
            f"--toolkit-stack-name={TOOLKIT}",
            f"--context=env={PREFIX}",
            f"--context=account={self._site.account}",
            f"--context=@aws-cdk/core:bootstrapQualifier={_QUALIFIER}",
            "--concurrency=4",
        ]

    def _cdk(self, command: str, *arguments: str, folder: Path | None = None) -> None:
        """What it has started ends with it, and with this process."""
        cli = ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
        python = str(Path(sys.executable).parent)
        with (self.folder / "cdk.log").open("w+") as log:
            with Tree(
                ["node", str(cli), "--no-notices", command, *arguments],
                cwd=self.folder if folder is None else folder,
                env={
                    **self._site.shell,
                    "PATH": os.pathsep.join([python, os.environ["PATH"]]),
                    "CDK_DISABLE_CLI_TELEMETRY": "true",
                    "CDK_VALIDATION": "false",
                    "CI": "true",
                },
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            ) as cdk:
                status = cdk.process.wait()
            if status != 0:
                log.seek(0)
                told = "".join(log.readlines()[-15:])
                raise DeployFailed(f"cdk {command} ended with {status}:\n{told}")


def _read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))
