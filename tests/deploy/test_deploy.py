"""What a user sees who deploys to the local AWS, changes things, breaks things."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from sagemaker_serving.archive import build_archive

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

OTHER_VARIABLES = Path(__file__).parents[2] / "model_assets/digits/model/digits/1/variables"
OTHER_VARIANT = "\n      - {name: other, instance_type: ml.m5.large, weight: 1}"
ONE_VARIANT = "{name: cpu, instance_type: ml.c5.large}"
TWO_VARIANTS = "{name: cpu, instance_type: ml.c5.xlarge}" + OTHER_VARIANT
ONE_TWO_FIVE = '{"instances": [1.0, 2.0, 5.0]}'


def predictions(project: Any) -> list[float]:
    from sagemaker_serving.client import Predictor

    answer = Predictor("trial-half", project.aws).invoke(ONE_TWO_FIVE)
    numbers: list[float] = answer.json()["predictions"]
    return numbers


def deployed_container(project: Any) -> dict[str, Any]:
    (model,) = project.resources("Model")
    described = project.aws.client("sagemaker").describe_model(ModelName=model)
    container: dict[str, Any] = described["PrimaryContainer"]
    return container


def test_the_command_line_predicts(project: Any) -> None:
    ended = project.run("predict", "trial-half", ONE_TWO_FIVE, "--local", "--verbose")
    assert ended.returncode == 0
    assert "".join(ended.stdout.split()) == '{"predictions":[3.5,4.0,5.5]}'
    assert "from variant cpu in" in ended.stderr


def test_a_batch_is_one_answer_of_the_real_model(project: Any) -> None:
    from sagemaker_serving.client import Limits, Predictor

    numbers = [float(number) for number in range(50)]
    with Predictor("trial-half", project.aws, limits=Limits(records_per_request=7)) as predictor:
        assert predictor.predict(numbers) == {"predictions": [n / 2 + 3 for n in numbers]}
        assert predictor.model.accepted.by == "the TensorFlow Serving image without inference.py"
        examples = {"signature_name": "regress_x_to_y", "examples": [{"x": n} for n in numbers]}
        assert predictor.regress(examples) == {"results": [n / 2 + 3 for n in numbers]}


def test_a_body_that_the_model_refuses_is_its_error(project: Any) -> None:
    ended = project.run("predict", "trial-half", '{"instances": ["a"]}', "--local")
    assert ended.returncode == 1
    assert "the model of trial-half answered 400" in ended.stderr
    assert ended.stderr.endswith("; its log: sagemaker-serving local logs trial-half\n")
    assert "Traceback" not in ended.stderr


def test_the_model_data_is_the_archive_that_was_built(project: Any, tmp_path: Any) -> None:
    url = deployed_container(project)["ModelDataUrl"]
    assert url.endswith(".tar.gz")
    bucket, _, key = url.removeprefix("s3://").partition("/")
    stored = project.aws.client("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
    built = build_archive(project.model, lambda sha256: tmp_path / f"{sha256}.tar.gz")
    assert stored == built.path.read_bytes()
    assert built.sha256 in key


@pytest.mark.long
def test_a_deploy_of_nothing_new_changes_nothing_and_tells_programs_what_serves(
    project: Any,
) -> None:
    before = (project.resources("Model"), project.status["processes"][0]["pid"])
    ended = project.run("local", "deploy", "trial", "--json")
    assert ended.returncode == 0, ended.stderr
    (told,) = json.loads(ended.stdout)
    assert (told["endpoint"].partition("-")[0], told["reason"]) == ("trial", None)
    assert (project.resources("Model"), project.status["processes"][0]["pid"]) == before


@pytest.mark.long
def test_a_changed_batching_value_reaches_the_new_fleet_without_a_lost_request(
    project: Any,
) -> None:
    text = project.environment_file.read_text()
    project.environment_file.write_text(text.replace("max_batch_size: 4", "max_batch_size: 64"))
    with project.load() as failures:
        ended = project.deploy()
    assert ended.returncode == 0, ended.stderr
    assert failures == []
    assert project.server_environment()["SAGEMAKER_TFS_MAX_BATCH_SIZE"] == "64"


@pytest.mark.long
def test_changed_weights_replace_the_model(project: Any) -> None:
    before = project.resources("Model")
    build = project.folder / "model_assets" / "half_plus_three" / "build.py"
    build.write_text(build.read_text().replace("initializer=3.0", "initializer=4.0"))
    subprocess.run([sys.executable, str(build)], check=True, capture_output=True)
    with project.load() as failures:
        ended = project.deploy()
    assert ended.returncode == 0, ended.stderr
    assert failures == []
    assert project.resources("Model") != before
    assert predictions(project) == [4.5, 5.0, 6.5]


@pytest.mark.long
def test_a_broken_artifact_fails_with_its_reason_and_the_old_fleet_still_answers(
    project: Any,
) -> None:
    answers = predictions(project)
    before = project.resources("Model")
    (data,) = project.model.rglob("variables.data-*")
    whole = {path: path.read_bytes() for path in data.parent.iterdir()}
    for other in OTHER_VARIABLES.iterdir():  # whole, and of another model
        (data.parent / other.name).write_bytes(other.read_bytes())
    try:
        with project.load() as failures:
            ended = project.deploy()
    finally:
        for path, content in whole.items():
            path.write_bytes(content)
    assert ended.returncode == 1
    assert failures == []
    assert predictions(project) == answers
    assert project.resources("Model") == before
    reason = ended.stderr.splitlines()[-1]
    assert "cdk deploy failed: trial-half: Endpoint" in ended.stderr, reason
    assert "missing from the checkpoint" in ended.stderr
    assert "Traceback (most recent call last)" not in reason


@pytest.fixture(scope="module")
def mended(project: Any) -> Any:
    """A deploy under load after the failed one: another variable, another instance type and
    another variant."""
    text = project.environment_file.read_text()
    for written, instead in (('MY_OWN: "1"', 'MY_OWN: "2"'), (ONE_VARIANT, TWO_VARIANTS)):
        assert written in text
        text = text.replace(written, instead)
    project.environment_file.write_text(text)
    with project.load() as failures:
        return project.deploy(), failures


@pytest.mark.long
def test_after_a_failed_deploy_the_mended_one_goes_through(project: Any, mended: Any) -> None:
    ended, _ = mended
    assert ended.returncode == 0, ended.stderr
    servers = [psutil.Process(process["pid"]) for process in project.status["processes"]]
    assert [server.environ()["MY_OWN"] for server in servers] == ["2", "2"]


@pytest.mark.long
def test_changed_variants_lose_no_request(project: Any, mended: Any) -> None:
    ended, failures = mended
    assert ended.returncode == 0, ended.stderr
    assert failures == []
    assert instance_types(project) == {"ml.c5.xlarge", "ml.m5.large"}


def instance_types(project: Any) -> set[str]:
    (config,) = project.resources("EndpointConfig")
    described = project.aws.client("sagemaker").describe_endpoint_config(EndpointConfigName=config)
    return {variant["InstanceType"] for variant in described["ProductionVariants"]}


def test_a_wrong_environment_never_reaches_the_cli(project: Any) -> None:
    text = project.environment_file.read_text()
    project.environment_file.write_text(re.sub(r"\bml\.c5\.\w+", "ml.t3.medium", text))
    try:
        ended = project.deploy()
    finally:
        project.environment_file.write_text(text)
    assert ended.returncode == 2
    assert "instance_type is 'ml.t3.medium'; endpoints do not take it" in ended.stderr
    assert "cdk" not in ended.stdout
