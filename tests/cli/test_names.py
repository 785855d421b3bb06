"""What commands work on has one way to be named: by its environment's name, wherever it is said."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.client.fake_runtime import FakeRuntime, fake_runtime, refusal

FILE = """
name: y
region: eu-central-1
monitoring: {}
models:
  half:
    artifact: half
    framework: tensorflow
    framework_version: "2.19"
    variants: [{name: cpu, instance_type: ml.m5.large, initial_instance_count: 1}]
"""


@pytest.fixture(scope="module")
def runtime() -> Iterator[FakeRuntime]:
    with fake_runtime(lambda asked: refusal("AccessDeniedException", 400)) as runtime:
        yield runtime


@pytest.mark.parametrize("file", ["y.yaml", "named-otherwise.yaml"])
@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("predict y/half {}", "/endpoints/y-half/invocations"),
        ("predict y/half/cpu {}", "'X-Amzn-SageMaker-Target-Variant': 'cpu'"),
        ("golden y/half golden.jsonl --record", "/endpoints/y-half/invocations"),
        ("bench y/half --input golden.jsonl", "y-half"),
        ("watch y/half", "y-half"),
        ("rollback y/half", "y-half"),
        ("explain y/half", "y-half"),
        ("archives y/half", "y-half"),
        ("adopt endpoint y/half", "y-half"),
        ("local logs y/half", "no endpoint 'y-half' in eu-central-1 has a log"),
        ("transform y/half golden.jsonl out", "/y/half/"),
        ("transform status y/half nightly", "/y/half/"),
        ("transform stop half nightly -e y", "/y/half/"),
        ("dashboard y/half --latest", "y-half-eu-central-1"),
        ("dashboard y half --latest", "y-half-eu-central-1"),
        ("serve y/half", "environments/half does not exist"),
        ("compile y/half", "half"),
        ("diff y", "y-half"),
        ("check y", "environments/half"),
        ("local deploy y", "environments/half"),
        ("inspect y/half", "there is nothing at environments/half"),
    ],
)
def test_a_model_is_named_alike_for_every_command(
    run: Run, runtime: FakeRuntime, tmp_path: Path, file: str, words: str, meant: str
) -> None:
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / file).write_text(FILE)
    (tmp_path / "golden.jsonl").write_text('{"body": "{}"}\n')
    runtime.asked.clear()
    ended = run(
        *words.split(),
        AWS_ENDPOINT_URL=runtime.url,
        AWS_ACCESS_KEY_ID="test",
        AWS_SECRET_ACCESS_KEY="test",
    )
    asked = [f"{each.path} {each.body!r} {each.headers}" for each in runtime.asked]
    assert meant in "\n".join((ended.stdout, ended.stderr, *asked))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("check y.yaml", "environments/y.yaml:7 models.half.artifact"),
        ("diff y.yaml y", ""),
        ("local deploy y.yaml", "environments/y.yaml:7 models.half.artifact"),
        ("local deploy y/half", "half is a model, and an environment is deployed, with all its"),
        ("check model.tar.gz", "`sagemaker-serving inspect model.tar.gz` says what is in it"),
        ("check -", "standard input is not read, as problems are told by file and line; write"),
        ("check model_1", "a model's folder is for `sagemaker-serving inspect`"),
        ("check environments", "environments/y.yaml:7 models.half.artifact"),
        ("bench model_1", "model_1 is a model on this machine, and an endpoint's variants are"),
        ("predict y/half @body.json", "there is no file @body.json; give body.json, without the @"),
    ],
)
def test_what_is_nearly_right_is_taken_or_told(
    run: Run, tmp_path: Path, words: str, said: str
) -> None:
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "y.yaml").write_text(FILE)
    (tmp_path / "environments" / "environment.schema.json").write_text("{}")
    (tmp_path / "model.tar.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "model_1").mkdir()
    (tmp_path / "model_1" / "saved_model.pb").write_bytes(b"")
    (tmp_path / "body.json").write_text("{}")
    ended = run(*words.split())
    told = ended.stdout + ended.stderr
    assert said in told
    assert (ended.returncode == 0) is (said == ""), told
    assert "environment.schema.json" not in told
