from __future__ import annotations

from typing import Any

import numpy
import pytest
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client import Aws, Predictor
from sagemaker_serving.client.joining import joined
from sagemaker_serving.client.runtime_errors import model_failed
from sagemaker_serving.errors import Failure, Mistake, ModelFailed, NotFound

BINARY = b"\x00\xff\x89PNG"


def test_bytes_come_back_as_the_model_gave_them(transport: Any) -> None:
    answer = transport.predictor(BINARY).invoke(BINARY, content_type="application/x-image")
    assert answer.body == BINARY[::-1]
    assert answer.content_type == "application/x-image"
    assert answer.variant == "blue"
    assert answer.seconds > 0


def test_what_the_model_refuses_is_told_in_its_own_words(transport: Any) -> None:
    with pytest.raises(
        ModelFailed, match=r"the model of echo answered 400: .*not a number"
    ) as told:
        transport.predictor(b"refuse").invoke(b"refuse")
    assert told.value.status == 400
    assert told.value.exit_status == 1
    assert told.value.body == '{"error": "not a number"}'


def test_an_endpoint_that_does_not_exist_is_the_callers_mistake(transport: Any) -> None:
    with pytest.raises(NotFound, match="nobody: Endpoint nobody of account 123456789012 not found"):
        transport.missing().invoke(b"{}")


def test_a_body_that_no_endpoint_takes_is_never_sent(transport: Any) -> None:
    with pytest.raises(Mistake, match=r"has 26,214,401 bytes .* takes 26,214,400 \(AWS documents"):
        transport.predictor(b"").invoke(b"x" * (REAL_TIME.most + 1))


def test_a_body_that_the_account_refuses_is_told_with_what_aws_documents() -> None:
    said = "HTTP content length exceeded 5246976 bytes."  # aws/sagemaker-python-sdk#171
    keys = {"access_key_id": "test", "secret_access_key": "test"}
    predictor = Predictor(
        "echo", Aws(region="eu-west-1", endpoint_url="http://localhost:1", **keys)
    )
    stubber = Stubber(predictor._sender.client)
    stubber.add_client_error("invoke_endpoint", "413", said, http_status_code=413)
    with stubber, pytest.raises(Mistake) as told:
        predictor.invoke(b"{}")
    assert f"echo: {said[:-1]}; {REAL_TIME.documented}; send less" in str(told.value)


def test_aws_out_of_reach_is_a_failure_of_the_world() -> None:
    nowhere = Aws(
        region="eu-west-1",
        endpoint_url="http://localhost:1",
        access_key_id="test",
        secret_access_key="test",
    )
    with pytest.raises(Failure, match="AWS does not answer"):
        Predictor("any", nowhere).invoke(b"{}")


def test_secrets_are_not_shown() -> None:
    assert "hush" not in repr(Aws(secret_access_key="hush"))


@pytest.mark.parametrize(
    ("keyword", "instead"),
    [
        ("sagemaker_session", "aws=Aws("),
        ("model_name", "model=Model(name=…)"),
        ("content_type", "predict(data, content_type=…)"),
        ("accept", "predict(data, accept=…)"),
    ],
)
def test_a_keyword_of_the_sdk_ends_in_what_to_write(keyword: str, instead: str) -> None:
    with pytest.raises(Mistake) as refused:
        Predictor("digits", **{keyword: None})  # type: ignore[arg-type]
    assert f"for {keyword} write" in str(refused.value)
    assert instead in str(refused.value)


def test_a_keyword_of_nobody_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'endpont'"):
        Predictor("digits", endpont="x")  # type: ignore[arg-type]


def test_a_trace_is_left_to_the_log_and_to_the_error_s_body() -> None:
    body = 'wrong shape\nTraceback (most recent call last):\n  File "inference.py", line 1'
    error = model_failed("e", 500, body, "its-log")
    assert str(error) == "the model of e answered 500: wrong shape; its log: its-log"
    assert error.body == body


sizes = st.lists(st.integers(1, 5), min_size=1, max_size=8)


def pieces(sizes: list[int]) -> list[list[int]]:
    """0, 1, 2 … in lists of these sizes."""
    numbers = iter(range(sum(sizes)))
    return [[next(numbers) for _ in range(size)] for size in sizes]


@given(sizes=sizes)
def test_rows_are_joined_in_their_order_whatever_they_stand_in(sizes: list[int]) -> None:
    cut, whole = pieces(sizes), list(range(sum(sizes)))
    assert joined(cut) == whole
    assert joined([{"predictions": rows} for rows in cut]) == {"predictions": whole}
    assert joined([numpy.array(rows) for rows in cut]).tolist() == whole
    columns = [{"a": rows, "b": {"c": [[row] for row in rows]}, "of": "m"} for rows in cut]
    assert joined(columns) == {"a": whole, "b": {"c": [[row] for row in whole]}, "of": "m"}


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["a", "b"], "there are 2 answers and none has rows: one is 'a'"),
        (["a", "a"], "there are 2 answers and none has rows"),
        ([{"label": "a"}, {"label": "a"}], "none has rows: one is an object with label"),
        ([{"a": [1]}, {"b": [1]}], "one is an object with a, another is an object with b"),
        ([{"a": [1]}, [1]], "one is an object with a, another is a list"),
        ([[1], {"a": [1]}], "one has a list where another has an object with a"),
        ([{"a": [1], "of": 1}, {"a": [1], "of": 2}], "one has 1 where another has 2"),
        ([{"a": [1], "of": "x" * 90}, {"a": [1], "of": [1]}], "xxx… where another has a list"),
        ([numpy.zeros((1, 2)), numpy.zeros((1, 3))], r"shapes \(1, 2\), \(1, 3\)"),
        ([numpy.zeros(1), [0.0]], "one has an array where another has a list"),
    ],
)
def test_what_differs_in_form_is_no_result(answers: Any, told: str) -> None:
    with pytest.raises(Failure, match=told):
        joined(answers)
