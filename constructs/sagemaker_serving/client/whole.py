"""Answers that are whole, told from those that broke off.

Source: boto3 tries a broken connection three times in all while it waits for an answer's
head (botocore 1.44.5, ``retries/standard.py``); the body is read after that, by whoever called,
and what breaks it off then is tried again by nobody. HTTP says that a body is whole by its
Content-Length or its last chunk, and that without either the connection's end is its own (RFC
9112, section 6.3): a JSON document is whole when its brackets are closed.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import urllib3
from botocore import exceptions as aws_errors
from botocore.eventstream import ParserError

from sagemaker_serving.client.retrying import Retries
from sagemaker_serving.errors import Failure

T = TypeVar("T")

ATTEMPTS = 3
"""How often an answer that breaks off is asked for in all: as often as boto3 asks when the
connection breaks a moment earlier."""


class CutOff(Failure):
    """An answer broke off before its end."""


def read_whole(body: Any, content_type: str = "") -> bytes:
    """All of ``body``, a streaming body of botocore's. Raises `CutOff` when it ends too early."""
    with cut_offs():
        content: bytes = body.read()
    if is_cut_short(content, content_type):
        raise CutOff(
            f"the answer broke off: its JSON ends in the middle, after {len(content)} bytes"
        )
    return content


@contextmanager
def cut_offs() -> Iterator[None]:
    """What is raised while a body is read and its connection breaks becomes `CutOff`."""
    try:
        yield
    except (
        aws_errors.IncompleteReadError,
        aws_errors.FlexibleChecksumError,
        aws_errors.HTTPClientError,
        aws_errors.ConnectionError,
        urllib3.exceptions.HTTPError,
        ParserError,
        OSError,
    ) as error:
        raise CutOff(f"the answer broke off: {error}") from None


def read_again(read: Callable[[], T]) -> T:
    """What ``read`` returns, which is tried `ATTEMPTS` times when it raises `CutOff`."""
    for attempt, wait in enumerate(Retries().waits(), start=1):
        try:
            return read()
        except CutOff as error:
            if attempt == ATTEMPTS:
                raise after_attempts(error) from None
        time.sleep(wait)
    raise AssertionError("waits never end")


def after_attempts(error: CutOff, what: str = "") -> CutOff:
    """What is said when every attempt broke off; ``what`` was asked."""
    return CutOff(
        f"{what}{': ' if what else ''}{error}, in each of {ATTEMPTS} attempts; something between "
        "ends the connection, or the container writes no whole answer: see its log, or send fewer "
        "records at once"
    )


def is_cut_short(content: bytes, content_type: str) -> bool:
    """Whether ``content`` is the beginning of a JSON document and not all of it.

    Brackets are counted, those in strings left out, which is cheaper than parsing by far; only
    where they do not match the text is parsed.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in _JSON_TYPES or not _seems_open(content):
        return False
    text = content.decode("utf-8", "ignore").rstrip()  # it may end in the middle of a character
    return _ends_within(text.rpartition("\n")[2] if kind in _JSON_LINES else text)


_JSON_LINES = ("application/jsonlines", "application/jsons")
_JSON_TYPES = ("application/json", *_JSON_LINES)
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_REST_OF_A_NUMBER = re.compile(r"\.|[eE][+-]?")
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")


def _seems_open(content: bytes) -> bool:
    bare = _STRING.sub(b"", content)
    return (
        bare.count(b"{") > bare.count(b"}") or bare.count(b"[") > bare.count(b"]") or b'"' in bare
    )


def _ends_within(text: str) -> bool:
    """Whether ``text`` is right JSON as far as it goes."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        rest = text[error.pos :]
        return (
            error.msg.startswith("Unterminated string")
            or (error.msg.startswith("Invalid \\uXXXX") and len(rest) <= len("\\uXXXX"))
            or _REST_OF_A_NUMBER.fullmatch(rest) is not None
            or any(literal.startswith(rest) for literal in _LITERALS)
        )
    except RecursionError:
        pass
    return False
