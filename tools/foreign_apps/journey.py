"""An app's whole way: synthesized, deployed, asked, updated, destroyed, and nothing left."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from types import TracebackType
from typing import Any, TextIO

from local_aws import daemon
from local_aws.errors import ReportedError
from local_aws.process.address import Address
from local_aws.process.assembly import stacks_of
from local_aws.process.cdk import CdkCli
from tools.foreign_apps.apps import App
from tools.foreign_apps.requests import Answer, requests_of


@dataclass(kw_only=True)
class Outcome:
    """What came of one app; ``failed`` is the step that it did not get beyond, and why."""

    name: str
    failed: tuple[str, str] | None = None
    answers: list[Answer] = field(default_factory=list)

    def __str__(self) -> str:
        if self.failed is not None:
            return f"{self.failed[0]}: {self.failed[1]}"
        wrong = [str(each) for each in self.answers if not each.right]
        asked = f"{len(self.answers) - len(wrong)} of {len(self.answers)} requests right"
        return "; ".join(["whole way", asked if self.answers else "nothing to ask", *wrong])


class Journey:
    """Takes one app after the other; each begins on a local AWS where nothing is deployed.

    ``logs`` is a folder for what the CDK CLI says of each app, None to forget it.
    """

    def __init__(self, region: str, logs: Path | None) -> None:
        self._region = region
        self._logs = logs
        self._stack = ExitStack()
        self._state = Path(self._stack.enter_context(TemporaryDirectory())) / "state"
        self._address: Address | None = None

    def __enter__(self) -> Journey:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._stack.close()

    def take(self, app: App) -> Outcome:
        """Take one app its whole way."""
        outcome = Outcome(name=app.name)
        with ExitStack() as stack:
            log = stack.enter_context(self._log(app))
            folder = stack.enter_context(app.copied())
            address = self._begin()
            cli = CdkCli(folder, address, self._region, log=log)
            assembly = folder / "cdk.out"
            made: list[_Stacks] = []

            def bootstrap() -> None:
                cli.bootstrap(assembly)
                found = {
                    (each.account, each.region or self._region) for each in stacks_of(assembly)
                }
                made.extend(_Stacks(cli.address_in(*each), each[1]) for each in sorted(found))

            def ask() -> None:
                for stacks in made:
                    self._ask(stacks, outcome, log)

            def refuse_what_is_left() -> None:
                for stacks in made:
                    stacks.refuse_what_is_left()

            steps: Sequence[tuple[str, Callable[[], object]]] = (
                ("not synthesized", lambda: cli.synth(assembly)),
                ("not bootstrapped", bootstrap),
                ("not deployed", lambda: cli.deploy(assembly)),
                ("not asked", ask),
                ("not updated", lambda: cli.deploy(assembly, tags={"step": "second"})),
                ("not destroyed", lambda: cli.destroy(assembly)),
                ("left behind", refuse_what_is_left),
            )
            for name, step in steps:
                try:
                    step()
                except ReportedError as error:
                    outcome.failed = (name, _reason(error, log, folder))
                    break
        if outcome.failed is not None and outcome.failed[0] != "not synthesized":
            self._end()
        return outcome

    def _ask(self, stacks: _Stacks, outcome: Outcome, log: TextIO) -> None:
        made = stacks.resources()
        for request in requests_of(made):
            answer = request(stacks.client)
            log.write(f"{answer}\n")
            outcome.answers.append(answer)

    def _log(self, app: App) -> TextIO:
        if self._logs is None:
            return TemporaryFile("w+", encoding="utf-8")
        self._logs.mkdir(parents=True, exist_ok=True)
        path = self._logs / f"{app.name.replace(os.sep, '--')}.log"
        return path.open("w+", encoding="utf-8")

    def _begin(self) -> Address:
        if self._address is None:
            self._address = daemon.start(self._state, port=0, with_parent=True, fresh=True)
        return self._address

    def _end(self) -> None:
        if self._address is not None:
            with suppress(ReportedError):
                daemon.stop(self._state)
        self._address = None


class LeftBehind(ReportedError):
    """Something of a stack is there after it was destroyed."""


class _Stacks:
    """The app's stacks in a region, which are all there are but the CDK's own."""

    def __init__(self, address: Address, region: str) -> None:
        self.region = region
        self.client: Callable[[str], Any] = lambda service: address.client(service, region=region)
        self._known: list[str] = []

    def resources(self) -> list[tuple[str, str]]:
        """Type and physical id of everything that was made."""
        cloudformation = self.client("cloudformation")
        stacks = cloudformation.describe_stacks()["Stacks"]
        self._known = [each["StackId"] for each in stacks if each["StackName"] != "CDKToolkit"]
        return [
            (each["ResourceType"], each["PhysicalResourceId"])
            for stack in self._known
            for each in self._of(stack)
        ]

    def refuse_what_is_left(self) -> None:
        """Raise `LeftBehind` for what neither went nor was to be kept."""
        left = [
            f"{each['ResourceType']} {each['PhysicalResourceId']}"
            for stack in self._known
            for each in self._of(stack)
            if each["ResourceStatus"] not in ("DELETE_COMPLETE", "DELETE_SKIPPED")
        ]
        if left:
            raise LeftBehind(", ".join(left))

    def _of(self, stack: str) -> list[dict[str, Any]]:
        pages = self.client("cloudformation").get_paginator("list_stack_resources")
        return [
            each
            for page in pages.paginate(StackName=stack)
            for each in page["StackResourceSummaries"]
            if each.get("PhysicalResourceId")
        ]


def _reason(error: ReportedError, log: TextIO, folder: Path) -> str:
    """Why a step failed, in one line and without this machine's folders.

    What only the CDK CLI said stands in its output: a failed resource, an error by its name, or the
    last line.
    """
    said = str(error)
    if said.endswith("its output says why"):
        log.seek(0)
        text = log.read()
        unmade = re.search(
            r"Failed to create change set [^\n]*:\n(.*?)(?:\nSource Location|$)", text, re.S
        )
        lines = [
            line for line in text.splitlines() if line.strip() and "Subprocess exited" not in line
        ]
        failed = [line for line in lines if "_FAILED " in line]
        named = [line for line in lines if re.match(r"\[?«\w+»|[\w.]*Error\b", line)]
        said = unmade[1] if unmade else (failed or named or lines or [said])[-1]
    said = re.sub(r"\x1b\[[0-9;]*m|\(/[^)]*\)", "", said).replace(f"{folder.parent}/", "")
    return " ".join(said.split())
