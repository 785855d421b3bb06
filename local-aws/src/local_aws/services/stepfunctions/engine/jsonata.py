"""JSONata, the second query language of state machines, evaluated by jsonata-python.

Step Functions adds functions of its own to JSONata's; they are here.
https://docs.aws.amazon.com/step-functions/latest/dg/transforming-data.html.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import uuid
from typing import Any


class JsonataError(Exception):
    """An expression that cannot be read or evaluated; the message says why."""


def problem(expression: str) -> str | None:
    """What is wrong with the text of an expression; None when it can be read."""
    from jsonata import Jsonata
    from jsonata.jexception import JException

    try:
        Jsonata(expression)
    except JException as error:
        return str(error)
    return None


def evaluate(expression: str) -> Any:
    """What an expression yields; None is both null and nothing, as ``$exists`` can tell.

    Raises JsonataError.
    """
    from jsonata import Jsonata
    from jsonata.jexception import JException

    try:
        compiled = Jsonata(expression)
        for name, function in _FUNCTIONS.items():
            compiled.register_lambda(name, function)
        return _plain(compiled.evaluate(None))
    except (JException, ArithmeticError, TypeError, ValueError) as error:
        raise JsonataError(str(error)) from None


def _plain(value: Any) -> Any:
    """A result as JSON has it: jsonata-python has a null of its own."""
    from jsonata.utils import Utils

    if value is Utils.NULL_VALUE:
        return None
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    return value


def _partition(values: Any, size: Any) -> list[list[Any]]:
    items, length = list(values), math.floor(size)
    if length < 1:
        raise ValueError("$partition needs a chunk size of at least 1")
    return [items[start : start + length] for start in range(0, len(items), length)]


def _range(first: Any, last: Any, step: Any) -> list[Any]:
    if step == 0:
        raise ValueError("$range needs a step other than 0")
    count = math.floor((last - first) / step) + 1
    return [first + index * step for index in range(max(count, 0))]


def _hash(value: str, algorithm: str = "SHA-1") -> str:
    known = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384"}
    known["SHA-512"] = "sha512"
    if algorithm not in known:
        raise ValueError(f"$hash has {', '.join(known)}; it has no '{algorithm}'")
    return hashlib.new(known[algorithm], value.encode(), usedforsecurity=False).hexdigest()


def _random(seed: Any = None) -> float:
    return random.random() if seed is None else random.Random(seed).random()


_FUNCTIONS = {
    "partition": _partition,
    "range": _range,
    "hash": _hash,
    "random": _random,
    "uuid": lambda: str(uuid.uuid4()),
    "parse": lambda text: json.loads(text),
}
