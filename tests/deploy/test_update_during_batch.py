"""A deploy while a batch runs: the batch ends on the version that it began with, and is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.operations import BatchPipeline
from tests.deploy.conftest import Project
from tests.local_aws.aws import eventually

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

SHARDS = 60
ENVIRONMENT = """\
name: trial
region: eu-west-1
models:
  half:
    artifact: ../model_assets/half_plus_three/model
    framework: tensorflow
    framework_version: "2.20"
    batch_transform:
      instance_type: ml.m5.large
      content_type: application/json
      max_objects_per_shard: 1
      max_concurrent_jobs: 1
"""


def jobs(project: Project) -> list[dict[str, Any]]:
    sagemaker = project.aws.client("sagemaker")
    listed = sagemaker.list_transform_jobs(MaxResults=100)["TransformJobSummaries"]
    return [
        sagemaker.describe_transform_job(TransformJobName=each["TransformJobName"])
        for each in listed
    ]


def test_a_batch_ends_on_its_own_version(project: Project, tmp_path: Path) -> None:
    (former,) = project.resources("Model")
    files = [tmp_path / f"{number}.json" for number in range(SHARDS)]
    for number, file in enumerate(files):
        file.write_text(f'{{"instances": [{number}.0]}}')
    pipeline = BatchPipeline("trial", "half", project.aws)
    execution = pipeline.start(pipeline.upload(files, "run"), "run")
    eventually(lambda: jobs(project))
    extra = project.model / "1" / "assets.extra"
    extra.mkdir(parents=True)
    (extra / "note.txt").write_text("another archive")

    deployed = project.deploy()

    assert deployed.returncode == 0, deployed.stderr
    (latter,) = project.resources("Model")
    assert latter != former
    begun = len(jobs(project))
    assert begun < SHARDS, "the deploy ended before the batch did"
    pipeline.wait(execution, deadline_seconds=300)
    assert {job["ModelName"].lower() for job in jobs(project)} == {former.lower()}
    report = pipeline.report(execution)
    assert report is not None
    assert dict(pipeline.outputs(execution)).keys() == {f"{file.name}.out" for file in files}
    counts = f"{SHARDS} objects, {SHARDS} with an output, 0 in quarantine, 0 not done"
    assert counts in "\n".join(report.lines())


def test_the_model_that_was_left_stays_and_costs_nothing(project: Project) -> None:
    """Two Models are there, one of them in the stack."""
    models = project.aws.client("sagemaker").list_models()["Models"]
    (deployed,) = project.resources("Model")
    assert len(models) == 2
    assert deployed.lower() in {model["ModelName"].lower() for model in models}
