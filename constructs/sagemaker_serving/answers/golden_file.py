"""Golden files: requests with the answers that were given, one JSON object a line."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.errors import NotFound, Problem, ProblemsFound, Where
from sagemaker_serving.whole_files import write_whole

TEXTS = ("name", "content_type", "accept", "custom_attributes")
ROUTES = ("target_model", "target_variant", "inference_component")
REQUEST_BODY = ("body", "body_base64", "body_json")
EXPECTED_BODY = ("expected_body", "expected_body_base64", "expected_body_json")
KEYS = (*TEXTS, *ROUTES, *REQUEST_BODY, "expected_status", *EXPECTED_BODY)


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request: its body, its headers, and where in an endpoint it goes."""

    body: bytes

    content_type: str = "application/json"
    """"" sends none."""

    accept: str | None = None
    custom_attributes: str | None = None
    target_model: str | None = None
    target_variant: str | None = None
    inference_component: str | None = None

    inference_id: str | None = None
    """Written beside it by data capture; golden files have none."""


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A request and the answer that is expected; ``expected`` is None until it is recorded."""

    request: Request
    expected: Answer | None = None
    name: str | None = None
    where: Where = field(default_factory=Where)

    def __str__(self) -> str:
        return str(self.where) if self.name is None else f"{self.where} {self.name}".strip()


def read_golden(path: Path) -> list[Exchange]:
    """The exchanges of a golden file, in its order; blank lines are passed over.

    Raises `NotFound` when there is no such file, and `ProblemsFound` with
    everything that is wrong with its lines.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise NotFound(f"{path} does not exist; give a file of golden requests") from None
    except (UnicodeDecodeError, IsADirectoryError):
        raise ProblemsFound([_problem(Where(str(path)), "it is no file of JSON lines")]) from None
    exchanges: list[Exchange] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = Where(str(path), (), {(): number})
            found, wrong = _exchange(line, where)
            exchanges += found
            problems += wrong
    if not exchanges and not problems:
        problems.append(_problem(Where(str(path)), "it holds no request"))
    if problems:
        raise ProblemsFound(problems)
    return exchanges


def write_golden(path: Path, exchanges: Iterable[Exchange]) -> None:
    """Write a golden file; one that is there is replaced."""
    write_whole(path, golden_lines(exchanges))


def golden_lines(exchanges: Iterable[Exchange]) -> str:
    """The text of a golden file; each body is a text, or base64 where it is none."""
    return "".join(f"{_line(exchange)}\n" for exchange in exchanges)


def _exchange(line: str, where: Where) -> tuple[list[Exchange], list[Problem]]:
    try:
        given = json.loads(line)
    except ValueError as error:
        return [], [_problem(where, f"it is no JSON: {error}")]
    if not isinstance(given, dict):
        return [], [_problem(where, f"it is a {type(given).__name__}; a line is a JSON object")]
    wrong = list(_wrong(given))
    if wrong:
        return [], [_problem(where, message) for message in wrong]
    body = _body(given, REQUEST_BODY)
    headers = {key: given[key] for key in (*TEXTS[1:], *ROUTES) if given.get(key) is not None}
    exchange = Exchange(
        name=given.get("name"),
        request=Request(body=b"" if body is None else body, **headers),
        expected=_expected(given),
        where=where,
    )
    return [exchange], []


def _expected(given: Mapping[str, Any]) -> Answer | None:
    body = _body(given, EXPECTED_BODY)
    if body is None and "expected_status" not in given:
        return None
    return Answer(status=given.get("expected_status", 200), body=b"" if body is None else body)


def _wrong(given: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the values of a line."""
    for key in given.keys() - set(KEYS):
        yield f"{key!r} is no key of a golden request; there are {', '.join(KEYS)}"
    for key in (*TEXTS, *ROUTES, "body", "body_base64", "expected_body", "expected_body_base64"):
        if not isinstance(given.get(key, ""), str):
            yield f"{key} is {json.dumps(given[key])}; it must be a text"
        elif key.endswith("_base64") and not _is_base64(given.get(key, "")):
            yield f"{key} is no base64"
    for keys in (REQUEST_BODY, EXPECTED_BODY):
        said = [key for key in keys if key in given]
        if len(said) > 1:
            yield f"{' and '.join(said)} say the same thing; give one of them"
    status = given.get("expected_status", 200)
    if type(status) is not int or not 100 <= status <= 599:
        yield f"expected_status is {json.dumps(status)}; it must be an HTTP status"
    if not any(key in given for key in REQUEST_BODY):
        yield f"there is no body; give one of {', '.join(REQUEST_BODY)}"


def _body(given: Mapping[str, Any], keys: tuple[str, str, str]) -> bytes | None:
    as_text, as_base64, as_json = keys
    if as_text in given:
        return str(given[as_text]).encode()
    if as_base64 in given:
        return base64.b64decode(given[as_base64])
    return json.dumps(given[as_json]).encode() if as_json in given else None


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        return False
    return True


def _line(exchange: Exchange) -> str:
    request, expected = exchange.request, exchange.expected
    facts: dict[str, Any] = {} if exchange.name is None else {"name": exchange.name}
    facts |= _written(request.body, REQUEST_BODY)
    for key in (*TEXTS[1:], *ROUTES):
        value = getattr(request, key)
        if value is not None:
            facts[key] = value
    if expected is not None:
        facts["expected_status"] = expected.status
        facts |= _written(expected.body, EXPECTED_BODY)
    return json.dumps(facts, ensure_ascii=False)


def _written(body: bytes, keys: tuple[str, str, str]) -> dict[str, str]:
    try:
        return {keys[0]: body.decode()}
    except UnicodeDecodeError:
        return {keys[1]: base64.b64encode(body).decode()}


def _problem(where: Where, message: str) -> Problem:
    return Problem(rule="golden-file", where=where, message=message)
