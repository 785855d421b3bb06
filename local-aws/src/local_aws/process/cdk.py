"""Runs the real CDK CLI against the local AWS."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from local_aws.context import ACCOUNT_ID
from local_aws.errors import DeployFailed, Failure, Mistake
from local_aws.process import Tree, has_ended, open_pidfd
from local_aws.process.address import Address
from local_aws.process.alive import ended
from local_aws.process.assembly import images_of, refuse_other_accounts
from local_aws.process.docker import script
from local_aws.process.node import node_program

_BOOTSTRAPPED = "/cdk-bootstrap/hnb659fds/version"
_KEPT = ("LANG", "LC_ALL", "TERM", "TMPDIR", "XDG_CACHE_HOME", "NO_COLOR")
"""What the CLI keeps of the user's environment: nothing that names a real account."""


class CdkCli:
    """The CDK CLI of ``project`` (its ``cdk.json`` and ``node_modules``), speaking to ``address``.

    Its output goes to ``log``, by default to this process's own. What it and
    the app have started ends with it, with this process, and with the local
    AWS, of which `LocalAwsEnded` is raised. Raises `Mistake` when there is no
    CDK app or no CDK CLI there.
    """

    def __init__(
        self, project: Path, address: Address, region: str, *, log: TextIO | None = None
    ) -> None:
        if not (project / "cdk.json").is_file():
            raise Mistake(
                f"there is no cdk.json in {project.resolve()}; run this in the project's folder"
            )
        self._project = project
        self._address = address
        self._region = region
        self._client = partial(address.client, region=region)
        self._log = log
        self._command = _command(project)

    def bootstrap(self) -> None:
        """Bootstraps the local account and region, unless that was done already."""
        with _failures():
            names = self._client("ssm").describe_parameters()["Parameters"]
        if _BOOTSTRAPPED in [parameter["Name"] for parameter in names]:
            return
        self._run("bootstrap", f"aws://{ACCOUNT_ID}/{self._region}")

    def synth(self, assembly: Path, **context: str) -> None:
        """Synthesizes the app into ``assembly``; ``context`` are values of its context by name.

        ``CDK_VALIDATION`` is off, for speed. Raises `DeployFailed`.
        """
        given = [f"--context={name}={value}" for name, value in context.items()]
        self._run_in(self._project, Path.home(), "synth", *given, f"--output={assembly}", "--quiet")

    def deploy(
        self, assembly: Path, *, tags: Mapping[str, str] = MappingProxyType({})
    ) -> list[str]:
        """Deploys every stack of the synthesized ``assembly``, independent ones at once.

        ``tags`` are tags of the stacks. Gives the names of its image assets, which are kept in
        the local ECR and not built. Raises `Mistake` when a stack names an account that is not
        the local one, and `DeployFailed` with the first reason when a stack does not reach its
        wanted state.
        """
        refuse_other_accounts(assembly)
        given = [f"--tags={key}={value}" for key, value in tags.items()]
        app = f"--app={assembly.resolve()}"
        self._run("deploy", "--all", app, "--require-approval=never", "--concurrency=4", *given)
        return images_of(assembly)

    def destroy(self, assembly: Path) -> None:
        """Destroys every stack of the synthesized ``assembly``; raises `DeployFailed`."""
        self._run("destroy", "--all", f"--app={assembly.resolve()}", "--force")

    def _run(self, *arguments: str) -> None:
        """Away from ``cdk.json`` and ``~/.cdk.json``.

        Both may name a profile, a role or a proxy; and where there is an app,
        the CLI synthesizes all of it before it bootstraps.
        """
        with tempfile.TemporaryDirectory() as empty:
            docker = {"CDK_DOCKER": str(script(Path(empty)))}
            self._run_in(Path(empty), Path(empty), *arguments, environment=docker)

    def _run_in(
        self,
        folder: Path,
        home: Path,
        *arguments: str,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        known = self._failures()
        pidfd = open_pidfd(self._address.pid)
        try:
            with Tree(
                [*self._command, "--no-notices", *arguments],
                pidfds=[] if pidfd is None else [pidfd],
                cwd=folder,
                env={**self._environment(), **environment, "HOME": str(home)},
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
            ) as cli:
                status = cli.process.wait()
        finally:
            if pidfd is not None:
                os.close(pidfd)
        if status != 0:
            if has_ended(self._address.pid):
                raise ended(self._address)
            new = [reason for event, reason in self._failures().items() if event not in known]
            reason = new[0] if new else f"the CDK CLI ended with {status}; its output says why"
            raise DeployFailed(f"cdk {arguments[0]} failed: {reason}")

    def _environment(self) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            **self._address.environment(self._region),
            "PATH": os.pathsep.join(_path()),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_VALIDATION": "false",
        }

    def _failures(self) -> dict[str, str]:
        """Every resource that failed in any stack so far, oldest first: reason by event id."""
        client = self._client("cloudformation")
        events: list[dict[str, Any]] = []
        with _failures():
            for stack in client.describe_stacks()["Stacks"]:
                pages = client.get_paginator("describe_stack_events")
                for page in pages.paginate(StackName=stack["StackId"]):
                    events += page["StackEvents"]
        return {
            event["EventId"]: f"{event['StackName']}: {event['LogicalResourceId']}: "
            f"{event['ResourceStatusReason']}"
            for event in sorted(events, key=lambda event: str(event["Timestamp"]))
            if event["ResourceStatus"].endswith("_FAILED")
            and "cancelled" not in event.get("ResourceStatusReason", "cancelled")
        }


@contextmanager
def _failures() -> Iterator[None]:
    """What boto3 raises, as an error that can be read."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Failure(f"the local AWS does not answer as it should: {error}") from None


def _command(project: Path) -> Sequence[str]:
    installed = project / "node_modules" / "aws-cdk" / "bin" / "cdk"
    if installed.is_file():
        return [node_program(), str(installed.resolve())]
    on_path = shutil.which("cdk")
    if on_path is not None:
        return [on_path]
    raise Mistake("there is no CDK CLI; run `make setup`, or `npm install` in the project's folder")


def _path() -> list[str]:
    """This Python first, then a Node that jsii supports, then the user's own path."""
    folders = [str(Path(sys.executable).parent)]
    node = Path(node_program()).parent
    if node != Path():
        folders.insert(0, str(node))
    return [*folders, os.environ.get("PATH", os.defpath)]
