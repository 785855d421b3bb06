"""A model's own error, as people read it."""

from __future__ import annotations

from sagemaker_serving.client.runtime_errors import model_failed


def test_a_trace_is_left_to_the_log_and_to_the_error_s_body() -> None:
    body = 'wrong shape\nTraceback (most recent call last):\n  File "inference.py", line 1'
    error = model_failed("e", 500, body, "its-log")
    assert str(error) == "the model of e answered 500: wrong shape; its log: its-log"
    assert error.body == body
