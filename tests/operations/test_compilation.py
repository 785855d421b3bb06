"""Compiling outside of a deploy: the job is the deploy's own, and none is begun twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.archive import build_archive
from sagemaker_serving.client import Aws as Client
from sagemaker_serving.errors import Failure, Mistake, NotFound, ProblemsFound
from sagemaker_serving.local_sagemaker.compilation_jobs import run as compilation_run
from sagemaker_serving.operations.compilation import Compiler
from sagemaker_serving.operations.wanted_compilation import Wanted, wanted
from sagemaker_serving.spec.compilation_job import CompilationJob
from tests.local_aws.aws import REGION, Aws, client_of, stand_in_aws
from tests.models import saved_model, variables

ROLE = "arn:aws:iam::123456789012:role/model"
ENVIRONMENT = """\
name: prod
region: eu-west-1
models:
  digits:
    artifact: ../model
    framework: tensorflow
    framework_version: "2.9"
    variants:
      - {name: plain, instance_type: ml.c5.large}
      - {name: neo, instance_type: ml.c5.large, compile: {target_device: ml_c5, batch_size: 1}}
  two:
    artifact: ../model
    framework: tensorflow
    framework_version: "2.9"
    compile: {target_device: ml_c5, batch_size: 1}
    variants:
      - {name: a, instance_type: ml.c5.large}
      - {name: b, instance_type: ml.c5.large, compile: {batch_size: 2}}
"""


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(compilation_run, "STARTING_SECONDS", 0.02)
        patches.setattr(compilation_run, "COMPILING_SECONDS", 0.02)
        with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
            yield local


@pytest.fixture
def client(aws: Aws) -> Client:
    return client_of(aws.gateway)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a model and an environment."""
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "prod.yaml").write_text(ENVIRONMENT)
    (tmp_path / "model" / "digits" / "1" / "variables").mkdir(parents=True)
    graph = saved_model({"images": ("float32", (None, 8, 8, 1))})
    (tmp_path / "model" / "digits" / "1" / "saved_model.pb").write_bytes(graph)
    for name, content in variables("model/digits/1").items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compile_(client: Client, asked: Wanted) -> Any:
    compiler = Compiler(client, output="s3://models/neo/", role_arn=ROLE)
    url, content = asked.uploaded(compiler)
    begun = compiler.begin(asked.job, model_url=url, content=content)
    *_, last = compiler.watch(begun.name)
    return begun, last


def test_a_folder_is_packed_uploaded_and_compiled_once(
    client: Client, aws: Aws, folder: Path
) -> None:
    asked = wanted("model", {"target_device": "ml_c5", "batch_size": 1}, client, REGION)
    begun, done = compile_(client, asked)
    assert begun.status in ("STARTING", "INPROGRESS")
    assert done.status == "COMPLETED"
    built = build_archive(folder / "model", lambda _: folder / "model.tar.gz", convert=False)
    assert done.model_url == (f"s3://models/neo/compiled/{begun.name}/{built.sha256}-ml_c5.tar.gz")
    assert done.seconds is not None
    again, _ = compile_(client, asked)
    assert (again.name, again.status) == (begun.name, "COMPLETED")


def test_the_job_is_the_one_that_a_deploy_runs(client: Client, folder: Path) -> None:
    by_path = wanted(
        "model",
        {"target_device": "ml_c5", "batch_size": 1, "framework_version": "2.9"},
        client,
        REGION,
    )
    by_name = wanted("prod/digits", {}, client, None)
    assert by_path.job == by_name.job
    assert by_name.job == CompilationJob(
        framework="TENSORFLOW",
        framework_version="2.9",
        data_input_config='{"images":[1,8,8,1]}',
        target_device="ml_c5",
    )


def test_options_are_laid_over_what_the_environment_says(client: Client, folder: Path) -> None:
    job = wanted("prod/two/b", {"max_runtime_in_seconds": 7200}, client, None).job
    assert job.data_input_config == '{"images":[2,8,8,1]}'
    assert job.max_runtime_in_seconds == 7200, "no deploy waits for it"


def test_the_bucket_and_the_role_are_the_deployed_environments(
    client: Client, aws: Aws, folder: Path
) -> None:
    asked = wanted("prod/digits", {}, client, None)
    with pytest.raises(NotFound, match=r"storage/bucket-name; deploy the environment first, or "):
        asked.output(None, client)
    for name, value in {
        "/sagemaker-serving/prod/storage/bucket-name": "models",
        "/sagemaker-serving/prod/digits/compilation-role": ROLE,
    }.items():
        aws.client("ssm").put_parameter(Name=name, Value=value, Type="String")
    assert asked.output(None, client) == "s3://models"
    assert asked.role_arn(None, client) == ROLE
    assert asked.role_arn("another", client) == "another"


def test_a_failure_is_told_and_the_next_attempt_has_a_number(client: Client, aws: Aws) -> None:
    given = {"target_device": "ml_c5", "framework": "KERAS", "data_input_config": '{"x":[1,2]}'}
    asked = wanted("s3://models/nowhere.tar.gz", given, client, REGION)
    first, failed = compile_(client, asked)
    assert failed.status == "FAILED"
    assert "S3 object does not exist" in failed.reason
    second, _ = compile_(client, asked)
    assert second.name == f"{first.name}-2"


@pytest.mark.parametrize(
    ("model", "given", "error", "said"),
    [
        ("model", {}, ProblemsFound, "neither target_device nor target_platform is given"),
        ("model", {"target_device": "ml_c55"}, ProblemsFound, "did you mean ml_c5"),
        ("model", {"target_device": "ml_c5"}, ProblemsFound, "add batch_size: 1"),
        (
            "model",
            {"target_device": "ml_c5", "data_input_config": '{"images":[1,3,8,8]}'},
            ProblemsFound,
            "the model's signature takes",
        ),
        ("nothing", {}, NotFound, "there is nothing at nothing, and it is no model of"),
        ("prod/digit", {}, NotFound, "did you mean digits"),
        ("prod/digits/new", {}, NotFound, "has no variant 'new'; did you mean neo"),
        ("prod/two", {}, Mistake, "say which: prod/two/a, prod/two/b"),
    ],
)
def test_what_is_wrong_is_named_before_anything_is_sent(
    client: Client, folder: Path, model: str, given: dict[str, Any], error: type, said: str
) -> None:
    with pytest.raises(error, match=said):
        wanted(model, given, client, REGION)


def test_places_and_jobs_that_are_none_are_named(client: Client, folder: Path) -> None:
    with pytest.raises(Mistake, match=r"write s3://<bucket>/<prefix>"):
        Compiler(client, output="models/neo", role_arn=ROLE)
    with pytest.raises(Failure, match="no compilation job gone any more"):
        Compiler(client, output="s3://models", role_arn=ROLE).look("gone")
    asked = wanted("model", {"target_device": "ml_c5", "batch_size": 1}, client, REGION)
    with pytest.raises(Mistake, match="--output"):
        asked.output(None, client)
    with pytest.raises(Mistake, match="--role"):
        asked.role_arn(None, client)
