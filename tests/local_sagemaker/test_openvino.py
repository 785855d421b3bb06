"""Compilation jobs with OpenVINO in Neo's place: what they make, and that servers run it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.local_aws.aws import Aws
from tests.local_sagemaker.compiling import compiled, served, unpacked
from tests.model_server.neo.test_service import SUM_AND_PRODUCT

pytest.importorskip("openvino", reason="openvino is here in test_with_openvino.py only")
pytestmark = pytest.mark.slow

DIGITS = Path(__file__).parents[2] / "model_assets" / "digits"
TAKES_JSON = """\
import json
import numpy

def neo_preprocess(payload, content_type):
    return {name: numpy.array(value) for name, value in json.loads(payload).items()}

def neo_postprocess(result):
    return json.dumps([array.tolist() for array in result]), "application/json"
"""


def files_of(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def test_a_saved_model_is_compiled_and_its_server_answers_with_the_result(
    aws: Aws, tmp_path: Path
) -> None:
    files = files_of(DIGITS / "model" / "digits")
    del files["1/fingerprint.pb"]  # Neo takes one .pb
    job = compiled(aws, "digits", files, "TENSORFLOW", {"images": [1, 8, 8, 1]})
    assert job["CompilationJobStatus"] == "COMPLETED", job["FailureReason"]
    assert job["FailureReason"].startswith("local AWS: compiled by OpenVINO 20")
    assert "proves nothing of what Neo makes" in job["FailureReason"]
    model = unpacked(aws, job, tmp_path / "model" / "digits").parent
    assert files.items() <= files_of(model / "digits").items(), "the model itself is there too"
    image = [[[column / 8] for column in range(8)] for _ in range(8)]
    answers = []
    for name, folder in {"plain": DIGITS / "model", "compiled": model}.items():
        log = tmp_path / f"{name}.log"
        with served(folder, log, "tensorflow") as send:
            status, answer = send({"instances": [image]})
            assert status == 200, answer
            answers.append(answer["predictions"][0])
            if name == "compiled":
                assert send({"instances": [image, image]})[0] == 400, "it was compiled for one"
        assert ("compiled by OpenVINO" in log.read_text()) == (name == "compiled")
    plain, again = answers
    assert again["classes"] == plain["classes"]
    assert again["probabilities"] == pytest.approx(plain["probabilities"], abs=1e-5)


def test_an_onnx_model_is_compiled_and_its_server_answers_with_the_result(
    aws: Aws, tmp_path: Path
) -> None:
    files = {"model.onnx": SUM_AND_PRODUCT, "code/inference.py": TAKES_JSON.encode()}
    job = compiled(aws, "sums", files, "ONNX", {"a": [2], "b": [2]})
    assert job["CompilationJobStatus"] == "COMPLETED", job["FailureReason"]
    model = unpacked(aws, job, tmp_path / "model")
    assert (model / "openvino" / "model.xml").is_file()
    with served(model, tmp_path / "log", "neo-onnx") as send:
        assert send({"a": [2, 3], "b": [5, 7]}) == (200, [[7, 10], [10, 21]])


def test_an_operator_that_does_not_convert_fails_the_job_in_the_converters_words(
    aws: Aws, tmp_path: Path
) -> None:
    job = compiled(aws, "lgamma", lgamma(tmp_path / "1"), "TENSORFLOW", {"x": [1, 4]})
    assert job["CompilationJobStatus"] == "FAILED"
    reason = job["FailureReason"]
    assert reason.startswith("ClientError: CompilationError: OpenVINO cannot compile")
    assert "No conversion rule found for operations: Lgamma" in reason
    assert "Neo may take the model" in reason


def lgamma(folder: Path) -> dict[str, bytes]:
    import tensorflow

    tf = tensorflow.compat.v1
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        y = tf.lgamma(x) * tf.get_variable("v", initializer=1.0)
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(str(folder))
        signature = tf.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(session, ["serve"], {"serving_default": signature})
        builder.save()
    return files_of(folder.parent)
