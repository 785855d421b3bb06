"""What is sent: files by their names, or what fits a signature."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.archive import Tensor
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.bench import generated_inputs, inputs_of
from sagemaker_serving.operations.bench.inputs import _example
from tests.local_aws.aws import Aws as LocalAws
from tests.local_aws.aws import archive, client_of, stand_in_aws


def test_files_and_folders_are_sent_by_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("b.PNG", "a.csv", "c.jsonl"):
        (folder / name).write_bytes(name.encode())
    (tmp_path / "one.npy").write_bytes(b"npy")
    sent = inputs_of([tmp_path / "one.npy", folder])
    assert [(given.name, given.content_type) for given in sent] == [
        ("one.npy", "application/x-npy"),
        ("a.csv", "text/csv"),
        ("b.PNG", "application/x-image"),
        ("c.jsonl", "application/jsonlines"),
    ]
    assert sent[1].body == b"a.csv"


def test_a_name_that_tells_no_type_needs_it_given(tmp_path: Path) -> None:
    path = tmp_path / "input.bin"
    path.write_bytes(b"1")
    with pytest.raises(Mistake, match="give --content-type"):
        inputs_of([path])
    assert inputs_of([path], "x/y")[0].content_type == "x/y"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="gone does not exist"):
        inputs_of([tmp_path / "gone"])


def test_an_example_has_the_signature_s_form() -> None:
    one = {"x": Tensor(dtype="float32", shape=(None, 2, 1))}
    ((first,), (second,)) = _example(one, random.Random(0))
    assert 0 <= first < 1
    assert 0 <= second < 1
    several = {
        "x": Tensor(dtype="int64", shape=(1,)),
        "y": Tensor(dtype="float32", shape=(None, 1)),
    }
    example = _example(several, random.Random(0))
    assert example["x"] in (0, 1)
    assert len(example["y"]) == 1


@pytest.mark.parametrize(
    ("tensor", "said"),
    [
        (Tensor(dtype="float32", shape=None), "shape of input 'x' is not fixed"),
        (Tensor(dtype="float32", shape=(None, None)), "shape of input 'x' is not fixed"),
        (Tensor(dtype="string", shape=(None,)), "input 'x' takes string"),
    ],
)
def test_an_input_that_cannot_be_told_must_be_given(tensor: Tensor, said: str) -> None:
    with pytest.raises(Mistake) as refused:
        _example({"x": tensor}, random.Random(0))
    assert said in str(refused.value)
    assert "--input" in str(refused.value)


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalAws]:
    with stand_in_aws(tmp_path) as local:
        yield local


@pytest.mark.slow
def test_inputs_are_made_from_the_archive_of_the_endpoint_s_model(local: LocalAws) -> None:
    model = Path(__file__).parents[3] / "model_assets" / "half_plus_three" / "model"
    files = {
        path.relative_to(model).as_posix(): path.read_bytes()
        for path in model.rglob("*")
        if path.is_file()
    }
    local.s3.put_object(Bucket="models", Key="half.tar.gz", Body=archive(files))
    name = local.model("half", ModelDataUrl="s3://models/half.tar.gz")
    local.endpoint("half", local.config("half", {"v": name}))
    aws = client_of(local.gateway)
    made = generated_inputs(aws, "half")
    assert made == generated_inputs(aws, "half", "v")
    assert len({given.body for given in made}) == 8
    (value,) = json.loads(made[0].body)["instances"]
    assert 0 <= value < 1
    assert made[0].content_type == "application/json"
    with pytest.raises(NotFound, match="there is no endpoint 'nobody'"):
        generated_inputs(aws, "nobody")
