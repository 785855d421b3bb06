"""Records in = answers out + records on the list, through the deployed state machine.

Two models are deployed by the real CDK CLI: TensorFlow without a script, with batching on, and one
with a script that forgets some records. Objects are drawn at random, the same ones each time; what
became of each is read from S3, by itself and not from the report.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from local_aws.credentials import ACCOUNT_ID
from local_aws.process.cdk import CdkCli
from sagemaker_serving.client import Aws
from sagemaker_serving.operations import BatchExecution, BatchPipeline
from sagemaker_serving.s3_address import split_s3
from tests.functions.batch_transform.containers import (
    Container,
    careless,
    framed,
    rows,
)
from tests.functions.batch_transform.drawn import (
    NAMES,
    Case,
    Drawn,
    draw,
    frame,
    text,
    unaccounted,
)
from tests.local_aws.aws import REGION, address_of, gateway_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]

ROOT = Path(__file__).parents[3]
SEED = int(os.environ.get("BATCH_SEED", "20261122"))
OBJECTS, RECORDS = int(os.environ.get("BATCH_OBJECTS", "6")), 24
"""Of each execution, and the most of an object; `make fuzz` draws more objects."""

SHOWN = ("objects", "records", "records_answered", "records_quarantined", "in_part")
AT_ONCE = 3
ENVIRONMENT = """\
name: records
region: eu-west-1
models:
  half:
    artifact: ../model_assets/half_plus_three/model
    framework: tensorflow
    framework_version: "2.20"
    batching: {max_batch_size: 4, batch_timeout_micros: 100}
    batch_transform: &batch
      instance_type: ml.m5.large
      max_concurrent_transforms: 4
      max_payload_in_mb: 1
      max_concurrent_jobs: 2
      split_type: Line
  script:
    artifact: ../script
    framework: tensorflow
    framework_version: "2.20"
    batch_transform: *batch
"""


def half(content_type: str) -> Container:
    """The deployed model: half of a number, and three; a list of numbers each by itself."""

    def of(value: Any) -> Any:
        if isinstance(value, list):
            return [of(each) for each in value]
        return value / 2 + 3

    def instances(record: bytes) -> list[Any]:
        if content_type == "text/csv":
            fields = [float(each) for each in record.split(b",")]
            return [fields if len(fields) > 1 else fields[0]]
        value = json.loads(record)
        if isinstance(value, dict):
            return list(value["instances"]) if "instances" in value else [value["x"]]
        return [value]

    def due(record: bytes) -> list[Any]:
        try:
            return [of(each) for each in instances(record)]
        except (ValueError, KeyError, TypeError):
            return []

    return Container(ask=lambda payload: None, due=due, read=lambda body: rows(body, "predictions"))


def number_line(chance: Random, number: int) -> bytes:
    """A line of JSON for the deployed model, or something odd."""
    lines = [b"[%d]" % number, b"", b" \t", b"{}", b'{"x": %d}' % number, b'["%d"]' % number]
    odd = [b"[%d, 1]" % number, b'{"broken', b"[%b0]" % (b"1" * 1024 * 1024)]
    return chance.choices([*lines, *odd], [80, 3, 1, 1, 1, 1, 1, 1, 0.2])[0]


def request_line(chance: Random, number: int) -> bytes:
    """A line that is a whole request, of one instance or of two, or something odd."""
    one, two = b'{"instances": [%d]}' % number, b'{"instances": [%d, %d]}' % (number, number + 1)
    empty = b'{"instances": []}'
    return chance.choices([one, two, empty, b"", b'{"inst'], [70, 10, 2, 3, 2])[0]


def csv_line(chance: Random, number: int) -> bytes:
    """A line of CSV for the deployed model, or something odd."""
    odd = [b"", b"a,b", b"%d,%d" % (number, number)]
    return chance.choices([b"%d" % number, *odd], [80, 4, 2, 2])[0]


def line_case(content_type: str, strategy: str, record: Any, **fields: str) -> Case:
    given = {"content_type": content_type, "batch_strategy": strategy, **fields}
    return Case(fields={"split_type": "Line", **given}, container=half(content_type), record=record)


def script_case(split_type: str, content_type: str, strategy: str, accept: str) -> Case:
    together = strategy == "MultiRecord"
    is_text = content_type == "text/plain"
    container = careless(accept=accept) if is_text else framed(split_type, together=together)
    return Case(
        fields={
            "split_type": split_type,
            "content_type": content_type,
            "batch_strategy": strategy,
            "accept": accept,
            "assemble_with": "Line",
        },
        container=container,
        record=text if is_text else frame,
    )


JSON_LINES = "application/jsonlines"
CASES: dict[str, tuple[str, Case]] = {
    "instances": ("half", line_case(JSON_LINES, "MultiRecord", number_line)),
    "instances-one-by-one": (
        "half",
        line_case(JSON_LINES, "SingleRecord", number_line, assemble_with="Line"),
    ),
    "requests": ("half", line_case(JSON_LINES, "MultiRecord", request_line)),
    "requests-one-by-one": (
        "half",
        line_case("application/json", "SingleRecord", request_line, accept="application/json"),
    ),
    "rows": ("half", line_case("text/csv", "MultiRecord", csv_line, assemble_with="Line")),
    "rows-gzip": (
        "half",
        line_case("text/csv", "SingleRecord", csv_line, compression_type="Gzip"),
    ),
    "script-lines": ("script", script_case("Line", "text/plain", "MultiRecord", "text/csv")),
    "script-json": ("script", script_case("Line", "text/plain", "SingleRecord", JSON_LINES)),
    "script-recordio": (
        "script",
        script_case("RecordIO", "application/x-recordio", "MultiRecord", "application/json"),
    ),
    "script-recordio-one-by-one": (
        "script",
        script_case("RecordIO", "application/x-recordio", "SingleRecord", "application/json"),
    ),
    "script-tfrecord": (
        "script",
        script_case("TFRecord", "application/x-tfrecord", "MultiRecord", "application/json"),
    ),
}

IN_CI = (
    *("instances", "requests-one-by-one", "rows-gzip"),
    *("script-json", "script-recordio-one-by-one", "script-tfrecord"),
)
"""One of each container, split and strategy; `test_records_and_answers` draws of all of them from
containers without TensorFlow, and ``make fuzz`` runs them all here."""
RUNS = CASES if "BATCH_OBJECTS" in os.environ else {run: CASES[run] for run in IN_CI}


@dataclass
class Ran:
    """An execution that has ended, its input, and what S3 has of it."""

    case: Case
    drawn: Drawn
    status: str
    counts: Mapping[str, int]
    outputs: dict[str, bytes] = field(default_factory=dict)
    listed: list[dict[str, Any]] = field(default_factory=list)


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A local AWS with both models' pipelines, deployed by the CDK CLI."""
    folder = tmp_path_factory.mktemp("records")
    project = folder / "project"
    project.mkdir()
    for name in ("app.py", "cdk.json"):
        shutil.copy(ROOT / name, project / name)
    for name in ("stacks", "model_assets"):
        shutil.copytree(ROOT / name, project / name)
    (project / "node_modules").symlink_to(ROOT / "node_modules")
    shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", project / "script")
    (project / "script" / "code").mkdir()
    script = Path(__file__).with_name("inference.py")
    shutil.copy(script, project / "script" / "code" / "inference.py")
    (project / "environments").mkdir()
    (project / "environments" / "records.yaml").write_text(ENVIRONMENT)
    gateway = gateway_of(folder / "aws")
    gateway.start()
    address = address_of(gateway)
    try:
        with (folder / "cdk.log").open("w+") as log:
            cdk = CdkCli(project, address, REGION, log=log)
            cdk.synth(folder / "assembly", {"env": "records", "account": ACCOUNT_ID})
            cdk.bootstrap()
            cdk.deploy(folder / "assembly")
        yield Aws.at(address, REGION)
    finally:
        gateway.stop()


def put(aws: Aws, uri: str, files: Mapping[str, bytes]) -> None:
    bucket, prefix = split_s3(uri)
    s3 = aws.client("s3")
    for name, body in files.items():
        s3.put_object(Bucket=bucket, Key=prefix + name, Body=body)


def started(
    pipeline: BatchPipeline, aws: Aws, run: str, case: Case, drawn: Drawn
) -> BatchExecution:
    source = f"{pipeline.input_uri}{run}/"
    put(aws, source, drawn.files)
    return pipeline.start(source, run, overrides=case.fields)


def ended(
    pipeline: BatchPipeline, aws: Aws, execution: BatchExecution, case: Case, drawn: Drawn
) -> Ran:
    for progress in pipeline.watch(execution, poll_seconds=0.5, for_=900):
        status = progress.status
    report = pipeline.report(execution)
    assert report is not None, progress.cause
    bucket, prefix = split_s3(pipeline.reports_of(execution))
    body = aws.client("s3").get_object(Bucket=bucket, Key=f"{prefix}quarantine.jsonl")["Body"]
    return Ran(
        case=case,
        drawn=drawn,
        status=status,
        counts=report.counts,
        outputs={name.removesuffix(".out"): output for name, output in pipeline.outputs(execution)},
        listed=[json.loads(line) for line in body.read().splitlines()],
    )


@pytest.fixture(scope="module")
def executions(aws: Aws) -> dict[str, Ran]:
    """The executions of `RUNS`, some at once."""
    print(f"BATCH_SEED={SEED}")
    pipelines = {name: BatchPipeline("records", name, aws) for name in ("half", "script")}
    found: dict[str, Ran] = {}
    waiting = iter(RUNS.items())
    while batch := list(islice(waiting, AT_ONCE)):
        begun = []
        for run, (model, case) in batch:
            chance = Random(f"{SEED}-{run}")
            first = chance.randrange(len(NAMES))
            names = [f"{n:02}-{NAMES[(first + n) % len(NAMES)]}" for n in range(OBJECTS - 1)]
            drawn = draw(chance, case, names=names, most=RECORDS)
            begun.append((run, model, case, drawn))
        time.sleep(1)  # S3 tells times in seconds, and what was just put has to be older
        runs = [
            (run, pipelines[model], case, drawn, started(pipelines[model], aws, run, case, drawn))
            for run, model, case, drawn in begun
        ]
        for run, pipeline, case, drawn, execution in runs:
            found[run] = ended(pipeline, aws, execution, case, drawn)
            counts = found[run].counts
            print(f"{run}:", *(f"{counts[name]} {name}" for name in SHOWN), sep=" ")
    return found


@pytest.mark.parametrize("run", RUNS)
def test_every_record_has_its_own_answer_or_its_place_on_the_list(
    executions: Mapping[str, Ran], run: str
) -> None:
    ran = executions[run]
    wrong = unaccounted(ran.case, ran.drawn, ran.outputs, ran.listed)
    assert wrong == [], f"BATCH_SEED={SEED} {run}"
    assert ran.status == "SUCCEEDED"


@pytest.mark.parametrize("run", RUNS)
def test_the_report_says_the_same(executions: Mapping[str, Ran], run: str) -> None:
    ran = executions[run]
    records = sum(map(len, ran.drawn.records.values()))
    assert ran.counts["records"] == records
    assert ran.counts["records_answered"] + ran.counts["records_quarantined"] == records
    assert ran.counts["objects"] == len(ran.drawn.files)


def test_a_payload_of_more_lines_than_a_batch_takes_is_one_job(aws: Aws) -> None:
    """2,000 lines go in one payload, and the model's max_batch_size is 4."""
    pipeline = BatchPipeline("records", "half", aws)
    case = line_case(JSON_LINES, "MultiRecord", number_line)
    lines = [b"[%d]" % number for number in range(2000)]
    drawn = Drawn(files={"many": b"\n".join(lines)}, records={"many": lines})
    ran = ended(pipeline, aws, started(pipeline, aws, "many", case, drawn), case, drawn)
    assert unaccounted(case, drawn, ran.outputs, ran.listed) == []
    assert ran.listed == []
    jobs = aws.client("sagemaker").list_transform_jobs(NameContains="many-")
    assert len(jobs["TransformJobSummaries"]) == 1
