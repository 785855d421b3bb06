"""One fault as a value, and how it is read from JSON: strictly, with all that is wrong at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any

from local_aws.errors import Mistake
from local_aws.protocol import models
from local_aws.suggest import nearest

MAX_LATENCY_MS = 120_000
DEFAULT_LATENCY_MS = 1000
DEFAULT_STATUS = 500


class Kind(StrEnum):
    """What happens when a fault strikes."""

    THROTTLING = "throttling"
    ACCESS_DENIED = "access-denied"
    UNKNOWN_ROLE = "unknown-role"
    NO_CAPACITY = "no-capacity"
    SILENT_ROLLBACK = "silent-rollback"
    KILL = "kill"
    MODEL_ERROR = "model-error"
    CORRUPT = "corrupt"
    SLOW = "slow"


KINDS: Mapping[Kind, str] = {
    Kind.THROTTLING: "a call is refused: too many requests",
    Kind.ACCESS_DENIED: "a call is refused: the caller may not",
    Kind.UNKNOWN_ROLE: "a call is refused: the service cannot assume the role that it is given yet",
    Kind.NO_CAPACITY: "an endpoint, an update or a transform job gets no instances, and fails",
    Kind.SILENT_ROLLBACK: "an update goes back to what served, and no status tells of it",
    Kind.KILL: "a job, or the server that a request went to, is killed in the middle",
    Kind.MODEL_ERROR: "the model answers --status (default 500) instead of a prediction",
    Kind.CORRUPT: "an endpoint's answer is 200 with its second half missing; a stream breaks off",
    Kind.SLOW: "a model's answer, or a policy of a stack's role, takes --latency-ms (1000) longer",
}
"""Every kind, and in a line what it does."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What goes wrong, where, and how often.

    ``service``, ``operation`` and ``name`` are patterns (``*``, ``?``, ``[ab]``)
    that a call must match; ``name`` is held against each of the call's own
    names (an endpoint's, a job's, a bucket's and key's). Of ``rate`` (0 to 1),
    ``every`` (each n-th match) and ``first`` (the first n) at most one says how
    often; without one, always. With the same ``seed`` the same matches are
    struck, counted one by one, whatever the threads do.
    """

    id: str
    kind: Kind
    service: str = "*"
    operation: str = "*"
    name: str = "*"
    rate: float | None = None
    every: int | None = None
    first: int | None = None
    seed: int = 0
    latency_ms: int | None = None
    status: int | None = None

    def is_about(self, service: str, operation: str, names: tuple[str, ...]) -> bool:
        """Whether a call of ``service`` (boto3's name for it) matches the patterns."""
        return (
            any(fnmatchcase(name, self.service) for name in names_of(service))
            and fnmatchcase(operation, self.operation)
            and (self.name == "*" or any(fnmatchcase(name, self.name) for name in names))
        )

    def strikes(self, number: int) -> bool:
        """Whether the match of this number (from 1) is struck."""
        if self.first is not None:
            return number <= self.first
        if self.every is not None:
            return number % self.every == 0
        if self.rate is not None:
            digest = hashlib.sha256(f"{self.seed}/{self.id}/{number}".encode()).digest()
            return int.from_bytes(digest[:8], "big") / 2**64 < self.rate
        return True

    @property
    def delay_seconds(self) -> float:
        """How much longer a ``slow`` fault makes it."""
        return (DEFAULT_LATENCY_MS if self.latency_ms is None else self.latency_ms) / 1000

    def as_json(self) -> dict[str, Any]:
        """The fault as `read_fault` reads it, without what is absent."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def read_faults(document: object) -> list[Fault]:
    """The faults of ``{"faults": [...]}``; raises `Mistake` with everything that is wrong."""
    if not isinstance(document, Mapping) or set(document) != {"faults"}:
        raise Mistake('faults are given as {"faults": [{"kind": …}, …]}')
    items = document["faults"]
    if not isinstance(items, list):
        raise Mistake(f"faults is {items!r}; it is a list")
    wrong = [
        f"faults[{number}]: {problem}"
        for number, item in enumerate(items)
        for problem in _problems(item)
    ]
    if not wrong:
        ids = [_id(item) for item in items]
        wrong = [
            f"faults[{number}]: id '{id}' is taken already; give each its own"
            for number, id in enumerate(ids)
            if id in ids[:number]
        ]
    if wrong:
        raise Mistake("\n".join(wrong))
    return [_made(item) for item in items]


def read_fault(item: object) -> Fault:
    """One fault; raises `Mistake` with everything that is wrong with it.

    ``id`` is the kind's name when absent.
    """
    wrong = list(_problems(item))
    if wrong:
        raise Mistake("\n".join(wrong))
    assert isinstance(item, Mapping)
    return _made(item)


def _made(item: Mapping[str, Any]) -> Fault:
    return Fault(**{**item, "kind": Kind(item["kind"]), "id": _id(item)})


def _id(item: Mapping[str, Any]) -> str:
    return str(item.get("id", item["kind"]))


def _problems(item: object) -> Iterator[str]:
    if not isinstance(item, Mapping):
        yield f"{item!r} is not a fault; a fault is an object with a kind"
        return
    yield from _unknown(item)
    yield from _kind(item)
    yield from _texts(item)
    for name, (type_, least, most) in _NUMBERS.items():
        if name in item:
            yield from _number(name, item[name], type_, least, most)
    given = [name for name in ("rate", "every", "first") if name in item]
    if len(given) > 1:
        yield f"{' and '.join(given)} say each how often; give one of them"
    for name, kind in _ONLY.items():
        if name in item and item.get("kind") != kind:
            yield f"{name} is of {kind} only; leave it out of {item.get('kind')}"


_NUMBERS: Mapping[str, tuple[type, float, float]] = {
    "rate": (float, 0, 1),
    "every": (int, 1, 1_000_000),
    "first": (int, 1, 1_000_000),
    "seed": (int, 0, 2**63),
    "latency_ms": (int, 1, MAX_LATENCY_MS),
    "status": (int, 400, 599),
}
_TEXTS = ("id", "service", "operation", "name")
_ONLY = {"latency_ms": Kind.SLOW, "status": Kind.MODEL_ERROR}


def _unknown(item: Mapping[str, Any]) -> Iterator[str]:
    known = [field.name for field in fields(Fault)]
    for name in item:
        if name not in known:
            meant = nearest(str(name), known)
            hint = f"did you mean {meant}?" if meant is not None else f"known: {', '.join(known)}"
            yield f"{name} is not a field of a fault; {hint}"


def _kind(item: Mapping[str, Any]) -> Iterator[str]:
    kinds = [kind.value for kind in Kind]
    kind = item.get("kind")
    if kind not in kinds:
        meant = nearest(str(kind), kinds)
        hint = f"; did you mean {meant}?" if meant is not None else ""
        yield f"kind is {kind!r}; it is one of {', '.join(kinds)}{hint}"


def _texts(item: Mapping[str, Any]) -> Iterator[str]:
    wrong = False
    for name in _TEXTS:
        value = item.get(name, "*")
        if not isinstance(value, str) or not value:
            wrong = True
            yield f"{name} is {value!r}; it is a text that is not empty"
    if "/" in str(item.get("id", "")):
        yield f"id is '{item['id']}'; it has no '/'"
    if not wrong:
        yield from problems_of_selection(item.get("service", "*"), item.get("operation", "*"))


def _number(name: str, value: object, type_: type, least: float, most: float) -> Iterator[str]:
    wanted = "a whole number" if type_ is int else "a number"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or (type_ is int and not isinstance(value, int)):
        yield f"{name} is {value!r}; it is {wanted}"
    elif not least <= value <= most:  # type: ignore[operator]
        yield f"{name} is {value}; it is {wanted} from {least} to {most}"


_ALSO = {
    "sagemaker-runtime": "sagemaker",
    "sagemaker-inference-router-runtime": "sagemaker",
    "stepfunctions": "states",
    "cloudwatch": "monitoring",
}
"""What boto3 calls a service, and what IAM or its signature does."""

_MAKES_A_PATTERN = frozenset("*?[")


def names_of(service: str) -> tuple[str, ...]:
    """Every name of a service, by boto3's: InvokeEndpoint is of ``sagemaker``, too."""
    also = _ALSO.get(service)
    return (service,) if also is None else (service, also)


def problems_of_selection(service: str, operation: str) -> Iterator[str]:
    """What is wrong with a service's and an operation's name; patterns are not judged."""
    if _MAKES_A_PATTERN & set(service):
        return
    known = sorted(models.service_names())
    meant_by = [name for name in known if service in names_of(name)]
    if not meant_by:
        meant = nearest(service, (*known, *_ALSO.values()))
        hint = f"did you mean {meant}?" if meant is not None else "take sagemaker, s3, lambda, …"
        yield f"service is '{service}'; AWS has none of this name; {hint}"
        return
    operations = [name for each in meant_by for name in models.service_model(each).operation_names]
    if not _MAKES_A_PATTERN & set(operation) and operation not in operations:
        meant = nearest(operation, operations)
        hint = f"did you mean {meant}?" if meant is not None else "patterns are allowed: 'Create*'"
        yield f"operation is '{operation}'; {service} has none of this name; {hint}"
