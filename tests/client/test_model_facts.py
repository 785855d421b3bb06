"""What an archive tells of the model behind an endpoint."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest

from local_aws.gateway import Gateway
from sagemaker_serving.client import Aws, EndpointFacts, Model, Predictor, predictor_of
from sagemaker_serving.errors import Mistake, NotFound, ProblemsFound
from tests.client.conftest import _aws
from tests.local_aws.aws import client_of
from tests.models import archive, saved_model

NOWHERE = _aws("http://localhost:1")
OLD, NEW = (saved_model({"x": ("float32", (None, n))}) for n in (2, 3))
FILES = {"half/1/saved_model.pb": OLD, "half/10/saved_model.pb": NEW}
SCRIPT = {"code/inference.py": b"def handler(data, context):\n    return data, 'a/b'\n"}

MODEL = """\
name: dev
region: eu-west-1
models:
  half:
    artifact: model.tar.gz
    framework: tensorflow
    framework_version: "2.20"
"""


def written(folder: Path, files: dict[str, bytes]) -> Path:
    path = folder / "model.tar.gz"
    path.write_bytes(archive(files))
    return path


def widths(artifact: str | Path, aws: Aws = NOWHERE, name: str | None = None) -> int | None:
    """The second axis of the signature's one input; None without a signature."""
    predictor = Predictor(
        "e", aws, facts=EndpointFacts(), model=Model(name=name, artifact=artifact)
    )
    signature = predictor.model.signature
    shape = None if signature is None else signature.inputs["x"].shape
    return None if shape is None else shape[1]


def test_the_signature_is_that_of_the_highest_version(tmp_path: Path) -> None:
    assert widths(written(tmp_path, FILES)) == 3


def test_of_several_models_one_must_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, {**FILES, "other/1/saved_model.pb": OLD})
    assert widths(path) is None
    assert widths(path, name="other") == 2


def test_an_archive_in_s3_is_read(gateway: Gateway) -> None:
    aws = client_of(gateway)
    aws.client("s3").put_object(Bucket="models", Key="facts.tar.gz", Body=archive(FILES))
    assert widths("s3://models/facts.tar.gz", aws) == 3


@pytest.mark.parametrize(("more", "has_script"), [({}, False), (SCRIPT, True)])
def test_a_script_is_noticed(tmp_path: Path, more: dict[str, bytes], has_script: bool) -> None:
    artifact = written(tmp_path, {**FILES, **more})
    predictor = Predictor("e", NOWHERE, facts=EndpointFacts(), model=Model(artifact=artifact))
    assert predictor.model.has_script == has_script


def test_a_model_of_an_environment_is_known_without_asking_aws(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    (tmp_path / "dev.yaml").write_text(MODEL)
    predictor = predictor_of(tmp_path / "dev.yaml", "half", NOWHERE, facts=EndpointFacts())
    assert predictor.endpoint_name == "dev-half"
    assert predictor.model.signature is not None
    with pytest.raises(Mistake, match=r"\(1, 5\); the model's input 'x' is \(\?, 3\)"):
        predictor.predict({"x": numpy.zeros((1, 5))})


def test_what_is_told_of_a_model_of_an_environment_is_laid_over_what_is_there(
    tmp_path: Path,
) -> None:
    written(tmp_path, FILES)
    (tmp_path / "dev.yaml").write_text(MODEL)
    told = Model(content_types=["text/csv"])
    predictor = predictor_of(tmp_path / "dev.yaml", "half", NOWHERE, model=told)
    assert predictor.model.accepted.content_types == ("text/csv",)
    assert predictor.model.signature is not None


def test_what_the_environment_does_not_have_is_named(tmp_path: Path) -> None:
    (tmp_path / "dev.yaml").write_text(MODEL)
    with pytest.raises(NotFound, match="has no model 'hal'; did you mean half"):
        predictor_of(tmp_path / "dev.yaml", "hal", NOWHERE)
    (tmp_path / "dev.yaml").write_text(MODEL.replace("region", "regoin"))
    with pytest.raises(ProblemsFound, match="regoin"):
        predictor_of(tmp_path / "dev.yaml", "half", NOWHERE)
