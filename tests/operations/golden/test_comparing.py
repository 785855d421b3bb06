"""What counts as the same answer."""

from __future__ import annotations

import pytest

from sagemaker_serving.operations.golden import Answer, differences


def found(before: str | bytes, after: str | bytes, tolerance: float = 1e-5) -> list[str]:
    bodies = (body.encode() if isinstance(body, str) else body for body in (before, after))
    expected, came = (Answer(status=200, body=body) for body in bodies)
    return differences(expected, came, tolerance)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"predictions": [3.5]}', '{\n    "predictions": [3.5\n    ]\n}'),
        ('{"a": 1, "b": 2}', '{"b": 2.0, "a": 1.000001}'),
        ("[100000.0]", "[100000.9]"),
        ("[NaN, Infinity, -Infinity]", "[NaN, Infinity, -Infinity]"),
        ('{"x": 1}\n{"x": 2}', '{"x": 1.0}\n\n{"x": 2.0}\n'),
        ("1.5,a\n2,b", "1.500001,a\n2.0,b\n"),
        ("just words", "just words"),
        ("", ""),
        (b"\xff\x00", b"\xff\x00"),
    ],
)
def test_the_same_answer_in_another_form_is_the_same(
    before: str | bytes, after: str | bytes
) -> None:
    assert found(before, after) == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('{"predictions": [[1.0, 2.0]]}', '{"predictions": [[1.0, 2.1]]}',
         ["predictions[0][1]: expected 2.0, got 2.1"]),
        ("[1, 2]", "[1]", ["body: expected 2 items, got 1"]),
        ('{"a": 1}', '{"b": 1}', ["a: it is not there", "b: got 1, which is not expected"]),
        ("[0.00001]", "[0.00003]", ["[0]: expected 1e-05, got 3e-05"]),
        ("[NaN]", "[1.0]", ["[0]: expected NaN, got 1.0"]),
        ("[Infinity]", "[-Infinity]", ["[0]: expected Infinity, got -Infinity"]),
        ("[Infinity]", "[1e308]", ["[0]: expected Infinity, got 1e+308"]),
        ("[1.0]", f"[{10**400}]", [f"[0]: expected 1.0, got {10**400}"]),
        ("[true]", "[1]", ["[0]: expected true, got 1"]),
        ('["1"]', "[1]", ['[0]: expected "1", got 1']),
        ("[null]", "[0]", ["[0]: expected null, got 0"]),
        ("1.5,a", "1.6,a", ["body[0][0]: expected 1.5, got 1.6"]),
        ("1,a\n2,b", "1,a\n2,c", ['body[1][1]: expected "b", got "c"']),
        ("a", "b", ['body: expected "a", got "b"']),
        ("a b", "a,b", ['body: expected "a b", got "a,b"']),
        ("a b", "a b c", ['body: expected "a b", got "a b c"']),
        ("words", "[1]", ['body: expected "words", got [1]']),
        (b"\xff\x01\x02", b"\xff\x01\x03\x04",
         ["body: expected 3 bytes, got 4; they differ from byte 2 on"]),
        (b"\xff", "[1]", ["body: expected 1 bytes, got 3; they differ from byte 0 on"]),
        (f'["{"x" * 100}"]', '["x"]', [f'[0]: expected "{"x" * 100}", got "x"']),
    ],
)  # fmt: skip
def test_another_answer_is_told_with_its_place(
    before: str | bytes, after: str | bytes, said: list[str]
) -> None:
    assert found(before, after, 1e-6) == said


def test_the_worst_comes_first_by_what_the_tolerance_counts() -> None:
    said = found('{"a": [1000.0, 1.0, 1.0], "b": 1}', '{"a": [1001.0, 1.5, 9.0]}')
    assert [one.partition(":")[0] for one in said] == ["b", "a[2]", "a[1]", "a[0]"]


def test_the_status_counts() -> None:
    expected, came = Answer(status=200, body=b""), Answer(status=400, body=b"")
    assert differences(expected, came) == ["status: expected 200, got 400"]


@pytest.mark.parametrize(("tolerance", "same"), [(0.0, False), (0.05, False), (0.2, True)])
def test_the_tolerance_is_the_caller_s(tolerance: float, same: bool) -> None:
    assert (found("[1.0]", "[1.1]", tolerance) == []) is same
