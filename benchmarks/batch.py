"""The batch pipeline on the local AWS with faults, and its planner with five million keys.

Two runs with real transform jobs on TensorFlow: 1,000 images of digits with jobs that are
killed, throttling and broken images, and 50,000 JSON lines with broken ones among them. What is
lost or done twice is counted from the objects themselves, not from the report.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.project import ROOT, deploy
from local_aws import daemon
from local_aws.process.address import Address
from sagemaker_serving.client import Aws
from sagemaker_serving.operations import BatchExecution, BatchPipeline

HELD_OUT = sorted((ROOT / "model_assets" / "digits" / "held_out").glob("*.png"))
IMAGES, POISON, SHARDS = 1000, 7, 8
FILES, LINES = 50, 1000
BAD_LINES = {
    (3, 0),
    (7, 999),
    (11, 500),
    (11, 501),
    (20, 17),
    (33, 640),
    (41, 1),
    (41, 2),
    (49, 998),
}
"""Files and lines, both from zero."""
FAULTS = [
    {"kind": "kill", "service": "sagemaker", "operation": "CreateTransformJob", "rate": 0.2},
    {"kind": "throttling", "service": "sagemaker", "rate": 0.1},
]
KEYS = 5_000_000
ENVIRONMENT = """\
name: batch
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
      max_objects_per_shard: {per_shard}
      max_concurrent_jobs: 2
      retries: &quick
        throttling: {{max_attempts: 20, interval_seconds: 1, max_delay_seconds: 4}}
        internal: {{max_attempts: 20, interval_seconds: 1, max_delay_seconds: 4}}
  half:
    artifact: ../model_assets/half_plus_three/model
    framework: tensorflow
    framework_version: "2.20"
    batch_transform:
      instance_type: ml.m5.large
      content_type: application/jsonlines
      accept: application/json
      split_type: Line
      assemble_with: Line
      batch_strategy: SingleRecord
      max_concurrent_transforms: 8
      max_objects_per_shard: 10
      max_concurrent_jobs: 2
      retries: *quick
"""


def measure() -> list[tuple[str, str]]:
    """Figures of both runs, of the machine's own share in them, and of the planner alone."""
    with tempfile.TemporaryDirectory() as folder, _deployed(Path(folder)) as address:
        aws = Aws.at(address, "eu-west-1")
        return [
            *_images(aws, address, Path(folder)),
            *_lines(aws, Path(folder)),
            *planner(),
        ]


def planner() -> list[tuple[str, str]]:
    """Planner and reconciler with five million keys, each in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.batch_keys", str(KEYS)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    read: dict[str, list[float]] = json.loads(ended.stdout)
    return [
        (f"{step}, {KEYS:,} keys", f"{seconds:.0f} s, peak memory {megabytes:.0f} MB")
        for step, (seconds, megabytes) in read.items()
    ]


def _images(aws: Aws, address: Address, folder: Path) -> Iterator[tuple[str, str]]:
    pipeline = BatchPipeline("batch", "digits", aws)
    files = folder / "images"
    files.mkdir()
    poison = {f"{number * 140:04}.png" for number in range(POISON)}
    for number in range(IMAGES):
        name = f"{number:04}.png"
        image = HELD_OUT[number % len(HELD_OUT)].read_bytes()
        (files / name).write_bytes(b"no image" if name in poison else image)
    source = pipeline.upload(sorted(files.iterdir()), "images")
    with _faults(address):
        execution, seconds = _run(pipeline, source, "images-1")
        outputs = [name for name, _ in pipeline.outputs(execution)]
        listed = {line["object"] for line in _quarantine(aws, pipeline, execution)}
        wanted = {file.name for file in files.iterdir()}
        answered = {name.removesuffix(".out") for name in outputs}
        lost, twice = wanted - answered - listed, answered & listed
        jobs = _jobs(aws)
        yield (
            f"{IMAGES:,} images, {SHARDS} shards, faults",
            f"{len(outputs)} outputs, {len(listed)} in quarantine ("
            f"{'the' if listed == poison else 'NOT the'} planted), {len(lost)} lost, "
            f"{len(twice)} twice, in {seconds:.0f} s and {len(jobs)} jobs",
        )
        yield from _overhead(aws, execution)
        second, seconds = _run(pipeline, source, "images-2", execution.output_uri)
        assert pipeline.report(second) is not None
        yield ("the same again", f"{len(_jobs(aws)) - len(jobs)} jobs, {seconds:.1f} s")


def _lines(aws: Aws, folder: Path) -> Iterator[tuple[str, str]]:
    pipeline = BatchPipeline("batch", "half", aws)
    files = folder / "lines"
    files.mkdir()
    for file in range(FILES):
        written = (
            '{"instances": [oops'
            if (file, line) in BAD_LINES
            else json.dumps({"instances": [float(file * LINES + line)]})
            for line in range(LINES)
        )
        (files / f"{file:02}.jsonl").write_text("".join(f"{each}\n" for each in written))
    source = pipeline.upload(sorted(files.iterdir()), "lines")
    before = len(_jobs(aws))
    execution, seconds = _run(pipeline, source, "lines-1")
    answers, right = 0, True
    for name, body in pipeline.outputs(execution):
        file = int(name[:2])
        read = [json.loads(line)["predictions"][0] for line in body.splitlines()]
        kept = [line for line in range(LINES) if (file, line) not in BAD_LINES]
        right = right and read == [(file * LINES + line) / 2 + 3 for line in kept]
        answers += len(read)
    listed = {
        (int(line["object"][:2]), line["record"] - 1)
        for line in _quarantine(aws, pipeline, execution)
    }
    yield (
        f"{FILES} files of {LINES:,} JSON lines",
        f"{answers:,} answers {'in order' if right else 'NOT IN ORDER'}, {len(listed)} records in "
        f"quarantine ({'the' if listed == BAD_LINES else 'NOT the'} planted), in {seconds:.0f} s "
        f"and {len(_jobs(aws)) - before} jobs",
    )


def _run(
    pipeline: BatchPipeline, source: str, run: str, output: str | None = None
) -> tuple[BatchExecution, float]:
    began = time.monotonic()
    execution = pipeline.start(source, run, output_uri=output)
    pipeline.wait(execution, deadline_seconds=3600)
    return execution, time.monotonic() - began


def _quarantine(
    aws: Aws, pipeline: BatchPipeline, execution: BatchExecution
) -> list[dict[str, Any]]:
    bucket, _, prefix = pipeline.reports_of(execution).removeprefix("s3://").partition("/")
    key = f"{prefix}quarantine.jsonl"
    body = aws.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    return [json.loads(line) for line in body.splitlines()]


def _jobs(aws: Aws) -> list[dict[str, Any]]:
    pages = aws.client("sagemaker").get_paginator("list_transform_jobs").paginate()
    return [job for page in pages for job in page["TransformJobSummaries"]]


def _overhead(aws: Aws, execution: BatchExecution) -> Iterator[tuple[str, str]]:
    """What of each shard's time is not a job's: from the histories of the Map's children."""
    states = aws.client("stepfunctions")
    (run,) = states.list_map_runs(executionArn=execution.arn)["mapRuns"]
    own, jobs = [], []
    for child in states.list_executions(mapRunArn=run["mapRunArn"])["executions"]:
        events = states.get_execution_history(executionArn=child["executionArn"], maxResults=1000)[
            "events"
        ]
        inside = entered = 0.0
        for event in events:
            moment = event["timestamp"].timestamp()
            name = (event.get("stateEnteredEventDetails") or {}).get("name")
            if name in ("Transform", "Wait"):
                entered = moment
            elif event["type"] in ("TaskStateExited", "WaitStateExited") and entered:
                inside, entered = inside + moment - entered, 0.0
        whole = (events[-1]["timestamp"] - events[0]["timestamp"]).total_seconds()
        own.append(whole - inside)
        jobs.append(inside)
    yield (
        "the machine's own share per shard",
        f"{statistics.median(own):.1f} s beside {statistics.median(jobs):.1f} s of jobs and waits",
    )


@contextmanager
def _faults(address: Address) -> Iterator[None]:
    def put(faults: list[dict[str, Any]]) -> None:
        body = json.dumps({"faults": faults}).encode()
        address.open("/_local/faults", "PUT", body).close()

    put(FAULTS)
    try:
        yield
    finally:
        put([])


@contextmanager
def _deployed(folder: Path) -> Iterator[Address]:
    """A local AWS with both pipelines, deployed by the CDK CLI."""
    state = folder / "state"
    address = daemon.start(state, port=0, with_parent=True, fresh=True)
    try:
        deploy(folder, address, "batch", ENVIRONMENT.format(per_shard=IMAGES // SHARDS))
        yield address
    finally:
        daemon.stop(state)
