"""scikit-learn's image: the user's ``model_fn``, and the image's own functions for the rest."""

from __future__ import annotations

import io
from pathlib import Path

import numpy
import pytest

from sagemaker_serving.archive.handlers import SCRIPT_VARIABLES
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.model_server.pytorch import scikit_learn

MODEL = """
from pathlib import Path

class Sums:
    def predict(self, rows):
        assert rows.dtype == "float32", rows.dtype
        return rows.sum(axis=1)

def model_fn(model_dir):
    # MLflow, for one, loads no file whose real place is outside of the model's folder.
    folder = Path(model_dir)
    for name in ("model.txt", "data/weights.txt"):
        assert (folder / name).resolve().is_relative_to(folder.resolve()), name
        assert (folder / name).read_text() == name
    (folder / "written").touch()
    return Sums()
"""


@pytest.mark.slow
def test_a_model_with_predict_is_served_by_its_model_fn_alone(tmp_path: Path) -> None:
    code = tmp_path / "model" / "code"
    code.mkdir(parents=True)
    (code / "inference.py").write_text(MODEL)
    (tmp_path / "model" / "data").mkdir()
    for name in ("model.txt", "data/weights.txt"):
        (tmp_path / "model" / name).write_text(name)
    (tmp_path / "model" / "data" / "back").symlink_to(tmp_path / "model")
    (tmp_path / "model" / "itself").symlink_to("itself")
    server = ModelServer.start(
        tmp_path / "model",
        environment=SCRIPT_VARIABLES,
        log_path=tmp_path / "log",
        program="sklearn",
    )
    try:
        server.wait_until_healthy(60)
        connection = server.place.connection(60)
        for body, sent, wanted, answer in (
            ("[[1, 2], [3, 4]]", "application/json", "application/json", b"[3.0, 7.0]"),
            ("1,2\n3,4\n", "text/csv", "text/csv", b"3.0\n7.0\n"),
        ):
            headers = {"Content-Type": sent, "Accept": wanted}
            connection.request("POST", "/invocations", body, headers)
            answered = connection.getresponse()
            assert (answered.status, answered.read()) == (200, answer)
    finally:
        server.stop()
    assert not (tmp_path / "model" / "written").exists()


@pytest.mark.parametrize(
    ("body", "expected"),
    [("1,2.5\n3,4", [[1, 2.5], [3, 4]]), ("1,2", [1, 2]), ('"1","2"\n3,4', [[1, 2], [3, 4]])],
)
def test_csv_is_read_as_the_image_reads_it(body: str, expected: list[object]) -> None:
    read = scikit_learn.input_fn(body, "text/csv")
    assert (read.tolist(), str(read.dtype)) == (expected, "float32")


def test_arrays_keep_their_type() -> None:
    content = io.BytesIO()
    numpy.save(content, numpy.array([1, 2], "int8"))
    assert str(scikit_learn.input_fn(content.getvalue(), "application/x-npy").dtype) == "int8"


def test_without_the_variables_it_does_not_start_as_the_image_does_not() -> None:
    with pytest.raises(Mistake, match=r"SAGEMAKER_PROGRAM: inference\.py and SAGEMAKER_SUBMIT"):
        scikit_learn.must_name_script({})
