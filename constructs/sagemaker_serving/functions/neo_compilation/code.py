"""The user's code beside what Neo compiled.

The images that serve compiled models look for ``code/inference.py`` in the model's archive
(developer guide, "Deploy a compiled model", prerequisites), and it is nowhere
said that Neo hands on what it does not compile. So the archive is looked into, and the code of
the archive that was compiled is put in where it is missing.
"""

from __future__ import annotations

import os
import tarfile
import threading
from pathlib import PurePosixPath
from typing import Any

from sagemaker_serving.functions.custom_resource.clients import client

from .objects import WITH_CODE, Place, archive, files_in


def with_code(compiled: Place, source: Place, prefix: Place) -> Place:
    """``compiled`` itself if it has all the code of ``source``, else both in a new archive.

    That one is under ``prefix``. Nothing is held in memory or on disk: archives of any size
    stream through. Raises what reading or writing raises; nothing is written then.
    """
    wanted = {name for name in files_in(source) if _is_code(name)}
    if wanted <= set(files_in(compiled)):
        return compiled
    joined = prefix.below(f"{WITH_CODE}{compiled.name}")
    reading, writing = os.pipe()
    writer = _Writer(writing, compiled, source)
    writer.start()
    try:
        with os.fdopen(reading, "rb") as pipe:
            client("s3").upload_fileobj(_Whole(pipe, writer), joined.bucket, joined.key)
    finally:
        writer.join()
    print(f"put the code of {source.url} beside the model: {joined.url}")
    return joined


class _Writer(threading.Thread):
    """Writes the joined archive into a pipe; ``failure`` is what stopped it."""

    def __init__(self, pipe: int, compiled: Place, source: Place) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._sources = ((compiled, False), (source, True))
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            with (
                os.fdopen(self._pipe, "wb") as pipe,
                tarfile.open(fileobj=pipe, mode="w|gz") as joined,
            ):
                for place, code in self._sources:
                    _append(place, joined, code=code)
        except Exception as error:
            self.failure = error


class _Whole:
    """What comes out of the pipe; its end is no end when the writer has failed."""

    def __init__(self, pipe: Any, writer: _Writer) -> None:
        self._pipe = pipe
        self._writer = writer

    def read(self, size: int = -1) -> bytes:
        data: bytes = self._pipe.read(size)
        if not data:
            self._writer.join()
            if self._writer.failure is not None:
                raise self._writer.failure
        return data


def _append(place: Place, joined: tarfile.TarFile, *, code: bool) -> None:
    with archive(place) as opened:
        for member in opened:
            if member.isfile() and _is_code(member.name) == code:
                member.name = str(PurePosixPath(member.name))
                joined.addfile(member, opened.extractfile(member))


def _is_code(name: str) -> bool:
    return PurePosixPath(name).parts[:1] == ("code",)
