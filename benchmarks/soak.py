"""Half an hour of mixed load on the local AWS: ``make soak``.

Predictions all the time; beside them, in turn, an endpoint's update, a stack's
create, update and delete, objects, and a transform job. Ends with 1 when a
request was lost or the local AWS's memory went on growing. SOAK_MINUTES
shortens it; nothing but the loopback is asked.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.hosting import BODY, BUCKET, MODEL, REGION, Hosting
from local_aws import daemon
from local_aws.process.address import Address
from sagemaker_serving.archive import build_archive
from sagemaker_serving.client import Aws, Predictor
from sagemaker_serving.errors import ReportedError

MINUTES = float(os.environ.get("SOAK_MINUTES", "30"))
REQUESTS_PER_SECOND = 20.0
GROWTH = 1.15
"""The memory's median of the last third may be so many times that of the second: the first third
fills caches and pools."""


def main() -> None:
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        address = daemon.start(state, port=0, with_parent=True)
        try:
            soak = Soak(address, state)
            soak.run(MINUTES * 60, console)
        finally:
            daemon.stop(state)
    grown = soak.growth()
    console.print(
        f"{soak.answered} requests answered, {len(soak.lost)} lost; "
        f"{soak.rounds} rounds of everything else; memory of the last third to the second: "
        f"{grown:.2f} (wanted: at most {GROWTH})"
    )
    for reason in sorted(set(soak.lost))[:5]:
        console.print(f"lost: {reason}")
    sys.exit(1 if soak.lost or grown > GROWTH else 0)


class Soak:
    """One endpoint under steady requests, and rounds of everything else beside it."""

    def __init__(self, address: Address, folder: Path) -> None:
        self._aws = Aws.at(address, REGION)
        self._address = address
        self._hosting = Hosting(self._aws)
        archive = build_archive(MODEL, lambda sha256: folder / f"{sha256}.tar.gz")
        self._hosting.s3.upload_file(str(archive.path), BUCKET, "model.tar.gz")
        self._archive = f"s3://{BUCKET}/model.tar.gz"
        self.answered = 0
        self.lost: list[str] = []
        self.rounds = 0
        self._memory: list[int] = []

    def run(self, seconds: float, console: Console) -> None:
        """Everything for so many seconds."""
        config = self._hosting.config("soak-0", self._archive)
        self._hosting.sagemaker.create_endpoint(EndpointName="soak", EndpointConfigName=config)
        self._hosting.in_service("soak")
        ended = threading.Event()
        sender = threading.Thread(target=self._send, args=(ended,))
        sender.start()
        deadline = time.monotonic() + seconds
        try:
            for number in itertools.count(1):
                for work in (self._update, self._stack, self._objects, self._transform):
                    work(number)
                self.rounds = number
                self._memory.append(self._status()["memory_bytes"])
                console.print(
                    f"round {number}: {self.answered} answered, {len(self.lost)} lost, "
                    f"{self._memory[-1] / 1e6:.0f} MB"
                )
                if time.monotonic() >= deadline:
                    return
        finally:
            ended.set()
            sender.join()

    def growth(self) -> float:
        """Median memory of the last third of the rounds to that of the second."""
        third = max(1, len(self._memory) // 3)
        second = sorted(self._memory[third : 2 * third] or self._memory)
        last = sorted(self._memory[-third:])
        return last[len(last) // 2] / second[len(second) // 2]

    def _send(self, ended: threading.Event) -> None:
        with Predictor("soak", self._aws) as predictor:
            due = time.monotonic()
            while not ended.wait(max(0.0, due - time.monotonic())):
                due += 1 / REQUESTS_PER_SECOND
                try:
                    predictor.invoke(BODY)
                    self.answered += 1
                except ReportedError as error:
                    self.lost.append(str(error))

    def _update(self, number: int) -> None:
        config = self._hosting.config(f"soak-{number}", self._archive)
        client = self._hosting.sagemaker
        client.update_endpoint(EndpointName="soak", EndpointConfigName=config)
        self._hosting.in_service("soak")
        former = f"soak-{number - 1}"
        client.delete_endpoint_config(EndpointConfigName=former)
        client.delete_model(ModelName=former)

    def _stack(self, number: int) -> None:
        client = self._aws.client("cloudformation")

        def template(value: str) -> str:
            parameter = {
                "Type": "AWS::SSM::Parameter",
                "Properties": {"Type": "String", "Value": value},
            }
            return json.dumps({"Resources": {f"P{n}": parameter for n in range(10)}})

        name = f"soak-{number}"
        for call, value, waiter in (
            (client.create_stack, "one", "stack_create_complete"),
            (client.update_stack, "two", "stack_update_complete"),
        ):
            call(StackName=name, TemplateBody=template(value))
            self._wait(client, waiter, name)
        client.delete_stack(StackName=name)
        self._wait(client, "stack_delete_complete", name)

    @staticmethod
    def _wait(client: Any, waiter: str, name: str) -> None:
        client.get_waiter(waiter).wait(
            StackName=name, WaiterConfig={"Delay": 0.2, "MaxAttempts": 600}
        )

    def _objects(self, number: int) -> None:
        s3 = self._hosting.s3
        for key in range(50):
            s3.put_object(Bucket=BUCKET, Key=f"soak/{key}", Body=os.urandom(20_000))
        s3.delete_objects(
            Bucket=BUCKET, Delete={"Objects": [{"Key": f"soak/{key}"} for key in range(50)]}
        )

    def _transform(self, number: int) -> None:
        client = self._hosting.sagemaker
        self._hosting.s3.put_object(Bucket=BUCKET, Key="in/one.json", Body=BODY)
        name = f"soak-{number}"
        client.create_transform_job(
            TransformJobName=name,
            ModelName=name,
            TransformInput={
                "DataSource": {
                    "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": f"s3://{BUCKET}/in/"}
                },
                "ContentType": "application/json",
            },
            TransformOutput={"S3OutputPath": f"s3://{BUCKET}/out/{number}/"},
            TransformResources={"InstanceType": "ml.m5.large", "InstanceCount": 1},
        )
        status = "InProgress"
        while status == "InProgress":
            time.sleep(0.2)
            described = client.describe_transform_job(TransformJobName=name)
            status = described["TransformJobStatus"]
        if status != "Completed":
            self.lost.append(f"transform job {name}: {status}")

    def _status(self) -> dict[str, Any]:
        return self._address.status()


if __name__ == "__main__":
    main()
