"""Everything beside the requests, one after the other, again and again."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, WaiterError

from benchmarks.hosting import BODY, BUCKET, Hosting, model_files
from benchmarks.project import ROOT, deploy
from benchmarks.soak.faults import CLOCK, KILL_ALL, Faults
from benchmarks.soak.place import Place
from benchmarks.soak.requests import ENDPOINT, MANY, MODELS, ask, without_retries
from sagemaker_serving.errors import Failure, ReportedError
from sagemaker_serving.operations import BatchPipeline
from sagemaker_serving.s3_address import split_s3

IMAGES = sorted((ROOT / "model_assets" / "digits" / "held_out").glob("*.png"))[:20]
DEADLINE_SECONDS = 300.0
ENVIRONMENT = """\
name: soak
region: eu-west-1
models:
  digits:
    artifact: ../model_assets/digits/model
    framework: tensorflow
    framework_version: "2.20"
    batch_transform:
      instance_type: ml.m5.large
      content_type: application/x-image
      max_concurrent_transforms: 4
      max_objects_per_shard: 10
      max_concurrent_jobs: 1
      retries:
        throttling: {max_attempts: 20, interval_seconds: 1, max_delay_seconds: 4}
        internal: {max_attempts: 20, interval_seconds: 1, max_delay_seconds: 4}
"""


class Broken(Exception):
    """Some work has not come to what it should."""


class Work:
    """What is done; ``broken`` says what failed though no fault excuses it."""

    def __init__(self, place: Place, faults: Faults, folder: Path) -> None:
        self._place, self._faults, self._folder = place, faults, folder
        self._hosting = Hosting(place.aws)
        self._archive = self._hosting.put("soak.tar.gz", model_files(nested=True))
        for number in range(MODELS):
            self._hosting.put(f"many/{number}.tar.gz", model_files(nested=False))
        self._hosting.config(MANY, f"s3://{BUCKET}/many/", Mode="MultiModel")
        self._hosting.config(f"{ENDPOINT}-0", self._archive)
        for endpoint, config in ((ENDPOINT, f"{ENDPOINT}-0"), (MANY, MANY)):
            self._hosting.sagemaker.create_endpoint(
                EndpointName=endpoint, EndpointConfigName=config
            )
            assert self._hosting.in_service(endpoint)["EndpointStatus"] == "InService"
        faults.recovered = self._answers
        self._numbers = itertools.count(1)
        self.done: Counter[str] = Counter()
        self._took: dict[str, float] = {}
        self.broken: list[str] = []

    def rounds(self, seconds: float) -> Iterator[int]:
        """One after the other, for so many seconds, and at least one."""
        kinds: dict[str, tuple[Callable[[int], None], Callable[[int], None]]] = {
            "updates of the endpoint": (self._update, self._forget_configs),
            "stacks": (self._stack, self._forget_stack),
            "objects": (self._objects, lambda number: None),
            "transform jobs": (self._transform, lambda number: None),
            "batches": (self._batch, self._forget_batch),
        }
        deadline = time.monotonic() + seconds
        for number in self._numbers:
            for name, (work, forget) in kinds.items():
                self._do(name, number, work)
                with contextlib.suppress(BotoCoreError, ClientError, ReportedError):
                    forget(number)
            yield number
            if time.monotonic() >= deadline:
                return

    def told(self) -> str:
        """How long each work took when it was last done."""
        return ", ".join(f"{name} {seconds:.0f} s" for name, seconds in self._took.items())

    def settle(self) -> None:
        """One round after a restart, once all answers again."""
        while not self._answers():
            time.sleep(0.5)
        next(self.rounds(0))

    def _do(self, name: str, number: int, work: Callable[[int], None]) -> None:
        began = time.monotonic()
        try:
            work(number)
        except (Broken, BotoCoreError, ClientError, WaiterError, ReportedError) as error:
            met = {made.kind for made in self._faults.met(began)}
            if not met or (name == "batches" and KILL_ALL not in met):
                self.broken.append(f"{name}, round {number}, {', '.join(met) or 'none'}: {error}")
            self._wait_for_the_fault()
        else:
            self.done[name] += 1
        self._took[name] = time.monotonic() - began

    def _wait_for_the_fault(self) -> None:
        while any(not made.ended for made in self._faults.made):
            time.sleep(0.2)

    def _answers(self) -> bool:
        """Whether both endpoints answer, one after the other, each of its models."""
        runtime = without_retries(self._place.aws)
        return not any(ask(runtime, ENDPOINT, number) for number in range(3)) and not any(
            ask(runtime, MANY, number) for number in range(MODELS)
        )

    def _client(self, service: str) -> Any:
        return self._place.aws.client(service)

    def _update(self, number: int) -> None:
        config = self._hosting.config(f"{ENDPOINT}-{number}", self._archive)
        self._hosting.sagemaker.update_endpoint(EndpointName=ENDPOINT, EndpointConfigName=config)
        found = self._hosting.in_service(ENDPOINT)
        _expect(found["EndpointStatus"] == "InService", found)
        _expect(found["EndpointConfigName"] == config, f"{found['EndpointConfigName']} is served")

    def _forget_configs(self, number: int) -> None:
        client = self._hosting.sagemaker
        used = client.describe_endpoint(EndpointName=ENDPOINT)["EndpointConfigName"]
        for found in client.list_endpoint_configs(NameContains=f"{ENDPOINT}-")["EndpointConfigs"]:
            name = found["EndpointConfigName"]
            if name not in (used, MANY):
                client.delete_endpoint_config(EndpointConfigName=name)
                client.delete_model(ModelName=name)

    def _stack(self, number: int) -> None:
        """Create, update, an update that is rolled back by a name in use, delete."""
        client, name = self._client("cloudformation"), f"soak-{number}"

        def template(value: str, *, clash: bool = False) -> str:
            def parameter(key: str) -> dict[str, Any]:
                properties = {"Name": f"/{name}/{key}", "Type": "String", "Value": value}
                return {"Type": "AWS::SSM::Parameter", "Properties": properties}

            made = {f"P{each}": parameter(str(each)) for each in range(10)}
            return json.dumps({"Resources": made | ({"Clash": parameter("0")} if clash else {})})

        def wait(waiter: str) -> None:
            config = {"Delay": 0.2, "MaxAttempts": int(DEADLINE_SECONDS / 0.2)}
            client.get_waiter(waiter).wait(StackName=name, WaiterConfig=config)

        client.create_stack(StackName=name, TemplateBody=template("one"))
        wait("stack_create_complete")
        client.update_stack(StackName=name, TemplateBody=template("two"))
        wait("stack_update_complete")
        client.update_stack(StackName=name, TemplateBody=template("three", clash=True))
        wait("stack_rollback_complete")
        parameter = self._client("ssm").get_parameter(Name=f"/{name}/9")["Parameter"]
        _expect(parameter["Value"] == "two", f"{parameter['Value']} after the rollback")
        client.delete_stack(StackName=name)
        wait("stack_delete_complete")

    def _forget_stack(self, number: int) -> None:
        self._client("cloudformation").delete_stack(StackName=f"soak-{number}")

    def _objects(self, number: int) -> None:
        s3, contents = self._hosting.s3, {f"soak/{key}": os.urandom(20_000) for key in range(50)}
        for key, content in contents.items():
            s3.put_object(Bucket=BUCKET, Key=key, Body=content)
        for key, content in contents.items():
            read = s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()
            _expect(read == content, f"another content in {key}")
        s3.delete_objects(Bucket=BUCKET, Delete={"Objects": [{"Key": key} for key in contents]})

    def _transform(self, number: int) -> None:
        client, name = self._hosting.sagemaker, f"soak-transform-{number}"
        served = client.describe_endpoint(EndpointName=ENDPOINT)["EndpointConfigName"]
        self._hosting.s3.put_object(Bucket=BUCKET, Key="in/one.json", Body=BODY)
        source = {"S3DataType": "S3Prefix", "S3Uri": f"s3://{BUCKET}/in/"}
        client.create_transform_job(
            TransformJobName=name,
            ModelName=served,
            TransformInput={
                "DataSource": {"S3DataSource": source},
                "ContentType": "application/json",
            },
            TransformOutput={"S3OutputPath": f"s3://{BUCKET}/out/"},
            TransformResources={"InstanceType": "ml.m5.large", "InstanceCount": 1},
        )
        found = client.describe_transform_job(TransformJobName=name)
        while found["TransformJobStatus"] == "InProgress":
            time.sleep(0.2)
            found = client.describe_transform_job(TransformJobName=name)
        _expect(found["TransformJobStatus"] == "Completed", found.get("FailureReason"))

    def _batch(self, number: int) -> None:
        began = time.monotonic()
        pipeline = BatchPipeline("soak", "digits", self._place.aws)
        source = pipeline.upload(IMAGES, "images")
        execution = pipeline.start(source, f"run-{number}")
        try:
            pipeline.wait(execution, deadline_seconds=DEADLINE_SECONDS)
        except Failure:
            if not any(made.kind == CLOCK for made in self._faults.met(began)):
                raise
            self._wait_for_the_fault()
            pipeline.upload(IMAGES, "images")
            execution = pipeline.resume(execution.arn, f"run-{number}-resumed")
            pipeline.wait(execution, deadline_seconds=DEADLINE_SECONDS)
            self.done["batches resumed after a jump of the clock"] += 1
        answered = sorted(name for name, _ in pipeline.outputs(execution))
        wanted = sorted(f"{file.name}.out" for file in IMAGES)
        _expect(answered == wanted, f"{len(answered)} of {len(wanted)} records have an answer")

    def _forget_batch(self, number: int) -> None:
        pipeline = BatchPipeline("soak", "digits", self._place.aws)
        bucket, prefix = split_s3(f"{pipeline.output_uri}run-{number}/")
        found = self._hosting.s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        if found:
            keys = [{"Key": each["Key"]} for each in found]
            self._hosting.s3.delete_objects(Bucket=bucket, Delete={"Objects": keys})


def deployed(place: Place, folder: Path) -> None:
    """Deploys the batch pipeline with the CDK CLI."""
    project = folder / "project"
    project.mkdir()
    deploy(project, place.address, "soak", ENVIRONMENT)


def _expect(is_right: bool, found: object) -> None:
    if not is_right:
        raise Broken(str(found))
