"""Variants of an endpoint on the local AWS, one of which answers wrongly now and then."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sagemaker_serving.cli.bench import bench as command
from sagemaker_serving.client import Aws
from sagemaker_serving.errors import Mistake, NotFound, ReportedError
from sagemaker_serving.operations.bench import BenchInput, bench
from tests.local_aws.aws import REGION, archive, client_of, running, shell_of
from tests.local_aws.aws import Aws as LocalAws

pytestmark = pytest.mark.slow

IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/pytorch-inference:2.6.0-cpu-py312"
JSON = "application/json"

SCRIPT = """
import itertools
import json
import os

REQUESTS = itertools.count(1)

def model_fn(model_dir):
    return os.environ

def input_fn(data, content_type):
    if data == "[9]":
        raise ValueError("nine is refused")
    return json.loads(data)

def predict_fn(data, model):
    scores = [value * 2 for value in data]
    if model.get("WRONG") and next(REQUESTS) == 13:
        scores[-1] += 0.25
    if model.get("OTHER_FORM"):
        return {"labels": scores}
    return {"scores": scores, "name": "twice"}
"""


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalAws]:
    """An endpoint with variants: right, wrong (in its 13th answer), form (another one)."""
    with running(tmp_path_factory.mktemp("bench")) as gateway:
        local = LocalAws(gateway)
        packed = archive({"code/inference.py": SCRIPT.encode()})
        local.s3.put_object(Bucket="models", Key="twice.tar.gz", Body=packed)
        given = {"right": {}, "wrong": {"WRONG": "1"}, "form": {"OTHER_FORM": "1"}}
        url = "s3://models/twice.tar.gz"
        variants = {
            name: local.model(name, environment, Image=IMAGE, ModelDataUrl=url)
            for name, environment in given.items()
        }
        local.endpoint("twice", local.config("twice", variants))
        yield local


@pytest.fixture
def aws(local: LocalAws) -> Aws:
    return client_of(local.gateway)


def given(*bodies: bytes) -> list[BenchInput]:
    return [
        BenchInput(name=f"input {number}", body=body, content_type=JSON)
        for number, body in enumerate(bodies)
    ]


def test_one_wrong_answer_among_many_is_found(aws: Aws) -> None:
    ended: list[tuple[int, int]] = []
    report = bench(
        "twice",
        given(b"[1, 2]", b"[3]"),
        aws=aws,
        variants=["right", "wrong"],
        requests=20,
        concurrency=4,
        progress=lambda done, of: ended.append((done, of)),
    )
    right, wrong = report.variants
    assert (right.name, len(right.seconds), right.failed, right.difference) == (
        "right",
        20,
        0,
        None,
    )
    assert right.own_difference is None
    assert len(wrong.seconds) == 20
    assert wrong.difference is not None
    assert wrong.difference.baseline == "right"
    found = wrong.difference.difference
    assert (found.size, found.path) in ((0.25, "scores[1]"), (0.25, "scores[0]"))
    assert found.found == found.expected + 0.25
    assert wrong.own_difference is not None
    assert wrong.own_difference.difference.size == 0.25
    assert right.percentile(50) is not None
    assert right.per_second > 0
    assert ended == [(count, 40) for count in range(1, 41)]


def test_another_form_of_answer_is_told(aws: Aws) -> None:
    report = bench("twice", given(b"[1]"), aws=aws, variants=["right", "form"], requests=2)
    found = report.variants[1].difference
    assert found is not None
    assert found.difference.size == float("inf")
    assert (found.difference.path, repr(found.difference.found)) == ("scores", "nothing")


def test_what_fails_is_counted_by_what_was_said(aws: Aws) -> None:
    report = bench("twice", given(b"[1]", b"[9]"), aws=aws, variants=["right"], requests=10)
    (right,) = report.variants
    assert (len(right.seconds), right.failed) == (5, 5)
    ((message, count),) = right.errors.items()
    assert count == 5
    assert message.endswith("answered 500: nine is refused")


@pytest.mark.parametrize(
    ("endpoint", "variants", "said"),
    [
        ("twice", ["rihgt"], "twice has no variant 'rihgt'; did you mean right"),
        ("nobody", None, "nobody has no variants that can be seen"),
        ("nobody", ["right"], "nobody"),
    ],
)
def test_what_is_not_there_is_named(
    aws: Aws, endpoint: str, variants: list[str] | None, said: str
) -> None:
    with pytest.raises(NotFound) as refused:
        bench(endpoint, given(b"[1]"), aws=aws, variants=variants, requests=1)
    assert said in str(refused.value)


@pytest.mark.parametrize(("requests", "concurrency"), [(0, 1), (1, 0)])
def test_no_request_at_all_is_a_mistake(aws: Aws, requests: int, concurrency: int) -> None:
    with pytest.raises(Mistake, match="at least 1"):
        bench("twice", given(b"[1]"), aws=aws, requests=requests, concurrency=concurrency)


def run(local: LocalAws, *arguments: str) -> Any:
    environment = {
        **shell_of(local.gateway),
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
    }
    return CliRunner().invoke(command, ["twice", *arguments], env=environment)


def test_the_command_prints_a_row_for_each_variant_and_what_differs(
    local: LocalAws, tmp_path: Path
) -> None:
    (tmp_path / "input.json").write_text("[1, 2]")
    sent = ("--input", str(tmp_path), "--requests", "4", "--variants", "right,form")
    ended = run(local, *sent)
    assert ended.exit_code == 0, ended.output
    first, second, remark = ended.stdout.splitlines()
    assert first.split("\t")[0] == "right"
    assert second.split("\t")[-2:] == ["0", "another form"]
    assert remark == (
        "form answers differently from right: input input.json at scores: [2, 4] there, "
        "nothing here"
    )
    document = json.loads(run(local, *sent, "--json").stdout)
    assert [variant["variant"] for variant in document["variants"]] == ["right", "form"]
    assert document["variants"][0]["requests"] == 4


def test_max_difference_ends_with_an_error(local: LocalAws, tmp_path: Path) -> None:
    (tmp_path / "input.json").write_text("[1, 2]")
    sent = ("--input", str(tmp_path), "--requests", "2", "--max-difference", "0.1")
    assert run(local, *sent, "--variants", "right").exit_code == 0
    ended = run(local, *sent, "--variants", "right,form")
    assert isinstance(ended.exception, ReportedError)
    assert "form answers differently from right by another form" in str(ended.exception)


def test_times_are_drawn_into_a_png(local: LocalAws, tmp_path: Path) -> None:
    (tmp_path / "input.json").write_text("[1, 2]")
    drawn = tmp_path / "times.png"
    ended = run(local, "--input", str(tmp_path / "input.json"), "--requests", "4", "-o", str(drawn))
    assert ended.exit_code == 0, ended.output
    content = drawn.read_bytes()
    assert content.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", content[16:24])
    assert width > 300
    assert height > 200


def test_without_input_a_model_with_a_script_needs_one(local: LocalAws) -> None:
    ended = run(local)
    assert isinstance(ended.exception, Mistake)
    assert "has an inference.py, and what that takes nobody can see" in str(ended.exception)
