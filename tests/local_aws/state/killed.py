"""A local AWS in a process that may be killed: slow deploys, saves as often as can be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from local_aws.context import LocalContext
from local_aws.process.address import Address
from tests.local_aws.aws import REGION, lasting_port

ROOT = Path(__file__).parents[3]

PROCESS = """
import sys, time
from pathlib import Path
from local_aws.services.cloudformation.engine.stacks import Stack
from local_aws.state import emulator, saver
from tests.local_aws.aws import gateway_of
from tests.local_aws.stand_in import StandIn

emulator.CHEAP_SECONDS = saver.QUIET_SECONDS = 0.0
told = Stack.set_resource_status


def slowly(*arguments):
    told(*arguments)
    time.sleep(0.02)


Stack.set_resource_status = slowly
local = gateway_of(Path(sys.argv[1]), int(sys.argv[2]), launch=StandIn.start)
local.start()
print(local.url, flush=True)
sys.stdin.read()
local.stop()
"""


class Killable:
    """The process; `kill` is kill -9, `end` lets it end properly."""

    def __init__(self, state_dir: Path, *, port: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROCESS, str(state_dir), str(port or lasting_port())],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url = self._process.stdout.readline().strip()
        self.context = LocalContext.at(self.url, state_dir)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, service: str) -> Any:
        return self.context.client(service, REGION)

    def status(self) -> Any:
        return Address(
            url=self.url, pid=self._process.pid, credentials=self.context.credentials
        ).status()

    def kill(self) -> None:
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def end(self) -> None:
        self._process.communicate()


def settled(cloudformation: Any, name: str) -> Any:
    """The stack once it is in no progress; None when there is none."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        stacks = [
            stack
            for stack in cloudformation.list_stacks()["StackSummaries"]
            if stack["StackName"] == name and stack["StackStatus"] != "DELETE_COMPLETE"
        ]
        if not stacks or not stacks[0]["StackStatus"].endswith("_IN_PROGRESS"):
            return stacks[0] if stacks else None
        time.sleep(0.02)
    raise AssertionError(f"{name} does not settle: {stacks}")
