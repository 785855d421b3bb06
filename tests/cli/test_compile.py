"""``sagemaker-serving compile`` against a local AWS: what it prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.local_aws.aws import REGION, Aws, archive, shell_of, stand_in_aws

pytestmark = pytest.mark.slow

Run = Callable[..., Any]
KERAS = ("--framework", "KERAS", "--target", "ml_c5", "--input-config", '{"x": [1, 3, 8, 8]}')
PLACE = ("--output", "s3://models/neo", "--role", "arn:aws:iam::123456789012:role/model")


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as here:
        here.s3.put_object(Bucket="models", Key="k.tar.gz", Body=archive({"model.h5": b"w"}))
        yield here


@pytest.fixture
def compile_(run: Run, aws: Aws) -> Run:
    def run_compile(*arguments: str) -> Any:
        return run(
            "compile",
            *arguments,
            **shell_of(aws.gateway),
            AWS_REGION=REGION,
        )

    return run_compile


def test_it_says_how_the_job_goes_and_where_the_result_is(compile_: Run) -> None:
    ended = compile_("s3://models/k.tar.gz", *KERAS, *PLACE, "--watch")
    assert ended.returncode == 0, ended.stderr
    assert "STARTING" in ended.stderr
    assert "COMPLETED" in ended.stderr
    assert "is done: s3://models/neo/compiled/neo-ml-c5-" in ended.stdout
    assert "its image: 802834080501.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-neo-keras" in (
        ended.stdout
    )
    assert "local AWS: repacked, not compiled" in ended.stdout
    again = compile_("s3://models/k.tar.gz", *KERAS, *PLACE, "--json")
    assert json.loads(again.stdout)["status"] == "COMPLETED"


def test_a_job_that_fails_ends_it_with_1_and_neos_reason(compile_: Run) -> None:
    ended = compile_("s3://models/gone.tar.gz", *KERAS, *PLACE, "--watch")
    assert ended.returncode == 1
    assert "FAILED: ClientError: InputConfiguration: S3 object does not exist" in ended.stderr


def test_what_the_rules_refuse_is_never_sent(compile_: Run, tmp_path: Path) -> None:
    (tmp_path / "a.onnx").write_bytes(b"\x08\x07")
    ended = compile_("a.onnx", "--target", "ml_c5", *PLACE)
    assert ended.returncode == 2
    assert "Neo needs the inputs' shapes of ONNX" in ended.stderr
