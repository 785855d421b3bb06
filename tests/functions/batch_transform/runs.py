"""Runs over S3 in memory, without Step Functions and jobs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sagemaker_serving.functions.batch_transform.plan import begin, plan
from sagemaker_serving.functions.batch_transform.run import Run, report_folder
from sagemaker_serving.functions.batch_transform.store import Place, Store
from sagemaker_serving.infra.batch.settings import transform_settings
from sagemaker_serving.spec import BatchTransform
from tests.functions.batch_transform.memory import MemoryS3, failure

EXECUTION = "arn:aws:states:eu-west-1:123456789012:execution:digits:nightly"
INPUT, OUTPUT = "s3://data/in/", "s3://data/out/"
REPORTS = Place.parse(f"s3://data/reports/{report_folder(OUTPUT)}")
NOWHERE = Store(None)
"""For what is told of an execution's input alone."""


class States:
    """Step Functions, which knows executions by their status."""

    def __init__(self, **statuses: str) -> None:
        self._statuses = statuses

    def describe_execution(self, *, executionArn: str) -> dict[str, str]:
        name = executionArn.rsplit(":", 1)[1]
        if name not in self._statuses:
            raise failure("ExecutionDoesNotExist")
        return {"status": self._statuses[name]}


def settings(
    *, requests_alone: bool | None = False, is_batching: bool = False, **fields: Any
) -> dict[str, Any]:
    """The settings of a pipeline."""
    spec = BatchTransform.model_validate({"instance_type": "ml.m5.large", **fields})
    return transform_settings(
        spec,
        model_name="digits",
        work="s3://data/work/",
        reports="s3://data/reports/",
        requests_alone=requests_alone,
        is_batching=is_batching,
    )


def put(s3: MemoryS3, files: Mapping[str, bytes], below: str = "in/") -> None:
    """Put objects into the bucket ``data``."""
    for name, body in files.items():
        s3.put_object(Bucket="data", Key=f"{below}{name}", Body=body)


def manifest(s3: MemoryS3, names: Sequence[Any]) -> str:
    """A manifest of names under the input; where it lies."""
    body = json.dumps([{"prefix": INPUT}, *names]).encode()
    s3.put_object(Bucket="data", Key="some.manifest", Body=body)
    return "s3://data/some.manifest"


def begun(
    s3: MemoryS3,
    *,
    source: str = INPUT,
    name: str = "nightly",
    states: States | None = None,
    given: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Run:
    """A run that has begun."""
    run = begin(
        Store(s3),
        states if states is not None else States(),
        settings(**fields),
        {"input": source, "output": OUTPUT, **(given if given is not None else {})},
        f"{EXECUTION.rsplit(':', 1)[0]}:{name}",
        s3.now,
    )
    assert run is not None, "no turn is free"
    return run


def planned(s3: MemoryS3, run: Run, in_time: Callable[[], bool] = lambda: True) -> list[list[str]]:
    """The names of each shard's inputs, the plan having been made in as many calls as it takes."""
    state = plan(run, None, in_time)
    while state["more"]:
        state = plan(run, json.loads(json.dumps(state)), in_time)
    lines = list(run.store.read_lines(run.work_place / "plan.jsonl"))
    assert [line["shard"] for line in lines] == list(range(len(lines)))
    return [
        [entry[0] for entry in run.store.read_lines(run.shard(line["shard"]) / "objects.jsonl")]
        for line in lines
    ]
