"""An answer has a row for each record of its request, or it is an error with both numbers."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.client import (
    AioPredictor,
    EndpointFacts,
    Limits,
    Predictor,
    TensorFlowPredictor,
)
from sagemaker_serving.client.deserializers import (
    CSVDeserializer,
    JSONDeserializer,
    NumpyDeserializer,
)
from sagemaker_serving.client.rows import counted, has_rows, rows_in
from sagemaker_serving.client.serializers import (
    CSVSerializer,
    IdentitySerializer,
    JSONLinesSerializer,
    JSONSerializer,
)
from sagemaker_serving.errors import Failure

JSON, LINES, CSV, NPY = "application/json", "application/jsonlines", "text/csv", "application/x-npy"
XGBOOST = "1.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-xgboost:1.7-1"


class Runtime:
    """AWS, whose one endpoint answers ``more`` rows than it was asked about, in some form."""

    def __init__(self, form: str, more: int = 0, *, wrong_from: int = 0) -> None:
        self.form, self.more, self.wrong_from = form, more, wrong_from
        self.asked: list[int] = []

    def client(self, service: str, **options: Any) -> Any:
        return self

    def close(self) -> None:
        pass

    def invoke_endpoint(self, **members: Any) -> dict[str, Any]:
        sent = self.rows(members["Body"], members["ContentType"])
        wrong = self.more if len(self.asked) >= self.wrong_from else 0
        self.asked.append(sent)
        body, content_type = ANSWERS[self.form](list(range(max(0, sent + wrong))))
        return {"Body": io.BytesIO(body), "ContentType": content_type}

    @staticmethod
    def rows(body: bytes, content_type: str) -> int:
        """As the test knows it: apart from the code under test."""
        if content_type == NPY:
            return len(numpy.load(io.BytesIO(body)))
        if content_type != JSON:
            return len(body.split())
        document = json.loads(body)
        if isinstance(document, dict):
            keys = ("instances", "examples", "inputs")
            document = next(document[key] for key in keys if key in document)
        return len(next(iter(document.values())) if isinstance(document, dict) else document)


def _npy(rows: list[int]) -> tuple[bytes, str]:
    file = io.BytesIO()
    numpy.save(file, numpy.array(rows, "f4"))
    return file.getvalue(), NPY


ANSWERS = {
    "list": lambda rows: (json.dumps(rows).encode(), JSON),
    "predictions": lambda rows: (json.dumps({"predictions": rows}).encode(), JSON),
    "one line": lambda rows: (json.dumps({"predictions": rows}).encode(), LINES),
    "outputs": lambda rows: (
        json.dumps({"outputs": {"a": rows, "b": [[row] for row in rows]}, "model": "m"}).encode(),
        JSON,
    ),
    "lines": lambda rows: (b"".join(json.dumps([row]).encode() + b"\n" for row in rows), LINES),
    "csv": lambda rows: (b"".join(f"{row},x\r\n".encode() for row in rows), CSV),
    "npy": _npy,
}

REQUESTS: dict[str, Any] = {
    "values": lambda n: ([float(i) for i in range(n)], {}),
    "instances": lambda n: ({"instances": [[1.0]] * n, "signature_name": "s"}, {}),
    "examples": lambda n: ({"examples": [{"x": 1.0}] * n}, {}),
    "inputs": lambda n: ({"inputs": [[1.0]] * n}, {}),
    "named inputs": lambda n: ({"inputs": {"x": [1.0] * n, "y": [[2.0]] * n, "k": 3}}, {}),
    "columns": lambda n: ({"x": numpy.zeros(n), "y": numpy.zeros((n, 2))}, {}),
    "array as json": lambda n: (numpy.zeros((n, 3)), {"encoding": "json"}),
    "array as npy": lambda n: (numpy.zeros((n, 3)), {"encoding": "npy"}),
    "array as csv": lambda n: (numpy.zeros((n, 3)), {"encoding": "csv"}),
    "array as lines": lambda n: (numpy.zeros((n, 1)), {"encoding": "jsonlines"}),
    "base64": lambda n: ([b"x"] * n, {"encoding": "base64"}),
    "a json text": lambda n: (json.dumps({"instances": [1] * n}), {}),
    "csv bytes": lambda n: (b"1\n" * n, {"content_type": CSV}),
}
SERIALIZERS: dict[str, Any] = {
    "json": (JSONSerializer(), lambda n: {"instances": [1.0] * n}),
    "json lines": (JSONLinesSerializer(), lambda n: [1.0] * n),
    "csv": (CSVSerializer(), lambda n: [[1.0]] * n),
}


def asking(runtime: Any, *arguments: Any, **options: Any) -> Predictor:
    return Predictor("e", runtime, *arguments, **{"facts": EndpointFacts(), **options})


counts = st.integers(1, 9)
others = st.integers(-9, 9)
forms = st.sampled_from(sorted(ANSWERS))


def total(answer: Any) -> int:
    """The rows of a result, which agree."""
    (count,) = set(dict(counted(answer)).values())
    return count


def told(more: int, rows: int) -> str:
    """Both numbers."""
    wrong = max(0, rows + more)
    return rf"{wrong} rows? .*for {rows} record"


@given(
    request=st.sampled_from(sorted(REQUESTS)),
    form=forms,
    rows=counts,
    more=others,
    most=st.integers(1, 9),
)
def test_what_predict_returns_has_a_row_for_each_record(
    request: str, form: str, rows: int, more: int, most: int
) -> None:
    data, options = REQUESTS[request](rows)
    runtime = Runtime(form, more)
    with asking(runtime, limits=Limits(concurrency=1, records_per_request=most)) as predictor:
        if more == 0:
            assert total(predictor.predict(data, **options)) == rows
            assert sum(runtime.asked) == rows
            return
        with pytest.raises(Failure, match=told(more, runtime_rows(rows, request, most))):
            predictor.predict(data, **options)


def runtime_rows(rows: int, request: str, most: int) -> int:
    """How many the first request has: documents and bodies are never split."""
    whole = request in ("inputs", "named inputs", "a json text", "csv bytes")
    return rows if whole else min(rows, most)


@given(rows=st.integers(4, 30), wrong_from=st.integers(1, 3), more=st.sampled_from([-1, 1]))
def test_the_first_request_that_is_answered_wrongly_ends_the_batch_and_is_named(
    rows: int, wrong_from: int, more: int
) -> None:
    runtime = Runtime("predictions", more, wrong_from=wrong_from)
    with (
        asking(runtime, limits=Limits(concurrency=1, records_per_request=1)) as predictor,
        pytest.raises(Failure, match=rf"record {wrong_from} of {rows}: the answer has"),
    ):
        predictor.predict(list(range(rows)))
    assert len(runtime.asked) <= wrong_from + 3


@given(
    serializer=st.sampled_from(sorted(SERIALIZERS)),
    rows=counts,
    more=others,
    kind=st.sampled_from([Predictor, TensorFlowPredictor]),
)
def test_with_the_sdks_serializers_too(serializer: str, rows: int, more: int, kind: Any) -> None:
    writes, data = SERIALIZERS[serializer]
    predictor = kind("e", Runtime("predictions", more), writes, JSONDeserializer())
    if more == 0:
        assert total(predictor.predict(data(rows))) == rows
    else:
        with pytest.raises(Failure, match=told(more, rows)):
            predictor.predict(data(rows))


def test_awaited_and_from_files_too(tmp_path: Path) -> None:
    runtime = Runtime("predictions", 1)
    with asking(runtime) as predictor:
        for name, content in (("a.csv", b"1\n2\n"), ("a.jsonl", b"[1]\n[2]\n")):
            path = tmp_path / name
            path.write_bytes(content)
            with pytest.raises(Failure, match=told(1, 2)):
                predictor.predict(path)
        numpy.save(tmp_path / "a.npy", numpy.zeros((2, 3)))
        with pytest.raises(Failure, match=told(1, 2)):
            predictor.predict(tmp_path / "a.npy")
        document = tmp_path / "a.json"
        document.write_text('{"instances": [1, 2]}')
        with pytest.raises(Failure, match=told(1, 2)):
            predictor.predict(document)
        with pytest.raises(Failure, match=told(1, 2)):
            asyncio.run(AioPredictor(predictor).predict([1, 2]))


class Saying(Runtime):
    """Answers one thing, whatever it is asked."""

    def __init__(self, body: Any, content_type: str = JSON) -> None:
        super().__init__("list")
        self.body, self.content_type = body, content_type

    def invoke_endpoint(self, **members: Any) -> dict[str, Any]:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return {"Body": io.BytesIO(body), "ContentType": self.content_type}


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (5.5, "no rows, only one value, for 3 records"),
        ({"label": "cat"}, "no rows, only one value, for 3 records"),
        ({"outputs": {"a": [1, 2, 3], "b": [1, 2]}}, "2 rows in 'outputs.b' for 3 records"),
        ({"predictions": [1, 2, 3], "names": ["a"]}, "1 row in 'names' for 3 records"),
        ([[1, 2, 3]], "1 row for 3 records"),
        ([], "0 rows for 3 records"),
        ({}, "no rows, only one value, for 3 records"),
    ],
)
def test_one_thing_for_several_records_is_no_answer(answer: Any, named: str) -> None:
    for most in (None, 3):
        with (
            asking(Saying(answer), limits=Limits(records_per_request=most)) as predictor,
            pytest.raises(Failure, match=named),
        ):
            predictor.predict([1, 2, 3])


@pytest.mark.parametrize("answer", [5.5, "cat", {"label": "cat"}, None, True])
def test_one_record_may_get_one_value_but_never_several_records_the_same_one(answer: Any) -> None:
    with asking(Saying(answer), limits=Limits(records_per_request=1)) as predictor:
        assert predictor.predict([1]) == answer
        with pytest.raises(Failure, match="there are 2 answers and none has rows"):
            predictor.predict([1, 2])


@pytest.mark.parametrize("data", [{"prompt": "x"}, 5, "[1, 2, 3]", b"\x00", {"inputs": {"a": 1}}])
def test_where_the_request_does_not_say_its_rows_nothing_is_claimed(data: Any) -> None:
    with asking(Saying([1, 2])) as predictor:
        assert predictor.predict(data) == [1, 2]
        assert predictor.invoke(b'{"instances": [1]}').json() == [1, 2]
    own = IdentitySerializer()
    with asking(Saying([1, 2]), own, JSONDeserializer()) as predictor:
        assert predictor.predict(b'{"instances": [1]}') == [1, 2]


def test_what_nobody_can_read_is_handed_on_uncounted() -> None:
    with asking(Saying(b"\x00", "image/png")) as predictor:
        assert predictor.predict([1, 2]) == b"\x00"

    class Anything:
        ACCEPT = ("application/json",)

        def deserialize(self, stream: Any, content_type: str) -> Any:
            return stream.read()

    with asking(Saying(b"no json"), None, Anything()) as predictor:
        assert predictor.predict([1, 2]) == b"no json"


def test_xgboosts_one_line_is_a_row_for_each_record() -> None:
    facts = EndpointFacts(variants=("a",), images={"a": XGBOOST})
    line = Saying(b"0.5,0.25,1", CSV)
    with asking(line, facts=facts, limits=Limits(records_per_request=3)) as predictor:
        assert predictor.predict([[1], [2], [3]]) == [["0.5"], ["0.25"], ["1"]]
        assert predictor.predict([[1]] * 6) == [["0.5"], ["0.25"], ["1"]] * 2
    with asking(line) as predictor, pytest.raises(Failure, match="1 row for 3 records"):
        predictor.predict([[1], [2], [3]])


def test_what_a_deserializer_makes_of_several_answers_is_counted_too() -> None:
    facts = EndpointFacts(variants=("a",), images={"a": XGBOOST})
    line = Saying(b"0.5,0.25,1", CSV)
    three = Limits(records_per_request=3)
    with asking(line, None, CSVDeserializer(), facts=facts, limits=three) as predictor:
        assert predictor.predict([[1]] * 3) == [["0.5", "0.25", "1"]]
        with pytest.raises(Failure, match="2 rows for 6 records"):
            predictor.predict([[1]] * 6)
    two = Limits(records_per_request=2)
    with asking(Runtime("npy"), None, NumpyDeserializer(), facts=facts, limits=two) as predictor:
        assert predictor.predict([[1]] * 5).tolist() == [0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("body", "content_type", "rows"),
    [
        (b'{"instances": [1, 2]}', "application/json; charset=utf-8", 2),
        (b'{"inputs": {"x": [1, 2], "y": [1]}}', JSON, None),
        (b'{"inputs": {"b64": "AA=="}}', JSON, None),
        (b'{"inputs": [{"name": "x", "datatype": "FP32", "data": [1]}]}', JSON, None),
        (b'{"instances": 5}', JSON, None),
        (b"[1, 2, 3]", JSON, None),
        (b"{", JSON, None),
        (b"[" * 100_000, JSON, None),
        (b"1\n\n2\n", LINES, 2),
        (b'"a\nb",1\r\n2,3\r\n\r\n', CSV, 2),
        (b"a,b\n1,2\n", "text/csv; header=present", None),
        (b"\xff\n", CSV, None),
        (b"\x00\x01", "application/octet-stream", None),
    ],
)
def test_rows_are_counted_where_the_body_says_them(
    body: bytes, content_type: str, rows: int | None
) -> None:
    assert rows_in(body, content_type) == rows


@given(answer=st.recursive(st.none() | st.integers() | st.text(), st.lists))
def test_rows_are_lists(answer: Any) -> None:
    assert has_rows(answer) == isinstance(answer, list)
