"""Read the logs of an endpoint's servers from their files: the last lines, and what comes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from local_aws.suggest import nearest
from sagemaker_serving.errors import NotFound
from sagemaker_serving.local_sagemaker.observability.log_files import (
    VariantLog,
    endpoints_with_logs,
    variant_logs,
)

POLL_SECONDS = 0.2
_BLOCK_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a variant's log."""

    variant: str
    text: str


class EndpointLogs:
    """The logs of one endpoint, or of one variant of it, also after it has failed or is gone.

    Raises `NotFound`, with the nearest name, for what has never written a log.
    """

    def __init__(
        self, state_dir: Path, region: str, endpoint: str, variant: str | None = None
    ) -> None:
        self._where = (state_dir, region, endpoint)
        self._variant = variant
        every = variant_logs(*self._where)
        if not every:
            known = endpoints_with_logs(state_dir, region)
            raise NotFound(_none_of("endpoint", endpoint, known, f"in {region} has a log here"))
        if not self._find():
            known = sorted({log.variant for log in every})
            raise NotFound(_none_of("variant", variant, known, f"of '{endpoint}' has a log"))
        self._read: dict[Path, int] = {}

    @property
    def variants(self) -> Sequence[str]:
        """The names of the variants that have logs."""
        return sorted({log.variant for log in self._find()})

    def last(self, count: int) -> list[Line]:
        """The last ``count`` lines of each variant's newest server."""
        lines: list[Line] = []
        newest = {log.variant: log for log in self._find()}  # the newest comes last
        for log in self._find():
            text, end = _last_lines(log.path, count if newest[log.variant] == log else 0)
            self._read[log.path] = end
            lines += [Line(variant=log.variant, text=line) for line in text]
        return lines

    def follow(self, goes_on: Callable[[], bool]) -> Iterator[Line]:
        """Each new line, of servers that start later too, as long as ``goes_on`` is true.

        Begins after what `last` gave; without it, at the files' beginnings.
        """
        while True:
            is_last = not goes_on()
            for log in self._find():
                yield from self._new_lines(log)
            if is_last:
                return
            time.sleep(POLL_SECONDS)

    def _find(self) -> list[VariantLog]:
        every = variant_logs(*self._where)
        return [log for log in every if self._variant is None or log.variant == self._variant]

    def _new_lines(self, log: VariantLog) -> Iterator[Line]:
        with log.path.open("rb") as file:
            file.seek(self._read.get(log.path, 0))
            for line in file:
                if not line.endswith(b"\n"):
                    break  # it is still being written
                self._read[log.path] = self._read.get(log.path, 0) + len(line)
                yield Line(variant=log.variant, text=_text(line))


def _last_lines(path: Path, count: int) -> tuple[list[str], int]:
    """The last ``count`` lines of a file, and where its whole lines end."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        start, tail = end, b""
        while start > 0 and tail.count(b"\n") <= count:
            start = max(0, start - _BLOCK_BYTES - len(tail))
            file.seek(start)
            tail = file.read(end - start)
    whole, newline, rest = tail.rpartition(b"\n")
    lines = whole.split(b"\n") if newline else []
    return [_text(line) for line in lines[-count:] if count], end - len(rest)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace").rstrip("\r\n")


def _none_of(what: str, name: str | None, known: Sequence[str], rest: str) -> str:
    meant = nearest(name or "", known)
    if meant is not None:
        return f"no {what} '{name}' {rest}; did you mean '{meant}'?"
    hint = f"there are {', '.join(known)}" if known else "there are none yet"
    return f"no {what} '{name}' {rest}; {hint}"
