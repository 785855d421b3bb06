"""Neo's own runtime's container around an engine. Texts are those of neo-ai/neo-ai-dlr's
``neo_template_mxnet_byom.py`` and ``neo_template_xgboost.py``; none was run."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.neo.engines import OnnxEngine, XgboostEngine
from sagemaker_serving.model_server.neo.script import Script, load_script
from sagemaker_serving.model_server.neo.service import BROKEN, NeoModel, row_model, scripted_model
from sagemaker_serving.model_server.toolkit.service import Answer, Request

SUM_AND_PRODUCT = base64.b64decode(
    "CAg6bwoQCgFhCgFiEgNzdW0iA0FkZAoUCgFhCgFiEgdwcm9kdWN0IgNNdWwSAWdaDQoBYRIICgYIARICCgBaDQoBYhII"
    "CgYIARICCgBiDwoDc3VtEggKBggBEgIKAGITCgdwcm9kdWN0EggKBggBEgIKAEIECgAQDQ=="
)
"""An ONNX model of float inputs ``a`` and ``b``: their sum and their product."""


class Twice:
    """An engine whose one output is each input, or the one of them, twice."""

    def __init__(self, *names: str) -> None:
        self.input_names = names

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        return [inputs[name] * 2 for name in self.input_names]


def a_script(preprocess: Callable[[Any, str], Any]) -> Script:
    return Script(
        neo_preprocess=preprocess,
        neo_postprocess=lambda result: (
            json.dumps(result, default=lambda array: array.tolist()),
            "x/answer",
        ),
    )


def ask(model: NeoModel, body: bytes, content_type: str | None = "x/y") -> Answer:
    headers = {} if content_type is None else {"Content-Type": content_type}
    return model.answer(Request(headers=headers, body=body))


@pytest.mark.parametrize(
    ("engine", "preprocess", "answer"),
    [
        (Twice("a"), lambda data, kind: np.array([len(data)]), b"[6]"),
        (Twice("a"), lambda data, kind: np.float32(1.5), b"3.0"),
        (Twice("a"), lambda data, kind: {"a": np.array([1])}, b"[2]"),
        (Twice("a", "b"), lambda d, k: {"a": np.array([1]), "b": np.array([2])}, b"[[2], [4]]"),
    ],
)
def test_inputs_go_through_the_engine_to_neo_postprocess(
    engine: Twice, preprocess: Callable[[Any, str], Any], answer: bytes
) -> None:
    answered = ask(scripted_model(engine, a_script(preprocess)), b"abc")
    assert (answered.status, answered.content_type) == (200, "x/answer")
    assert json.loads(answered.body) == json.loads(answer)


def fail(data: Any, kind: str) -> Any:
    raise ValueError(f"not {kind}")


@pytest.mark.parametrize(
    ("engine", "preprocess", "said"),
    [
        (Twice("a"), fail, "User-defined pre-processing function failed:\nnot x/y"),
        (
            Twice("a"),
            lambda data, kind: [1],
            "User-defined pre-processing function must return either dict type or np.ndarray",
        ),
        (
            Twice("a", "b"),
            lambda data, kind: np.array([1]),
            "User-defined pre-processing function returns a single input, but the model has "
            "multiple inputs.",
        ),
        (
            Twice("a"),
            lambda data, kind: {"b": np.array([1])},
            "Input name(s) mismatch: {'b'} {'a'}\nExpected a in input data\n"
            "The model does not accept the following inputs: b",
        ),
    ],
)
def test_a_bad_input_is_a_400_with_the_reason(
    engine: Twice, preprocess: Callable[[Any, str], Any], said: str
) -> None:
    answered = ask(scripted_model(engine, a_script(preprocess)), b"abc")
    assert (answered.status, answered.body.decode()) == (400, f"ClientError: {said}")


@pytest.mark.parametrize("content_type", [None, "x/y"])
def test_all_else_is_a_500_without_a_reason(content_type: str | None) -> None:
    script = Script(neo_preprocess=lambda d, k: np.array([1]), neo_postprocess=lambda r: 1 / 0)
    answered = ask(scripted_model(Twice("a"), script), b"abc", content_type)
    assert (answered.status, answered.body.decode()) == (500, BROKEN)


@pytest.mark.parametrize(
    ("content_type", "body", "answer"),
    [
        ("text/csv", b"1,2\n3,4", b"2.000000000000000000e+00,4.000000000000000000e+00\n"),
        ("text/csv", b"1;2\n", b"2.000000000000000000e+00,4.000000000000000000e+00\n"),
        ("text/libsvm", b"0 0:1 1:2\n1 1:4", b"2.000000000000000000e+00,4.000000000000000000e+00"),
        ("text/x-libsvm", b"0 1:2", b"nan,4.000000000000000000e+00\n"),
    ],
)
def test_xgboost_s_image_takes_rows(content_type: str, body: bytes, answer: bytes) -> None:
    answered = ask(row_model(Twice("data")), body, content_type)
    assert (answered.status, answered.content_type) == (200, "text/csv")
    assert answered.body.startswith(answer)


def test_one_prediction_for_each_row_is_one_line() -> None:
    answered = ask(row_model(Twice("data")), b"0 0:1\n0 0:2\n", "text/libsvm")
    assert answered.body == b"2.000000000000000000e+00,4.000000000000000000e+00\n"


def test_xgboost_s_image_takes_nothing_but_rows() -> None:
    answered = ask(row_model(Twice("data")), b"[1]", "application/json")
    assert (answered.status, answered.body) == (
        400,
        b'ClientError: Invalid content type. Accepted content types are "text/libsvm" and '
        b'"text/csv". Received application/json',
    )


PAIR = "def neo_preprocess(p, c): pass\ndef neo_postprocess(r): return 'this one', 'x/y'\n"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code"},
        {"SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code/", "SAGEMAKER_PROGRAM": "inference.py"},
    ],
)
def test_the_script_is_where_the_variables_say(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "inference.py").write_text(PAIR)
    script = load_script(environ, tmp_path, tmp_path)
    assert script.neo_postprocess(None) == ("this one", "x/y")


def test_a_script_that_is_not_there_or_lacks_a_function_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(Mistake, match=r"there is no entry\.py in it"):
        load_script({"SAGEMAKER_PROGRAM": "entry.py"}, tmp_path, tmp_path)
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "inference.py").write_text("def neo_preprocess(p, c): pass\n")
    with pytest.raises(Mistake, match=r"inference\.py has no neo_postprocess"):
        load_script({}, tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("engine", "package"), [(OnnxEngine, "onnxruntime"), (XgboostEngine, "xgboost")]
)
def test_an_engine_that_is_not_installed_is_named(
    tmp_path: Path,
    engine: type[OnnxEngine | XgboostEngine],
    package: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Mistake) as refused:
        engine(tmp_path)
    assert f"pip install 'sagemaker-serving[{package}]'" in str(refused.value)


def test_onnxruntime_runs_a_model_of_two_inputs(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    (tmp_path / "model.onnx").write_bytes(SUM_AND_PRODUCT)
    inputs = {"a": np.array([2, 3]), "b": np.array([5, 7])}
    model = scripted_model(OnnxEngine(tmp_path), a_script(lambda data, kind: inputs))
    assert json.loads(ask(model, b"").body) == [[7, 10], [10, 21]]


def test_xgboost_runs_a_model(tmp_path: Path) -> None:
    xgboost = pytest.importorskip("xgboost", reason="xgboost is not installed")
    rows, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    options = {"max_depth": 1, "eta": 1, "base_score": 0, "lambda": 0}
    xgboost.train(options, xgboost.DMatrix(rows, labels), num_boost_round=1).save_model(
        tmp_path / "xgboost.json"
    )
    answered = ask(row_model(XgboostEngine(tmp_path)), b"0 0:0\n0 0:3", "text/libsvm")
    assert [float(text) for text in answered.body.split(b",")] == [0.0, 1.0]


def test_two_model_files_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    for name in ("a.onnx", "b.onnx"):
        (tmp_path / name).write_bytes(SUM_AND_PRODUCT)
    with pytest.raises(
        Mistake, match=r"exactly one \.onnx file is served; found: a\.onnx, b\.onnx"
    ):
        OnnxEngine(tmp_path)
