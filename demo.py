"""The whole way on this machine: package, synthesize, deploy, predict, transform, destroy.

``make demo`` runs it. It talks to a local AWS of its own on a free port and
leaves nothing running, whatever happens to it.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from rich.table import Table
from rich.text import Text

from local_aws import daemon, terminal
from local_aws.credentials import ACCOUNT_ID
from local_aws.process import ending_all, has_ended
from local_aws.process.address import Address
from local_aws.process.alive import ending_with
from local_aws.process.cdk import CdkCli
from local_aws.process.denied import telling_denied_calls
from sagemaker_serving.client import Aws, Limits, Predictor
from sagemaker_serving.errors import ProblemsFound, ReportedError, Severity
from sagemaker_serving.operations import BatchPipeline, BatchReport
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import Environment, read_environment

ROOT = Path(__file__).parent
STATE = ROOT / ".sagemaker-serving" / "demo"
HELD_OUT = sorted((ROOT / "model_assets" / "digits" / "held_out").glob("*.png"))

console = terminal.console(width=None if sys.stdout.isatty() else 110)


def main() -> None:
    """Runs every step and prints what was sent and got; exit status 0 when all went well."""
    started = time.monotonic()
    signal.signal(signal.SIGINT, _interrupt)
    try:
        environment = _check()
        with ending_all():
            with step("start the local AWS"):
                address = daemon.start(STATE, port=0, with_parent=True, fresh=True)
            try:
                with ending_with(address), telling_denied_calls(address, _warn):
                    _deploy_call_destroy(environment, address)
            finally:
                if not has_ended(address.pid):
                    with step("stop the local AWS and every process of it"):
                        daemon.stop(STATE)
    except ReportedError as error:
        console.print(f"demo: {error}", style="red")
        raise SystemExit(error.exit_status) from None
    except KeyboardInterrupt:
        console.print("interrupted; nothing was left running")
        raise SystemExit(130) from None
    console.print(f"done in {time.monotonic() - started:.1f} s")


def _deploy_call_destroy(environment: Environment, address: Address) -> None:
    aws = Aws.at(address, environment.region)
    assembly = STATE / "cdk.out"
    with (STATE / "cdk.log").open("w+") as log:
        cdk = CdkCli(ROOT, address, environment.region, log=log)
        try:
            with (
                step("package the models and synthesize the templates, and bootstrap meanwhile"),
                ThreadPoolExecutor(1) as beside,
            ):
                bootstrapped = beside.submit(cdk.bootstrap)
                cdk.synth(assembly, {"env": environment.name, "account": ACCOUNT_ID})
                bootstrapped.result()
            with step("deploy with the CDK CLI, until the endpoints are InService"):
                cdk.deploy(assembly)
            table = Table("sent", "to", "got", "in", box=None, pad_edge=False)
            with step("predict"):
                _predict(table, environment, aws)
            with step(f"transform {len(HELD_OUT)} images, and one that is none, in a batch"):
                report = _transform(table, environment, aws)
            console.print(table)
            console.print("batch report:", *report.lines(), sep="\n  ")
            with step("empty the bucket and destroy with the CDK CLI"):
                _empty_bucket(environment, address)
                cdk.destroy(assembly)
        except ReportedError:
            log.seek(0)
            console.print("".join(log.readlines()[-25:]), style="dim")
            raise


def _check() -> Environment:
    with step("check environments/local.yaml"):
        file = read_environment(ROOT / "environments" / "local.yaml")
        errors = [p for p in check_environment(file) if p.severity is Severity.ERROR]
        if errors:
            raise ProblemsFound(errors)
    assert file.environment is not None
    return file.environment


def _predict(table: Table, environment: Environment, aws: Aws) -> None:
    half_plus_three = Predictor(environment.endpoint_name("half-plus-three"), aws)
    asked = '{"instances": [1.0, 2.0, 5.0]}'
    answer = half_plus_three.invoke(asked)
    numbers = ", ".join(str(number) for number in answer.json()["predictions"])
    table.add_row(asked, half_plus_three.endpoint_name, numbers, _ms(answer.seconds))

    digits = Predictor(environment.endpoint_name("digits"), aws, limits=Limits(concurrency=1))
    answers = list(digits.predict_each(HELD_OUT))
    read = [answer.json()["predictions"][0]["class"] for answer in answers]
    seconds = sorted(answer.seconds for answer in answers)
    table.add_row(
        f"{len(HELD_OUT)} PNG images, one by one",
        digits.endpoint_name,
        f"accuracy {_accuracy(read):.1%}",
        f"{_ms(seconds[len(seconds) // 2])} each (median)",
    )


def _transform(table: Table, environment: Environment, aws: Aws) -> BatchReport:
    """A batch with a file in it that is no image: that one ends in quarantine."""
    pipeline = BatchPipeline(environment.name, "digits", aws)
    run = "demo"
    began = time.monotonic()
    broken = STATE / "broken.png"
    broken.write_bytes(b"this is no image")
    execution = pipeline.start(pipeline.upload([*HELD_OUT, broken], run), run)
    pipeline.wait(execution, deadline_seconds=240)
    outputs = dict(pipeline.outputs(execution))
    read = [_class_of(outputs[f"{image.name}.out"]) for image in HELD_OUT]
    table.add_row(
        f"{len(HELD_OUT)} PNG images, in transform jobs",
        "the state machine of digits",
        f"accuracy {_accuracy(read):.1%}",
        f"{time.monotonic() - began:.1f} s",
    )
    report = pipeline.report(execution)
    assert report is not None
    return report


def _class_of(output: bytes) -> int:
    return int(json.loads(output)["predictions"][0]["class"])


def _accuracy(read: Sequence[int]) -> float:
    right = [int(image.stem.rsplit("-", 1)[1]) for image in HELD_OUT]
    return sum(a == b for a, b in zip(read, right, strict=True)) / len(right)


def _empty_bucket(environment: Environment, address: Address) -> None:
    """As on AWS, a bucket that holds data is not deleted with its stack."""
    session = address.session(environment.region)
    stack = f"{environment.name}-Storage"
    found = session.client("cloudformation").describe_stack_resources(StackName=stack)
    for resource in found["StackResources"]:
        if resource["ResourceType"] == "AWS::S3::Bucket":
            session.resource("s3").Bucket(resource["PhysicalResourceId"]).object_versions.delete()


@contextmanager
def step(what: str) -> Iterator[None]:
    """Says what is being done, then how long it took."""
    began = time.monotonic()
    with console.status(what):
        if not sys.stdout.isatty():
            console.print(f"   {what} …")
        yield
    if _interrupted.is_set():
        raise KeyboardInterrupt
    took = f" {what}: {time.monotonic() - began:.1f} s"
    console.print(Text.assemble(("✓", "green"), took))


_interrupted = threading.Event()


def _interrupt(*_: object) -> None:
    """Ends the step; remembered, since Python drops what is raised in some callback of its own."""
    _interrupted.set()
    raise KeyboardInterrupt


def _warn(line: str) -> None:
    console.print(f"warning: {line}", style="yellow", markup=False, soft_wrap=True)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    main()
