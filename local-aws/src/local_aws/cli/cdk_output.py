"""What the CDK CLI prints: a line per kind of resource, instead of two per resource."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TextIO

import click

from local_aws.errors import DeployFailed

_EVENT = re.compile(
    r"\s*(?P<stack>[^\s|]+) \|[ \d/]*\|[^|]+\| (?P<status>[A-Z_]+) +\| (?P<kind>\S+) *\| (?P<of>.*)"
)
_NOISE = re.compile(
    r"\s*(Stack ARN:)?$|arn:\S+:cloudformation:|✨ +(Deployment|Synthesis|Total) time|"
    r".*: (start|success): (Publish|Buil)|"
    r"Trusted accounts for |Using default execution policy of |"
    r".*: creating CloudFormation changeset|.* (deploying|destroying)\.\.\. \[\d+/\d+\]$|"
    r"\S+ \([\w-]+\)$|Including dependency stacks|"
    r"Successfully synthesized to |Supply a stack id |"
    r"python3? -m local_aws\.process\.ready_app "
)
_REPEATS = re.compile(r"Failed resources:|‣ DeploymentError: Resource updates failed:")
"""What comes before events that failed, once more, each with all of its reason."""
_DONE = {"CREATE": "created", "UPDATE": "updated", "DELETE": "deleted", "IMPORT": "imported"}
_LONG = ("AWS::SageMaker::Endpoint", "AWS::SageMaker::InferenceComponent")
_OF_CDK = ("CDKToolkit", "AWS::CDK::Metadata")


@contextmanager
def cdk_output(*, whole: bool) -> Iterator[TextIO | None]:
    """Where the CDK CLI is to write, as `CdkCli`'s ``log``; ``whole``: to this process's output.

    It is told on standard error, where the CLI says most of it. Events of resources are counted
    by kind and told when their stack is done. One that failed, or is of a rollback, is told as it
    is, and so is whatever is no event. A terminal shows the last event meanwhile; elsewhere a line
    says that an endpoint is begun, which may wait for its alarms between shifts of traffic. The
    reason of a `DeployFailed`, which may quote a container's log, is told by then.
    """
    try:
        with nullcontext() if whole else _shortened() as log:
            yield log
    except DeployFailed as failed:
        lines = str(failed).splitlines()
        if len(lines) < 3:
            raise
        raise DeployFailed(f"{lines[0]} … {lines[-1].strip()}") from None


@contextmanager
def _shortened() -> Iterator[TextIO]:
    reading, writing = os.pipe()
    # The thread closes what it reads: an interrupt may come while the last lines are waited for.
    lines = os.fdopen(reading, encoding="utf-8", errors="replace")
    printer = threading.Thread(target=_print, args=(lines,), daemon=True)
    printer.start()
    try:
        with os.fdopen(writing, "w", encoding="utf-8") as log:
            yield log
    finally:
        printer.join()


def _print(lines: TextIO) -> None:
    with lines:
        _print_shortened(lines)


def _print_shortened(lines: Iterable[str]) -> None:
    done: dict[str, Counter[tuple[str, str]]] = {}
    begun: set[str] = set()
    on_terminal, repeats = sys.stderr.isatty(), False
    for line in lines:
        event = _EVENT.match(line)
        repeats = (
            event is None
            and not line.startswith("❌")
            and (repeats or _REPEATS.match(line) is not None)
        )
        if repeats or (event is None and _NOISE.match(line)):
            continue
        told = [line.rstrip()]
        if event is not None:
            stack, kind = event["stack"], event["kind"]
            verb, _, state = event["status"].partition("_")
            own = done.setdefault(stack, Counter())
            if not re.search("FAILED|ROLLBACK", event["status"]):
                told = []
            if state == "IN_PROGRESS" and kind in _LONG and not (on_terminal or told):
                shown = f"{stack}: {kind} {event['status']}"
                told = [] if shown in begun else [shown]
                begun.add(shown)
            if state == "COMPLETE" and verb in _DONE:
                is_whole = kind == "AWS::CloudFormation::Stack" and event["of"].split()[0] == stack
                if not is_whole and kind not in _OF_CDK:
                    own[_DONE[verb], kind] += 1
                elif is_whole and stack not in _OF_CDK:
                    told = [stack, *_by_kind(done.pop(stack))]
        if on_terminal:
            click.echo("\r\033[K", nl=False, err=True)
        for each in told:
            click.echo(each, err=True)
        if on_terminal and event is not None and not told:
            shown = f"{event['stack']}: {event['kind']} {event['status']}"
            click.echo(shown[: shutil.get_terminal_size().columns - 1], nl=False, err=True)


def _by_kind(done: Counter[tuple[str, str]]) -> Iterator[str]:
    for (verb, kind), number in sorted(done.items(), key=lambda each: each[0]):
        yield f"  {verb} {number:>3} {kind}"
