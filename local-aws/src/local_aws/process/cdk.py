"""Runs the real CDK CLI against the local AWS."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from local_aws.arn import arn_in
from local_aws.credentials import ACCOUNT_ID
from local_aws.errors import DeployFailed, Failure, Mistake
from local_aws.process import Tree, has_ended, open_pidfd
from local_aws.process.address import Address
from local_aws.process.alive import ended
from local_aws.process.assembly import images_of, stacks_of
from local_aws.process.docker import script
from local_aws.process.node import node_program, path_with_node
from local_aws.process.ready_app import ReadyApp
from local_aws.process.updating import failures_in
from local_aws.program import program

_BOOTSTRAPPED = "/cdk-bootstrap/hnb659fds/version"
_NEVER_MADE = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED")
_KEPT = ("LANG", "LC_ALL", "TERM", "TMPDIR", "XDG_CACHE_HOME", "NO_COLOR", "NODE_COMPILE_CACHE")
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
        self._log = log
        self._command = _command(project)

    def bootstrap(self, assembly: Path | None = None) -> None:
        """Bootstraps every account and region of ``assembly``, unless that was done.

        Without one, and where a stack names none, the first account and this CLI's region. An
        account that is not there yet is made. Each trusts the first account, whose credentials
        the CLI has.
        """
        stacks = [] if assembly is None else stacks_of(assembly)
        places = [(each.account, each.region or self._region) for each in stacks]
        for account, region in dict.fromkeys(places or [(ACCOUNT_ID, self._region)]):
            with _failures():
                address = self.address_in(account, region)
                names = address.client("ssm", region).describe_parameters()["Parameters"]
            if _BOOTSTRAPPED not in [parameter["Name"] for parameter in names]:
                trust = [] if account == ACCOUNT_ID else _trust(region)
                self._run("bootstrap", f"aws://{account}/{region}", *trust, address=address)

    def synth(
        self,
        assembly: Path,
        context: Mapping[str, str] = MappingProxyType({}),
        environment: Mapping[str, str] = MappingProxyType({}),
        *,
        app: Sequence[str] | None = None,
    ) -> None:
        """Synthesizes the app into ``assembly``; ``context`` are values of its context by name.

        The app gets the variables of ``environment``; ``app`` is its command, in place of the one
        of ``cdk.json``. ``CDK_VALIDATION`` is off, for speed. Raises `DeployFailed`.
        """
        given = [f"--context={name}={value}" for name, value in context.items()]
        if app is not None:
            given.append(f"--app={shlex.join(app)}")
        self._run_in(
            self._project,
            Path.home(),
            "synth",
            *given,
            f"--output={assembly}",
            "--quiet",
            environment=environment,
        )

    def ready_app(self, assembly: Path, context: Mapping[str, str]) -> ReadyApp:
        """The app that waits to do what `synth` would, or can be made to."""
        files = [self._project / name for name in ("cdk.json", "cdk.context.json")]
        files.append(Path.home() / ".cdk.json")
        given = {
            "the context": dict(context),
            "the shell's environment": self._environment(self._address),
            "the shell's PATH": os.environ.get("PATH"),
            "the CDK CLI": [*self._command, Path(self._command[-1]).stat().st_ctime],
            **{str(file): file.read_text() if file.is_file() else None for file in files},
        }
        return ReadyApp(self._project, assembly, given=given, pid=self._address.pid)

    def deploy(
        self,
        assembly: Path,
        stacks: Sequence[str] = (),
        *,
        tags: Mapping[str, str] = MappingProxyType({}),
    ) -> list[str]:
        """Deploys the stacks of the synthesized ``assembly``, independent ones at once.

        All of them, or ``stacks``, by name, path or pattern, and what they depend on. ``tags`` are
        tags of the stacks. Gives the names of its image assets, which are kept in the local ECR and
        not built. Raises `DeployFailed` with the first reason when a stack does not reach its
        wanted state.
        """
        given = [f"--tags={key}={value}" for key, value in tags.items()]
        app = f"--app={assembly.resolve()}"
        which = [each.path for each in stacks_of(assembly, stacks)] if stacks else ["--all"]
        self._run("deploy", *which, app, "--require-approval=never", "--concurrency=4", *given)
        return images_of(assembly)

    def destroy(self, assembly: Path) -> None:
        """Destroys every stack of the synthesized ``assembly``, independent ones at once.

        Raises `DeployFailed`.
        """
        app = f"--app={assembly.resolve()}"
        self._run("destroy", "--all", app, "--force", "--concurrency=4")

    def address_in(self, account: str, region: str) -> Address:
        """The local AWS, as an administrator of an account knows it."""
        return (
            self._address if account == ACCOUNT_ID else self._address.for_account(account, region)
        )

    def _run(self, *arguments: str, address: Address | None = None) -> None:
        """Away from ``cdk.json`` and ``~/.cdk.json``.

        Both may name a profile, a role or a proxy; and where there is an app,
        the CLI synthesizes all of it before it bootstraps.
        """
        with tempfile.TemporaryDirectory() as empty:
            docker = {"CDK_DOCKER": str(script(Path(empty)))}
            self._run_in(Path(empty), Path(empty), *arguments, environment=docker, address=address)

    def _run_in(
        self,
        folder: Path,
        home: Path,
        *arguments: str,
        environment: Mapping[str, str] = MappingProxyType({}),
        address: Address | None = None,
    ) -> None:
        known = self._failures()
        pidfd = open_pidfd(self._address.pid)
        try:
            with (
                tempfile.TemporaryDirectory() as programs,
                Tree(
                    [*self._command, "--no-notices", *arguments],
                    pidfds=[] if pidfd is None else [pidfd],
                    cwd=folder,
                    env={
                        **environment,
                        **self._environment(address or self._address),
                        "PATH": os.pathsep.join(path_with_node(Path(programs))),
                        "HOME": str(home),
                    },
                    stdin=subprocess.DEVNULL,
                    stdout=self._log,
                    stderr=self._log,
                ) as cli,
            ):
                status = cli.process.wait()
        finally:
            if pidfd is not None:
                os.close(pidfd)
        if status != 0:
            if has_ended(self._address.pid):
                raise ended(self._address)
            new = [reason for event, reason in self._failures().items() if event not in known]
            ended_with = f"the CDK CLI ended with {status}; its output says why"
            reason = new[0] if new else self._protected() or ended_with
            raise DeployFailed(f"cdk {arguments[0]} failed: {reason}")

    def _environment(self, address: Address) -> dict[str, str]:
        return {
            **{name: os.environ[name] for name in _KEPT if name in os.environ},
            **address.environment(self._region),
            # By its number: of names, some of its versions make bucket.localhost.
            "AWS_ENDPOINT_URL": self._address.url.replace("//localhost", "//127.0.0.1"),
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "CDK_VALIDATION": "false",
        }

    def _failures(self) -> dict[str, str]:
        """Every resource that failed in any account's stacks so far, oldest first: reason by event
        id."""
        events: list[dict[str, Any]] = []
        with _failures():
            for client, stack in self._stacks():
                pages = client.get_paginator("describe_stack_events")
                for page in pages.paginate(StackName=stack["StackId"]):
                    events += page["StackEvents"]
        return failures_in(events)

    def _protected(self) -> str | None:
        """What to do of a stack whose first deploy failed, and that the CLI may not delete to make
        it again."""
        with _failures():
            for _, stack in self._stacks():
                if stack["StackStatus"] in _NEVER_MADE and stack["EnableTerminationProtection"]:
                    name = stack["StackName"]
                    return (
                        f"the first deploy of {name} failed, and its termination protection keeps "
                        "it from being made again; switch that off, and deploy: "
                        f'eval "$({program().group} env)" && aws cloudformation '
                        "update-termination-protection --no-enable-termination-protection "
                        f"--stack-name {name}"
                    )
        return None

    def _stacks(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Every stack of every account, and the client that reads it."""
        for account in (ACCOUNT_ID, *self._address.status().get("accounts", ())):
            client = self.address_in(account, self._region).client("cloudformation", self._region)
            for stack in client.describe_stacks()["Stacks"]:
                yield client, stack


def _trust(region: str) -> list[str]:
    """What bootstraps an account so that the first one may deploy to it (CDK's developer guide,
    "Bootstrap your environment for use with the AWS CDK")."""
    everything = arn_in(region, "iam", "aws", "policy/AdministratorAccess")
    return [f"--trust={ACCOUNT_ID}", f"--cloudformation-execution-policies={everything}"]


@contextmanager
def _failures() -> Iterator[None]:
    """What boto3 raises, as an error that can be read."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise Failure(f"the local AWS does not answer as it should: {error}") from None


def cdk_cli(project: Path) -> Sequence[str] | None:
    """The command that starts the CDK CLI of ``project``, or the one on the path; None for none."""
    for folder in (project.resolve(), *project.resolve().parents):
        installed = folder / "node_modules" / "aws-cdk" / "bin" / "cdk"
        if installed.is_file():
            return [node_program(), str(installed.resolve())]
    on_path = shutil.which("cdk")
    return None if on_path is None else [on_path]


def _command(project: Path) -> Sequence[str]:
    found = cdk_cli(project)
    if found is None:
        # npm's `latest` is 3.0.0, which is older than its number and reads no assembly of today.
        raise Mistake(
            f"there is no CDK CLI; run `npm install aws-cdk@2` in {project.resolve()}, or put "
            "`cdk` on the path"
        )
    return found
