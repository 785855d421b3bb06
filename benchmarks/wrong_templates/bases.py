"""The right templates that wrong changes are made of, and how a change is made."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.wrong_environments.bases import GONE, Change, Place
from local_aws.schemas import Schema, schema_of
from local_aws.template import function_name
from sagemaker_serving.rules import read_template

REGION = "eu-west-1"
Document = dict[str, Any]
Pair = tuple[Document, Document]
"""A wrong template, and the nearest right one."""

Family = Callable[[random.Random], Pair]


@cache
def _read() -> dict[str, Document]:
    files = sorted((Path(__file__).parent / "right").glob("*.yaml"))
    return {file.stem: dict(read_template(file).document or {}) for file in files}


def names() -> list[str]:
    """The names of the right templates."""
    return [*_read()]


def base(name: str) -> Document:
    """A right template of one's own."""
    return copy.deepcopy(_read()[name])


def changed(document: Document, change: Change) -> Document:
    """The template with each place set to its value, or taken away."""
    document = copy.deepcopy(document)
    for place, value in change.items():
        at: Any = document
        for key in place[:-1]:
            at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
        if value is GONE:
            del at[place[-1]]
        else:
            at[place[-1]] = value
    return document


def pair(name: str, wrong: Change, right: Change | None = None) -> Pair:
    """A base with a wrong change, and with a right one."""
    return changed(base(name), wrong), changed(base(name), right or {})


@dataclass(frozen=True, kw_only=True)
class Node:
    """A value below a resource's properties, and what the schema of its type says of it."""

    base: str
    type: str
    place: Place
    schema: dict[str, Any]
    value: Any

    @property
    def inner(self) -> Place:
        """Its place within the properties."""
        return self.place[3:]


@cache
def nodes() -> list[Node]:
    """Every value of the bases that a schema knows, but for functions."""
    found: list[Node] = []
    for name, document in _read().items():
        for logical_id, resource in document["Resources"].items():
            schema = schema_of(resource["Type"], REGION)
            if schema is not None and "Properties" in resource:
                place = ("Resources", logical_id, "Properties")
                of = (name, resource["Type"], schema)
                found += _beneath(of, place, resource["Properties"], schema.document)
    return found


def _beneath(of: tuple[str, str, Schema], place: Place, value: Any, schema: Any) -> Iterator[Node]:
    name, kind, known = of
    if not isinstance(schema, dict) or function_name(value) is not None:
        return
    schema = dict(known.resolved(schema))
    yield Node(base=name, type=kind, place=place, schema=schema, value=value)
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _beneath(of, (*place, key), inner, (schema.get("properties") or {}).get(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _beneath(of, (*place, index), inner, schema.get("items"))
