"""A folder that is sent as it is, by the real CDK CLI, and served by a real model server."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from sagemaker_serving.archive import folder_files
from sagemaker_serving.client import Predictor
from tests.deploy.conftest import Project

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timeout(600)]

PACKED = "artifact: ../model_assets/half_plus_three/model"
AS_FILES = "artifact: {folder: ../model_assets/half_plus_three/model, uncompressed: true}"
GRAPH = "half_plus_three/1/saved_model.pb"
LARGE = "half_plus_three/1/assets.extra/large"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    project = Project(tmp_path_factory.mktemp("project"))
    text = project.environment_file.read_text()
    assert PACKED in text
    project.environment_file.write_text(text.replace(PACKED, AS_FILES))
    (project.model / LARGE).parent.mkdir()
    (project.model / LARGE).write_bytes(bytes(11 << 20))
    with project.deployed():
        yield project


def place(project: Project) -> tuple[str, str]:
    """Bucket and prefix of the deployed model's files."""
    (model,) = project.resources("Model")
    described = project.aws.client("sagemaker").describe_model(ModelName=model)
    source = described["PrimaryContainer"]["ModelDataSource"]["S3DataSource"]
    assert (source["S3DataType"], source["CompressionType"]) == ("S3Prefix", "None")
    bucket, _, prefix = source["S3Uri"].removeprefix("s3://").partition("/")
    return bucket, prefix


def objects(project: Project) -> dict[str, Any]:
    """What lies below the prefix: the rest of each key, and when it was written."""
    bucket, prefix = place(project)
    listed = project.aws.client("s3").list_objects_v2(Bucket=bucket, Prefix=prefix)
    return {found["Key"].removeprefix(prefix): found for found in listed["Contents"]}


def predictions(project: Project) -> list[float]:
    answer = Predictor("trial-half", project.aws).invoke('{"instances": [1.0, 2.0, 5.0]}')
    numbers: list[float] = answer.json()["predictions"]
    return numbers


def test_its_files_lie_below_their_sha256_and_the_model_predicts(project: Project) -> None:
    files = folder_files(project.model)
    assert place(project)[1] == f"{files.sha256}.files/"
    assert set(objects(project)) == {entry.name for entry, _ in files.files}
    s3, (bucket, prefix) = project.aws.client("s3"), place(project)
    for entry, sha256 in files.files:
        body = s3.get_object(Bucket=bucket, Key=f"{prefix}{entry.name}")["Body"].read()
        assert hashlib.sha256(body).hexdigest() == sha256
    assert predictions(project) == [3.5, 4.0, 5.5]


def test_a_large_file_is_sent_in_parts(project: Project) -> None:
    assert objects(project)[LARGE]["ETag"].endswith('-3"'), "of at most 5 MiB each"


def test_a_deploy_of_nothing_new_sends_nothing(project: Project) -> None:
    before = objects(project)
    ended = project.deploy()
    assert ended.returncode == 0, ended.stderr
    large = {name for name, found in before.items() if found["Size"] > 22}
    after = objects(project)
    assert {name: after[name]["LastModified"] for name in large} == {
        name: before[name]["LastModified"] for name in large
    }


def test_changed_weights_are_another_prefix_and_another_model(project: Project) -> None:
    before = (place(project), project.resources("Model"))
    build = project.folder / "model_assets" / "half_plus_three" / "build.py"
    build.write_text(build.read_text().replace("initializer=3.0", "initializer=4.0"))
    subprocess.run([sys.executable, str(build)], check=True, capture_output=True)
    files, s3 = folder_files(project.model), project.aws.client("s3")
    sent = {"Bucket": before[0][0], "Key": f"{files.sha256}.files/{GRAPH}"}
    s3.put_object(**sent, Body=(project.model / GRAPH).read_bytes())
    written = s3.head_object(**sent)["LastModified"]
    with project.load() as failures:
        ended = project.deploy()
    assert ended.returncode == 0, ended.stderr
    assert failures == []
    assert place(project)[1] == f"{files.sha256}.files/" != before[0][1]
    assert set(objects(project)) == {entry.name for entry, _ in files.files}
    assert objects(project)[GRAPH]["LastModified"] == written, "what an upload before it had sent"
    assert project.resources("Model") != before[1]
    assert predictions(project) == [4.5, 5.0, 6.5]
