"""What an execution reads: the objects under a prefix, or those that a manifest names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from botocore.exceptions import ClientError

from .errors import Refused
from .run import Run
from .seen import Seen
from .sharding import Input
from .store import Entry, Place

MANIFEST_WINDOW = 10_000
"""Names of a manifest that are looked up together."""

MANIFEST_BYTES = 128 * 1024 * 1024
"""The largest: it is read whole, and its names take some times that of the function's memory."""

_FIRST = 10


def folder_of(run: Run) -> Place:
    """Where the inputs' names begin: the prefix's folder, or the manifest's ``prefix``.

    Under ``s3://b/in/part`` the object ``in/part-1.csv`` is ``part-1.csv``.
    """
    if run.input_type == "ManifestFile":
        return Place.parse(_head(next(_documents(run))))
    place = Place.parse(run.source)
    return Place(place.bucket, place.key[: place.key.rfind("/") + 1])


def under_prefix(run: Run, *, after: str | None) -> Iterator[Input]:
    """The objects under the prefix whose names come after ``after``, in order.

    Folders' placeholders, as consoles make them, are no inputs.
    """
    place = Place.parse(run.source)
    cut = place.key.rfind("/") + 1
    key = None if after is None else place.key[:cut] + after
    for entry in run.store.listed(place, after=key):
        if not entry.key.endswith("/"):
            yield Input(name=entry.key[cut:], size=entry.size, modified=entry.modified)


def first_input(run: Run) -> Place | None:
    """An object that is among the first of the input; None where none is found at once."""
    folder = folder_of(run)
    if run.input_type == "ManifestFile":
        named = islice(_documents(run), 1, 1 + _FIRST)
        keys = sorted(folder.key + _name(name, run) for name in named)
        return next((Place(folder.bucket, key) for key in run.store.found(folder, keys)), None)
    first = next(under_prefix(run, after=None), None)
    return None if first is None else folder / first.name


def manifest_inputs(run: Run, *, skip: int) -> Iterator[tuple[list[Input], list[str], int]]:
    """Windows of the manifest's objects, sorted by name, after the first ``skip`` of its names.

    Each with the names that are no objects, and how many names the window took. A name that
    stands there twice counts once.
    """
    documents = _documents(run)
    folder = Place.parse(_head(next(documents)))
    seen = Seen()
    for name in islice(documents, skip):
        seen.add(_name(name, run))
    while window := list(islice(documents, MANIFEST_WINDOW)):
        names = sorted(name for name in (_name(each, run) for each in window) if seen.add(name))
        found: dict[str, Entry] = run.store.found(folder, [folder.key + name for name in names])
        inputs = [
            Input(name=name, size=entry.size, modified=entry.modified)
            for name in names
            if (entry := found.get(folder.key + name)) is not None
        ]
        yield inputs, [name for name in names if folder.key + name not in found], len(window)


def _documents(run: Run) -> Iterator[Any]:
    """The members of the manifest's list. Raises `Refused` for what is none."""
    place = Place.parse(run.source)
    if not place.key or place.key.endswith("/"):
        raise Refused([f"{place} is no manifest; with input_type ManifestFile input is an object"])
    try:
        body = run.store.s3.get_object(Bucket=place.bucket, Key=place.key)["Body"]
    except ClientError as error:
        if error.response["Error"].get("Code") != "NoSuchKey":
            raise
        raise Refused([f"there is no manifest at {place}"]) from None
    text = body.read(MANIFEST_BYTES + 1)
    if len(text) > MANIFEST_BYTES:
        raise Refused([f"the manifest {place} has more than {MANIFEST_BYTES:,} bytes; divide it"])
    try:
        members = json.loads(text)
        if not isinstance(members, list):
            raise ValueError("it is no list")
    except (ValueError, RecursionError) as error:
        form = '[{"prefix": "s3://bucket/path/"}, "name", …]'
        raise Refused([f"{place} is no manifest, {form}: {error}"]) from None
    return iter(members or [None])


def _head(document: Any) -> str:
    prefix = document.get("prefix") if isinstance(document, dict) else None
    if not isinstance(prefix, str) or not prefix.startswith("s3://"):
        raise Refused(['a manifest begins with {"prefix": "s3://bucket/path/"}'])
    return prefix


def _name(document: Any, run: Run) -> str:
    if not isinstance(document, str) or not document:
        raise Refused([f"the manifest {run.source} names {document!r:.80}; names are texts"])
    return document
