"""What keeping the state costs: a deploy with and without saves, a save, and starting again."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local_aws import daemon
from local_aws.gateway import Gateway
from local_aws.process.address import Address
from local_aws.state import saver
from sagemaker_serving.client import Aws

REGION = "eu-west-1"
RESOURCES = 200
SMALL_OBJECTS = 500
LARGE_BYTES = 200_000_000


def measure() -> list[tuple[str, str]]:
    """Seconds of deploys, saves and starts; bytes on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        _deployed(Path(folder) / "warm-up", saving=True)  # loads what later deploys find loaded
        without = _deployed(Path(folder) / "without", saving=False)
        saved = _deployed(Path(folder) / "with", saving=True)
        return [
            (f"deploy of {RESOURCES} resources, saves off", f"{without:.2f} s"),
            (f"deploy of {RESOURCES} resources, saves on", f"{saved:.2f} s"),
            *_starts(Path(folder) / "daemon"),
        ]


def _deployed(folder: Path, *, saving: bool) -> float:
    kept = saver.QUIET_SECONDS, saver.LONGEST_SECONDS
    if not saving:
        saver.QUIET_SECONDS = saver.LONGEST_SECONDS = 3600.0
    gateway = Gateway(folder, region=REGION)
    gateway.start()
    try:
        return _timed(lambda: _deploy(gateway.context.client("cloudformation", REGION)))
    finally:
        gateway.stop()
        saver.QUIET_SECONDS, saver.LONGEST_SECONDS = kept


def _starts(folder: Path) -> list[tuple[str, str]]:
    began = time.perf_counter()
    address = daemon.start(folder, port=0, with_parent=True)
    cold = time.perf_counter() - began
    aws = Aws.at(address, REGION)
    _deploy(aws.client("cloudformation"))
    s3 = aws.client("s3")
    s3.create_bucket(Bucket="bench", CreateBucketConfiguration={"LocationConstraint": REGION})
    for number in range(SMALL_OBJECTS):
        s3.put_object(Bucket="bench", Key=f"small/{number}", Body=f"{number}".encode() * 100)
    s3.put_object(Bucket="bench", Key="large", Body=bytes(LARGE_BYTES))
    _saved(address)
    s3.put_object(Bucket="bench", Key="small/0", Body=b"changed")
    state = _saved(address)
    stopped = _timed(lambda: daemon.stop(folder))
    warm = _timed(lambda: daemon.start(folder, port=0, with_parent=True))
    daemon.stop(folder)
    things = f"{RESOURCES} resources, {SMALL_OBJECTS} objects and one of {LARGE_BYTES // 10**6} MB"
    return [
        ("up, nothing kept", f"{cold:.2f} s"),
        (f"up, finding {things} again", f"{warm:.2f} s"),
        ("one small object changed: save", f"{1000 * state['save_seconds']:.0f} ms"),
        ("of these, requests wait", f"{1000 * state['held_seconds']:.0f} ms"),
        ("down", f"{stopped:.2f} s"),
        ("state without objects' bytes", f"{_size(folder / 'state' / 'parts') / 1e6:.2f} MB"),
    ]


def _deploy(cloudformation: Any) -> None:
    parameter = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}
    resources = {f"Parameter{number}": parameter for number in range(RESOURCES)}
    cloudformation.create_stack(
        StackName="bench", TemplateBody=json.dumps({"Resources": resources})
    )
    waiting = True
    while waiting:
        (stack,) = cloudformation.describe_stacks(StackName="bench")["Stacks"]
        waiting = stack["StackStatus"] == "CREATE_IN_PROGRESS"
        time.sleep(0.02)
    assert stack["StackStatus"] == "CREATE_COMPLETE", stack


def _saved(address: Address) -> dict[str, Any]:
    """The state's figures once everything is saved."""
    while (state := address.status()["state"])["unsaved"]:
        time.sleep(0.05)
    time.sleep(2 * saver.QUIET_SECONDS)  # the save itself may be under way
    found: dict[str, Any] = address.status()["state"]
    assert state["failure"] is None, state
    return found


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
