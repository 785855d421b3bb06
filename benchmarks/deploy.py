"""Seconds that a deploy takes here, and on plain moto: one template, one CDK CLI, in turn.

moto's CloudFormation makes everything at once and answers when all is there; it waits for
nothing, and starts no model. So only resources without one are compared.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local_aws import daemon
from local_aws.credentials import ACCOUNT_ID, Credentials
from local_aws.process.address import Address
from local_aws.process.cdk import CdkCli
from local_aws.process.node import node_program

ROOT = Path(__file__).parents[1]
REGION = "eu-west-1"
ACCOUNT = "123456789012"
RUNS = 3
KINDS = {
    "AWS::SSM::Parameter": (100, {"Type": "String", "Value": "v"}, "Name"),
    "AWS::SNS::Topic": (50, {}, "TopicName"),
    "AWS::Logs::LogGroup": (50, {}, "LogGroupName"),
}
"""200 resources that need nothing of one another: how many, with what, and the property that
names them, which plain moto does not do itself."""


def measure() -> Iterator[tuple[str, str]]:
    """The shipped local environment, and a stack of 200 resources on both, as medians."""
    shipped, many, plain, idle, deployed = [], [], [], 0, 0
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder, _ours(Path(folder)) as ours:
            idle = _memory(ours)
            local, resources = _shipped(ours, Path(folder)), _many(Path(folder))
            with _plain_moto() as moto:
                plain.append(_deploy(moto, resources))
            shipped.append(_deploy(ours, local))
            many.append(_deploy(ours, resources))
            deployed = _memory(ours)
    ratio = statistics.median(here / there for here, there in zip(many, plain, strict=True))
    yield "the local environment, until its models answer", f"{statistics.median(shipped):.2f} s"
    yield "200 resources in a stack", f"{statistics.median(many):.2f} s, {ratio:.2f} times moto's"
    yield "200 resources in a stack, on plain moto", f"{statistics.median(plain):.2f} s"
    yield "memory, just started", f"{idle / 1e6:.0f} MB"
    yield "memory, idle after both deploys", f"{deployed / 1e6:.0f} MB, model servers apart"


def _deploy(address: Address, assembly: Path) -> float:
    """The bootstrap is not timed."""
    _cdk(address, "bootstrap", f"aws://{ACCOUNT}/{REGION}")
    began = time.perf_counter()
    _cdk(
        address,
        *("deploy", "--all", f"--app={assembly}", "--method=direct"),
        "--require-approval=never",
    )
    return time.perf_counter() - began


def _cdk(address: Address, *arguments: str) -> None:
    """The CDK CLI in an empty folder; plain moto needs ``localhost`` and any credentials."""
    cli = ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
    with tempfile.TemporaryDirectory() as home:
        ended = subprocess.run(
            [node_program(), str(cli), "--no-notices", *arguments],
            cwd=home,
            env={
                "PATH": os.environ["PATH"],
                "HOME": home,
                "CDK_DISABLE_CLI_TELEMETRY": "true",
                **address.environment(REGION),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,  # plain moto waits for ever for what it can't make
        )
    if ended.returncode != 0:
        raise RuntimeError(f"cdk {arguments[0]} on {address.url} failed:\n{ended.stdout}")


def _shipped(ours: Address, folder: Path) -> Path:
    assembly = folder / "shipped"
    with (folder / "synth.log").open("w") as log:
        CdkCli(ROOT, ours, REGION, log=log).synth(assembly, {"env": "local", "account": ACCOUNT_ID})
    return assembly


def _many(folder: Path) -> Path:
    assembly = folder / "many"
    assembly.mkdir()
    resources = {
        f"{name}{n}": {"Type": kind, "Properties": {**properties, name: f"{name}-{n}"}}
        for kind, (count, properties, name) in KINDS.items()
        for n in range(count)
    }
    (assembly / "Many.template.json").write_text(json.dumps({"Resources": resources}))
    stack = {
        "type": "aws:cloudformation:stack",
        "environment": f"aws://{ACCOUNT}/{REGION}",
        "properties": {"templateFile": "Many.template.json"},
    }
    manifest = {"version": "36.0.0", "artifacts": {"Many": stack}}
    (assembly / "manifest.json").write_text(json.dumps(manifest))
    return assembly


@contextmanager
def _ours(folder: Path) -> Iterator[Address]:
    state = folder / "state"
    address = daemon.start(state, port=0, with_parent=True)
    try:
        yield address
    finally:
        daemon.stop(state)


@contextmanager
def _plain_moto() -> Iterator[Address]:
    """moto's own server, in a process of its own."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Path(sys.executable).with_name("moto_server")
    process = subprocess.Popen(
        [str(server), "-H", "127.0.0.1", "-p", str(port)],
        env={**os.environ, "MOTO_PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://localhost:{port}"
        _wait_until_it_answers(f"{url}/moto-api/")
        yield Address(url=url, pid=0, credentials=Credentials.made())  # it takes any
    finally:
        process.terminate()
        process.wait()


def _wait_until_it_answers(url: str) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(url).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"{url} does not answer")


def _memory(ours: Address) -> int:
    return int(ours.status()["memory_bytes"])
