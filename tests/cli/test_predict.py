"""``predict`` as a shell runs it, against a runtime on loopback that tells what it was asked."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest
from jsonschema import Draft202012Validator

from local_aws.protocol.event_stream import event, exception
from sagemaker_serving.cli.answers import Answers
from sagemaker_serving.cli.predict import _of_a_list
from sagemaker_serving.cli.schema import OUTPUT
from sagemaker_serving.client import Prediction
from sagemaker_serving.client.runtime_errors import model_failed
from tests.cli.conftest import Run
from tests.client.fake_runtime import Answer, Asked, FakeRuntime, fake_runtime, refusal

PNG = b"\x89PNG\r\n\x1a\n"


def answer(asked: Asked) -> Answer:
    if asked.path == "/":
        return refusal("AccessDeniedException", 400)
    if asked.path.endswith("stream"):
        parts = event("PayloadPart", b"one, ") + event("PayloadPart", b"two")
        if asked.body == b"broken":
            parts += exception("ModelStreamError", {"Message": "it went away"})
        return Answer(body=parts, content_type="application/vnd.amazon.eventstream")
    if b"refuse" in asked.body:
        return refusal("ModelError", 424, OriginalStatusCode=400, OriginalMessage="not a number")
    if asked.headers["Content-Type"] == "text/csv":
        rows = [float(line) * 2 for line in asked.body.split()]
        return Answer(body=json.dumps({"predictions": rows}).encode())
    return Answer(
        body=asked.headers["Content-Type"].encode() + b" " + asked.body,
        content_type="text/plain",
        headers={"x-Amzn-Invoked-Production-Variant": "blue"},
    )


def busy(asked: Asked) -> Answer:
    """TensorFlow Serving's queue is full, once."""
    if asked.path == "/" or asked.body in BUSY:
        return answer(asked)
    BUSY.append(asked.body)
    full = "The batch scheduling queue to which this task was submitted is full; currently 1"
    return refusal("ModelError", 424, OriginalStatusCode=503, OriginalMessage=full)


BUSY: list[bytes] = []


@pytest.fixture(scope="module")
def runtime() -> Iterator[FakeRuntime]:
    with fake_runtime(answer) as runtime:
        yield runtime


def shell(runtime: FakeRuntime) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": runtime.url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "eu-west-1",
    }


def test_attempts_that_were_refused_are_counted(run: Run) -> None:
    with fake_runtime(busy) as runtime:
        ended = run("predict", "e", "{}", "-v", **shell(runtime))
    assert (ended.returncode, ended.stdout) == (0, "application/json {}")
    assert "\n1 attempt met a model that was busy or not ready" in ended.stderr


def test_a_body_and_its_answer_are_byte_for_byte(
    run: Run, runtime: FakeRuntime, tmp_path: Path
) -> None:
    ended = run("predict", "e", "{}", "--variant=blue", "-v", **shell(runtime))
    assert (ended.returncode, ended.stdout) == (0, "application/json {}")
    assert ended.stderr.startswith("text/plain from variant blue in ")
    assert runtime.asked[-1].headers["X-Amzn-SageMaker-Target-Variant"] == "blue"
    assert "Accept" not in runtime.asked[-1].headers
    piped = run("predict", "e", stdin="[1]", **shell(runtime))
    assert (piped.returncode, piped.stdout) == (0, "application/json [1]")
    lines = tmp_path / "odd.jsonl"
    lines.write_bytes(b"[1]\r\n\n[2]\n")
    ended = run("predict", "e", "--file=odd.jsonl", "-o", "answer", **shell(runtime))
    answered = (tmp_path / "answer").read_bytes()
    assert answered == b"application/jsonlines " + lines.read_bytes()


def test_a_body_may_be_a_file_and_its_suffix_says_its_type(
    run: Run, runtime: FakeRuntime, tmp_path: Path
) -> None:
    for name, content_type in {
        "seven.png": "application/x-image",
        "rows.jsonl": "application/jsonlines",
        "array.npy": "application/x-npy",
    }.items():
        (tmp_path / name).write_text("1,2")
        ended = run("predict", "e", name, **shell(runtime))
        assert (ended.returncode, ended.stdout) == (0, f"{content_type} 1,2"), ended.stderr
    ended = run("predict", "e", "seven.png", "rows.jsonl", **shell(runtime))
    assert ended.stdout.splitlines() == ["application/x-image 1,2", "application/jsonlines 1,2"]
    ended = run("predict", "e", "-", stdin="[1]", **shell(runtime))
    assert (ended.returncode, ended.stdout) == (0, "application/json [1]")


def test_an_array_goes_as_the_model_takes_it_where_it_is_said_to_be_one(
    run: Run, runtime: FakeRuntime, tmp_path: Path
) -> None:
    numpy.save(tmp_path / "array.npy", numpy.array([1.0, 2.0]))
    told = run("predict", "e", "array.npy", "--input-format", "npy", **shell(runtime))
    assert told.stdout == 'application/json {"instances":[1.0,2.0]}', told.stderr
    (tmp_path / "bad.npy").write_text("refuse")
    refused = run("predict", "e", "bad.npy", **shell(runtime))
    assert "; --input-format npy writes an array as the model takes it" in refused.stderr


@pytest.mark.parametrize(
    ("bodies", "said"),
    [
        (("seven.png",), "there is no file seven.png"),
        (("{}", "[]"), "there is no file {}"),
        (("-", "rows.csv"), "- is standard input, one body; name it alone"),
    ],
)
def test_a_file_that_is_not_there_is_not_sent_as_text(
    run: Run, tmp_path: Path, bodies: tuple[str, ...], said: str
) -> None:
    (tmp_path / "rows.csv").write_text("1,2")
    ended = run("predict", "e", *bodies)
    assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr


def test_several_files_are_answered_in_their_order(
    run: Run, runtime: FakeRuntime, tmp_path: Path
) -> None:
    names = [f"{n}.png" for n in range(12)]
    for name in names:
        (tmp_path / name).write_text(name)
    files = [f"--file={name}" for name in names]
    ended = run("predict", "e", *files, "-v", **shell(runtime))
    assert ended.stdout.splitlines() == [f"application/x-image {name}" for name in names]
    assert "12 records in 12 requests" in ended.stderr
    ended = run("predict", "e", *files, "-o", "answers", **shell(runtime))
    assert (ended.returncode, ended.stdout) == (0, "")
    written = {path.name: path.read_text() for path in (tmp_path / "answers").iterdir()}
    assert written == {f"{name}.out": f"application/x-image {name}" for name in names}


def test_programs_get_answers_with_who_gave_them(
    run: Run, runtime: FakeRuntime, tmp_path: Path
) -> None:
    (tmp_path / "a.csv").write_text("1\n2")
    (tmp_path / "b.png").write_bytes(PNG)
    answered = run("predict", "e", "a.csv", "b.png", "--json", **shell(runtime))
    rows, picture = json.loads(answered.stdout)
    assert (rows["file"], rows["body"]) == ("a.csv", {"predictions": [2.0, 4.0]})
    assert (picture["variant"], picture["content_type"]) == ("blue", "text/plain")
    assert base64.b64decode(picture["base64"]) == b"application/x-image " + PNG
    (alone,) = json.loads(run("predict", "e", "{}", "--json", **shell(runtime)).stdout)
    assert (alone["file"], alone["body"]) == (None, "application/json {}")
    for kind, printed in (("answer", rows), ("answer", picture), ("answers", [alone])):
        Draft202012Validator({**OUTPUT, "anyOf": [{"$ref": f"#/$defs/{kind}"}]}).validate(printed)


def test_records_on_standard_input_are_one_answer(
    run: Run, runtime: FakeRuntime, tmp_path: Path
) -> None:
    rows = "\n".join(str(n) for n in range(1000))
    options = ("--input-format=csv", "-o", "answer.json")
    ended = run("predict", "e", *options, stdin=rows, **shell(runtime))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    told = json.loads((tmp_path / "answer.json").read_text())
    assert told == {"predictions": [n * 2.0 for n in range(1000)]}


def test_a_streamed_answer_is_printed(run: Run, runtime: FakeRuntime) -> None:
    assert run("predict", "e", "{}", "--stream", **shell(runtime)).stdout == "one, two"


def test_a_stream_that_breaks_off_ends_with_1_after_what_came(
    run: Run, runtime: FakeRuntime
) -> None:
    ended = run("predict", "e", "broken", "--stream", **shell(runtime))
    assert (ended.returncode, ended.stdout) == (1, "one, two")
    assert ended.stderr.splitlines() == [
        "sagemaker-serving: the model of e failed: ModelStreamError: it went away; the 8 bytes "
        "that were handed on are not all of it: drop them, and ask again"
    ]


def test_what_the_model_refuses_ends_with_1(run: Run, runtime: FakeRuntime) -> None:
    ended = run("predict", "e", "refuse", **shell(runtime))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[0].endswith("the model of e answered 400: not a number")


def test_an_empty_standard_input_is_no_request(run: Run, runtime: FakeRuntime) -> None:
    ended = run("predict", "e", **shell(runtime))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "standard input is empty" in ended.stderr


def test_of_a_bare_list_it_is_said_what_a_handler_is_given(run: Run, runtime: FakeRuntime) -> None:
    ended = run("predict", "e", '["refuse"]', **shell(runtime))
    assert ended.stderr.splitlines()[0].endswith(
        "answered 400: not a number; a bare list was sent (10 bytes); a handler, if there is one, "
        'is given it as it is, where TensorFlow wants {"instances": ["refuse"]}'
    )


@pytest.mark.parametrize(
    ("repository", "text", "said"),
    [
        (
            "sagemaker-scikit-learn:1.4-2",
            "[1, 2]",
            "sent (6 bytes); one row of numbers is [[1, 2]]",
        ),
        ("sagemaker-scikit-learn:1.4-2", "[[1, 2]]", ""),
        ("sagemaker-xgboost:3.2-0", "[1, 2]", "the XGBoost image takes text/csv: --content-type"),
        ("tensorflow-inference:2.20-cpu", "[1, 2]", 'TensorFlow wants {"instances": [1, 2]}'),
    ],
)
def test_what_a_list_should_have_been_depends_on_the_image(
    repository: str, text: str, said: str
) -> None:
    told = _of_a_list(text, f"1.dkr.ecr.eu-west-1.amazonaws.com/{repository}")
    assert said in told
    assert bool(told) == bool(said)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("1", "--file=x"), "give BODY or --file, not both"),
        (("--file=x", "--file=y", "--input-format=csv"), "takes one file of records"),
        (("1", "--stream", "--input-format=csv"), "--stream takes one body"),
        (("1", "--json", "--stream"), "leave out --stream, -o and --input-format"),
    ],
)
def test_options_that_do_not_go_together_are_named(
    run: Run, options: tuple[str, ...], said: str
) -> None:
    ended = run("predict", "e", *options)
    assert ended.returncode == 2
    assert said in ended.stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()], ids=["terminal", "pipe"])
def test_progress_is_shown_on_a_terminal_only(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with Answers(None, several=True, verbose=False) as answers, answers.progress(3):
        for first in range(3):
            answers.count(
                Prediction(body=b"", content_type="", variant="", seconds=0.1, first=first)
            )
    assert ("3/3" in stream.getvalue()) == stream.isatty()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": "{\\"error\\": \\"no list\\"}"}', "no list"),
        ('{"error": "no list", "line": 3}', '{"error": "no list", "line": 3}'),
        ("no JSON", "no JSON"),
    ],
)
def test_a_models_error_is_told_without_the_json_around_it(body: str, said: str) -> None:
    error = model_failed("e", 400, body, None)
    assert (str(error), error.body) == (f"the model of e answered 400: {said}", body)
