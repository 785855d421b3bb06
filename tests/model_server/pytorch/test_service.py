"""Requests through the user's functions: which are called, with what, and what comes of it."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.pytorch.service import PyTorchModel
from sagemaker_serving.model_server.toolkit.service import Request
from tests.model_server.pytorch.scripts import CSV, JSON, NPY, ask, loaded

FOUR = """
import json

def model_fn(model_dir):
    return "model of " + model_dir.rpartition("/")[2]

def input_fn(input_data, content_type):
    return [type(input_data).__name__, bytes(str(input_data), "utf-8").decode(), content_type]

def predict_fn(data, model):
    return [*data, model]

def output_fn(prediction, accept):
    return json.dumps([*prediction, accept])
"""


@pytest.mark.parametrize(
    ("content_type", "body", "accept", "type_name", "seen", "accepted"),
    [
        (JSON, b"[1]", None, "str", "[1]", JSON),
        (JSON, b"[1]", "*/*", "str", "[1]", JSON),
        (JSON, b"", "", "str", "", JSON),
        (CSV, "\N{LATIN SMALL LETTER E WITH ACUTE}".encode(), CSV, "str", "é", CSV),
        (NPY, b"x", "a/b, c/d", "bytearray", "bytearray(b'x')", "a/b, c/d"),
        ("x/y", b"\xff", JSON, "bytearray", "bytearray(b'\\xff')", JSON),
        ("application/json; charset=utf-8", b"1", JSON, "bytearray", "bytearray(b'1')", JSON),
        (None, b"1", JSON, "bytearray", "bytearray(b'1')", JSON),
    ],
)
def test_the_functions_are_given_what_the_image_gives_them(
    tmp_path: Path,
    content_type: str | None,
    body: bytes,
    accept: str | None,
    type_name: str,
    seen: str,
    accepted: str,
) -> None:
    model = loaded(tmp_path, FOUR)
    answer = ask(model, body, content_type, accept)
    assert (answer.status, answer.content_type) == (200, accepted)
    expected = [type_name, seen, content_type, f"model of {tmp_path.name}", accepted]
    assert json.loads(answer.body) == expected


def test_the_default_accept_is_a_variable(tmp_path: Path) -> None:
    model = loaded(tmp_path, FOUR, SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT=CSV)
    assert ask(model).content_type == CSV
    assert ask(model, accept=NPY).content_type == NPY


def returning(expression: str) -> str:
    return f"""
import decimal
def model_fn(model_dir): return None
def transform_fn(model, input_data, content_type, accept): return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "status", "content_type", "body"),
    [
        ("'text'", 200, "y/z", b"text"),
        ("b'\\xff'", 200, "y/z", b"\xff"),
        ("bytearray(b'ba')", 200, "y/z", b"ba"),
        ("5", 200, "y/z", b"5"),
        ("1.5", 200, "y/z", b"1.5"),
        ("None", 200, "y/z", b"null"),
        ("[1, 2]", 200, "y/z", b"[\n  1,\n  2\n]"),
        ("{'a': 1}", 200, "y/z", b'{\n  "a": 1\n}'),
        ("(b'a', 'x/y')", 200, "x/y", b"a"),
        ("(b'a', 'x/y', 1)", 200, "x/y", b"a"),
        ("(None, 'x/y')", 200, "x/y", b"null"),
        (
            "decimal.Decimal(1)",
            503,
            "application/json",
            b'{\n  "code": 503,\n  "type": "InternalServerException",\n'
            b'  "message": "Unsupported model output data type."\n}\n',
        ),
    ],
)
def test_what_a_function_returns_becomes_the_answer(
    tmp_path: Path, expression: str, status: int, content_type: str, body: bytes
) -> None:
    answer = ask(loaded(tmp_path, returning(expression)), accept="y/z")
    assert (answer.status, answer.content_type, answer.body) == (status, content_type, body)


FAILING = {
    "raise ValueError('no\\nway')": (500, "no\nway"),
    "raise ValueError": (500, "Invalid Request"),
    "return 1 / 0": (500, "division by zero"),
    "raise Own('own words')": (500, "own words"),
}


@pytest.mark.parametrize("statement", FAILING)
@pytest.mark.parametrize("where", ["input_fn", "predict_fn", "output_fn", "transform_fn"])
def test_an_exception_is_its_message_and_its_trace(
    tmp_path: Path, statement: str, where: str
) -> None:
    arguments = {"transform_fn": "model, data, content_type, accept"}.get(where, "a, b")
    script = f"""
class Own(Exception):
    status_code, message = 422, "own message"
def model_fn(model_dir): return None
def {where}({arguments}): {statement}
"""
    if where != "transform_fn":
        others = {"input_fn", "predict_fn", "output_fn"} - {where}
        script += "".join(f"def {name}(a, b): return 0\n" for name in others)
    status, message = FAILING[statement]
    answer = ask(loaded(tmp_path, script))
    assert (answer.status, answer.content_type) == (status, None)
    assert answer.body.decode().startswith(f"{message}\nTraceback (most recent call last):\n")
    assert where in answer.body.decode()


def test_only_the_toolkit_s_own_exception_says_its_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = ModuleType("sagemaker_inference.errors")
    exec("class BaseInferenceToolkitError(Exception): pass", errors.__dict__)
    monkeypatch.setitem(sys.modules, "sagemaker_inference", ModuleType("sagemaker_inference"))
    monkeypatch.setitem(sys.modules, "sagemaker_inference.errors", errors)
    script = """
from sagemaker_inference.errors import BaseInferenceToolkitError
class Own(BaseInferenceToolkitError):
    status_code, message = 422, "own message"
def model_fn(model_dir): return None
def transform_fn(model, data, content_type, accept): raise Own
"""
    answer = ask(loaded(tmp_path, script))
    assert answer.status == 422
    assert answer.body.startswith(b"own message\nTraceback")


ECHO = """
import json
def model_fn(model_dir): return None
def transform_fn(model, data, content_type, accept):
    return json.dumps([type(data).__name__, data and data[:], content_type, accept], default=str)
"""


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        *(("Content-Type", True), ("content-type", True), ("Content-type", True)),
        *(("ContentType", True), ("contenttype", True), ("Content-Type-Of-Mine", True)),
        *(("CONTENT-TYPE", False), ("CONTENT-Type", False), ("cOntent-Type", False)),
    ],
)
def test_which_spellings_of_the_content_type_count(tmp_path: Path, name: str, counts: bool) -> None:
    model = loaded(tmp_path, ECHO)
    answer = json.loads(model.answer(Request(headers={name: CSV}, body=b"1")).body)
    assert (answer[0], answer[2]) == (("str", CSV) if counts else ("bytearray", None))


@pytest.mark.parametrize(
    ("name", "counts"), [("Accept", True), ("accept", True), ("ACCEPT", False), ("aCCept", False)]
)
def test_which_spellings_of_accept_count(tmp_path: Path, name: str, counts: bool) -> None:
    answer = loaded(tmp_path, ECHO).answer(Request(headers={name: "a/b"}, body=b"1"))
    assert answer.content_type == ("a/b" if counts else JSON)


MULTIPART = b'--B\r\nContent-Disposition: form-data; name="%s"\r\n\r\nhello\r\n--B--\r\n'


@pytest.mark.parametrize(
    ("content_type", "body", "seen"),
    [
        ("application/x-www-form-urlencoded", b"a=1&body=z%20z", "bytearray(b'z z')"),
        ("application/x-www-form-urlencoded; charset=utf-8", b"body=q", "bytearray(b'q')"),
        ("application/x-www-form-urlencoded", b"a=1", None),
        ("multipart/form-data; boundary=B", MULTIPART % b"body", "bytearray(b'hello')"),
        ("multipart/form-data; boundary=B", MULTIPART % b"other", None),
        ("x/form", b"body=q", "bytearray(b'body=q')"),
    ],
)
def test_of_a_form_a_function_gets_the_field_body(
    tmp_path: Path, content_type: str, body: bytes, seen: str | None
) -> None:
    answer = json.loads(ask(loaded(tmp_path, ECHO), body, content_type).body)
    assert answer[1] == seen


def test_text_that_is_no_utf_8_is_an_error_of_the_server(tmp_path: Path) -> None:
    answer = ask(loaded(tmp_path, FOUR), b"\xff\xfe")
    assert answer.status == 500
    assert answer.body.startswith(b"'utf-8' codec can't decode byte 0xff in position 0")


def test_the_default_output_fn_needs_no_torch(tmp_path: Path) -> None:
    script = """
def model_fn(model_dir): return 2
def input_fn(data, content_type): return float(data)
def predict_fn(data, model): return [data * model]
"""
    model = loaded(tmp_path, script)
    assert ask(model, b"21").body == b"[42.0]"
    assert ask(model, b"21", accept=CSV).body == b"42.0\n"
    assert ask(model, b"21", accept="x/y").status == 500


PARAMETERS = {
    "model_fn": "model_dir",
    "input_fn": "data, content_type",
    "predict_fn": "data, model",
    "output_fn": "prediction, accept",
}


@pytest.mark.parametrize("chosen", PARAMETERS)
def test_every_function_may_take_the_context(tmp_path: Path, chosen: str) -> None:
    script = "seen = []\n"
    for name, parameters in PARAMETERS.items():
        more = ", context" if name == chosen else ""
        kept = "seen.append(context.system_properties['model_dir'])" if more else "pass"
        script += f"def {name}({parameters}{more}): {kept}; return ','.join(seen)\n"
    assert ask(loaded(tmp_path, script)).body.decode() == str(tmp_path)


def test_the_context_has_the_headers_as_they_were_sent(tmp_path: Path) -> None:
    script = """
def model_fn(model_dir): return None
def transform_fn(model, data, content_type, accept, context):
    own = context.get_request_header(0, "X-Amzn-SageMaker-Custom-Attributes")
    lower = context.get_request_header(0, "x-amzn-sagemaker-custom-attributes")
    context.set_response_status(207, "partly")
    return [own, lower, context.request_processor[0].get_request_properties()["Content-Type"]]
"""
    model = loaded(tmp_path, script)
    answer = ask(model, attributes="a=b")
    assert (answer.status, json.loads(answer.body)) == (207, ["a=b", None, JSON])


@pytest.mark.parametrize(
    ("parameters", "count"), [("model", 1), ("a, b, c", 3), ("a, b, c, d, e, f", 6)]
)
def test_a_function_of_another_number_of_parameters_is_an_error(
    tmp_path: Path, parameters: str, count: int
) -> None:
    script = f"def model_fn(model_dir): return None\ndef transform_fn({parameters}): return 1\n"
    answer = ask(loaded(tmp_path, script))
    assert answer.status == 500
    assert answer.body.decode().startswith(
        f"transform_fn takes {count} arguments but 4 were given."
    )


def test_the_model_is_loaded_once_with_what_stands_before_and_behind_it(tmp_path: Path) -> None:
    script = """
calls = []
def pre_model_fn(model_dir): calls.append("pre")
def model_fn(model_dir): calls.append("model"); return calls
def model_warmup_fn(model_dir, model): calls.append("warm" if model is calls else "wrong")
def transform_fn(model, data, content_type, accept): return model
"""
    model = loaded(tmp_path, script)
    assert json.loads(ask(model).body) == json.loads(ask(model).body) == ["pre", "model", "warm"]


def test_transform_fn_beside_one_of_its_steps_is_refused_at_the_start(tmp_path: Path) -> None:
    script = "def model_fn(d): pass\ndef transform_fn(m, d, c, a): pass\ndef input_fn(d, c): pass\n"
    with pytest.raises(ValueError, match="Cannot use transform_fn implementation in conjunction"):
        loaded(tmp_path, script)


@pytest.mark.skipif(importlib.util.find_spec("torch") is not None, reason="torch is installed")
@pytest.mark.parametrize(
    ("script", "missed"),
    [
        ("", "model_fn, input_fn, predict_fn"),
        ("def model_fn(model_dir): pass\n", "input_fn, predict_fn"),
        ("def transform_fn(m, d, c, a): pass\n", "model_fn"),
    ],
)
def test_a_default_that_needs_torch_says_so_before_it_is_missed(
    tmp_path: Path, script: str, missed: str
) -> None:
    with pytest.raises(Mistake) as refused:
        loaded(tmp_path, script)
    assert str(refused.value) == (
        f"the PyTorch image's own {missed} would be used, with torch, which is not installed here; "
        f"pip install 'sagemaker-serving[torch]', or write {missed} in code/inference.py"
    )


@pytest.fixture(scope="module")
def decoding(tmp_path_factory: pytest.TempPathFactory) -> PyTorchModel:
    """A model that decodes as the default does, without a tensor, and returns what it got."""
    script = """
from sagemaker_serving.model_server.pytorch.codecs import decode
def model_fn(model_dir): return None
def input_fn(data, content_type): return decode(data, content_type)
def predict_fn(data, model): return data
"""
    return loaded(tmp_path_factory.mktemp("decoding"), script)


@pytest.mark.filterwarnings("ignore:genfromtxt")
@given(
    body=st.binary(max_size=60) | st.text(max_size=40).map(str.encode),
    content_type=st.sampled_from([JSON, CSV, NPY, "application/x-npz", "x/y", None]),
    accept=st.sampled_from([JSON, CSV, NPY, "x/y", "", None]) | st.text(max_size=20),
)
def test_whatever_is_sent_is_answered(
    decoding: PyTorchModel, body: bytes, content_type: str | None, accept: str | None
) -> None:
    assert ask(decoding, body, content_type, accept).status in (200, 500, 503)
