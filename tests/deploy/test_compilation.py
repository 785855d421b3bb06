"""Models that a deploy compiles, from the CDK CLI to predictions, and what becomes of the jobs."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Exchange, Request, write_golden
from sagemaker_serving.catalog.neo import neo_image_uri
from tests.deploy.conftest import Project
from tests.local_aws.aws import archive

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ENVIRONMENT = """\
name: trial
region: eu-west-1
models:
  digits:
    artifact: ../model_assets/digits/model
    framework: tensorflow
    framework_version: "2.20"
    variants:
      - {name: plain, instance_type: ml.c5.large}
      - name: neo
        instance_type: ml.c5.large
        framework_version: "2.9"
        compile:
          target_device: ml_c5
          batch_size: 1
          accept: {golden: golden.jsonl, max_error: 0.001, agreement: 1}
"""
BROKEN = """\
      - name: neo
        instance_type: ml.c5.large
        framework_version: "2.9"
        artifact: {s3: s3://broken/model.tar.gz, sha256: x}
        compile: {target_device: ml_c5, data_input_config: {images: [1, 8, 8, 1]}}
"""
PROBABILITIES = [
    *(5.53814107e-06, 1.48324e-07, 8.58546443e-08, 0.00010142575, 2.12578743e-06),
    *(0.000455973233, 3.21752646e-06, 1.21149594e-06, 0.99929893, 0.000131311637),
]
"""What digits answers to the first image that was held out (2026-11-25)."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    project = Project(tmp_path_factory.mktemp("project"))
    project.environment_file.write_text(ENVIRONMENT)
    record(project, PROBABILITIES)
    with project.deployed():
        yield project


@cache
def client(project: Project, service: str) -> Any:
    return project.aws.client(service)


def jobs(project: Project, **more: Any) -> list[Any]:
    listed = client(project, "sagemaker").list_compilation_jobs(MaxResults=100, **more)
    return list(listed["CompilationJobSummaries"])


def names(summaries: list[Any]) -> list[str]:
    return [str(summary["CompilationJobName"]) for summary in summaries]


def models(project: Project) -> dict[str, Any]:
    """What each variant's Model runs."""
    sagemaker = client(project, "sagemaker")
    endpoint = sagemaker.describe_endpoint(EndpointName="trial-digits")
    config = sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    return {
        variant["VariantName"]: sagemaker.describe_model(ModelName=variant["ModelName"])[
            "PrimaryContainer"
        ]
        for variant in config["ProductionVariants"]
    }


def predicted(project: Project, variant: str) -> Any:
    image = project.folder / "model_assets" / "digits" / "held_out" / "0000-8.png"
    answer = client(project, "sagemaker-runtime").invoke_endpoint(
        EndpointName="trial-digits",
        TargetVariant=variant,
        ContentType="application/x-image",
        Body=image.read_bytes(),
    )
    (prediction,) = json.load(answer["Body"])["predictions"]
    return prediction


def record(project: Project, probabilities: list[float]) -> None:
    """The golden requests of the environment: one image, and what is expected of it."""
    image = project.folder / "model_assets" / "digits" / "held_out" / "0000-8.png"
    request = Request(body=image.read_bytes(), content_type="application/x-image")
    expected = {"predictions": [{"class": 8, "probabilities": probabilities}]}
    answer = Answer(status=200, body=json.dumps(expected).encode())
    golden = project.environment_file.parent / "golden.jsonl"
    write_golden(golden, [Exchange(request=request, expected=answer)])


def temporary(project: Project) -> list[str]:
    """Endpoints and configs that a gate has left."""
    sagemaker = client(project, "sagemaker")
    endpoints = sagemaker.list_endpoints(NameContains="-gate-")["Endpoints"]
    configs = sagemaker.list_endpoint_configs(NameContains="-gate-")["EndpointConfigs"]
    return [str(each) for each in (*endpoints, *configs)]


def status(project: Project, stack: str) -> str:
    (found,) = client(project, "cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return str(found["StackStatus"])


def test_a_plain_and_a_compiled_variant_answer_alike(project: Project) -> None:
    plain, neo = predicted(project, "plain"), predicted(project, "neo")
    assert plain["class"] == neo["class"] == 8
    assert neo["probabilities"] == pytest.approx(plain["probabilities"], abs=1e-5)


def test_the_compiled_variant_runs_what_the_job_made(project: Project) -> None:
    (job,) = jobs(project)
    described = client(project, "sagemaker").describe_compilation_job(
        CompilationJobName=job["CompilationJobName"]
    )
    assert described["InputConfig"]["DataInputConfig"] == '{"images":[1,8,8,1]}'
    neo, plain = models(project)["neo"], models(project)["plain"]
    assert neo["ModelDataUrl"] == described["ModelArtifacts"]["S3ModelArtifacts"]
    assert neo["ModelDataUrl"].endswith("-ml_c5.tar.gz")
    bucket, _, key = described["InputConfig"]["S3Uri"].removeprefix("s3://").partition("/")
    packed = client(project, "s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        graphs = [name for name in tar.getnames() if name.endswith(".pb")]
    assert graphs == ["digits/1/saved_model.pb"], "which is all that Neo takes for one"
    assert plain["ModelDataUrl"].endswith(".tar.gz")
    image = neo_image_uri(framework="TENSORFLOW", version="2.9", region="eu-west-1")
    assert neo["Image"] == image
    assert neo["Environment"] == {
        "SAGEMAKER_PROGRAM": "inference.py",
        "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
        "SAGEMAKER_CONTAINER_LOG_LEVEL": "20",
        "SAGEMAKER_REGION": "eu-west-1",
    }


def test_a_wrong_answer_fails_the_deploy_compiles_nothing_and_leaves_the_endpoint(
    project: Project,
) -> None:
    """The deploy before it was accepted; each has started an endpoint, and none is left."""
    before = models(project)
    assert temporary(project) == []
    record(project, [*PROBABILITIES[1:], PROBABILITIES[0]])
    ended = project.deploy()
    record(project, PROBABILITIES)
    assert ended.returncode == 1
    said = " ".join(ended.stderr.split())
    assert "the compiled model of neo on ml.c5.large is not accepted: max_error is 0.99" in said
    assert "agreement is 0.0000% (0 of 1 rows); 100.0000% is wanted" in said
    assert "the deploy starts a temporary endpoint with one instance of ml.c5.large" in said
    assert status(project, "trial-digits") == "UPDATE_ROLLBACK_COMPLETE"
    assert temporary(project) == []
    assert len(jobs(project)) == 1
    assert models(project) == before


def test_a_broken_input_fails_the_deploy_with_a_sentence_and_changes_nothing(
    project: Project,
) -> None:
    s3 = client(project, "s3")
    s3.create_bucket(Bucket="broken", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    two_graphs = archive({"a.pb": b"a", "b.pb": b"b", "code/inference.py": b"pass"})
    s3.put_object(Bucket="broken", Key="model.tar.gz", Body=two_graphs)
    before = models(project)
    project.environment_file.write_text(ENVIRONMENT.partition("      - name: neo")[0] + BROKEN)
    ended = project.deploy()
    project.environment_file.write_text(ENVIRONMENT)
    assert ended.returncode == 1
    assert (
        "Neo compiles TENSORFLOW from exactly one .pb or .pbtxt file, and the archive holds 2: "
        "a.pb, b.pb; leave the others out"
    ) in " ".join(ended.stderr.split())
    assert "Exactly one .pb or .pbtxt file is allowed for TensorFlow models." in ended.stderr
    assert status(project, "trial-digits") == "UPDATE_ROLLBACK_COMPLETE"
    assert models(project) == before
    assert predicted(project, "neo")["class"] == 8
    assert [job["CompilationJobStatus"] for job in jobs(project)] == ["COMPLETED", "FAILED"]
