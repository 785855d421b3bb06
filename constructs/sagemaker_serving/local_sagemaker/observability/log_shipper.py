"""What model servers and jobs write, into CloudWatch Logs."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.context import LocalContext
from sagemaker_serving.local_sagemaker.models.roles import role_client

SHIP_SECONDS = 1.0
CHUNK_BYTES = 64 * 1024
"""How often each log is looked at, and how much of it is sent each time while it goes on, so that a
server that writes without end costs little here; AWS takes up to 1 MiB in one PutLogEvents."""

MAX_BEHIND_BYTES = 4 * 1024 * 1024
"""A log that is further ahead of what was sent is skipped, and the log stream says so."""

_REFUSED_PAUSE_SECONDS = 30.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class LogStream:
    """A file, and where its lines go: a log stream, in the name of a role.

    Groups and streams are named as AWS names them
    (docs.aws.amazon.com/sagemaker/latest/dg/logging-cloudwatch.html).
    """

    path: Path
    group: str
    stream: str
    region: str
    role_arn: str | None


class LogShipper:
    """Sends what is appended to the files that it follows, from one thread.

    A role that may not write logs has none, and everything else goes on, as
    on AWS; it is tried again after half a minute.
    """

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._tails: dict[LogStream, _Tail] = {}
        self._lock = threading.Lock()
        self._shipping = threading.Lock()
        self._closed = False
        self._wanted = threading.Event()
        self._thread: threading.Thread | None = None

    def follow(self, stream: LogStream) -> None:
        """Send the file's lines from its beginning on; it need not be there yet."""
        with self._lock:
            self._tails[stream] = _Tail(stream)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="logs", daemon=True)
                self._thread.start()

    def finish(self, stream: LogStream) -> None:
        """Send what is still to be sent, at once, and follow the file no more."""
        with self._lock:
            tail = self._tails.get(stream)
        if tail is not None:
            tail.ending = True
            self._wanted.set()

    def flush(self) -> None:
        """Send everything that was written until now."""
        with self._lock:
            tails = list(self._tails.values())
        for tail in tails:
            while self._ship(tail):
                pass

    def close(self) -> None:
        """Send no more."""
        self._closed = True
        self._wanted.set()

    def _run(self) -> None:
        while True:
            self._wanted.wait(SHIP_SECONDS)
            self._wanted.clear()
            if self._closed:
                return
            with self._lock:
                tails = list(self._tails.values())
            for tail in tails:
                ending = tail.ending
                while self._ship(tail) and ending:
                    pass
                if ending:
                    with self._lock:
                        self._tails.pop(tail.stream, None)
                    with self._shipping:  # a flush may hold it, too
                        tail.close()

    def _ship(self, tail: _Tail) -> bool:
        """Send one chunk of the file; whether there was one."""
        with self._shipping:
            if tail.is_closed or time.monotonic() < tail.not_before:
                return False
            lines = tail.read()
            if not lines:
                return False
            try:
                self._put(tail, lines)
            except (ClientError, BotoCoreError) as error:
                tail.not_before = time.monotonic() + _REFUSED_PAUSE_SECONDS
                if not tail.was_refused:  # once is enough to find out why
                    _log.warning("no logs in %s: %s", tail.stream.group, error)
                tail.was_refused = True
                return False
            return True

    def _put(self, tail: _Tail, lines: list[str]) -> None:
        where = tail.stream
        client = role_client(self._context, where.role_arn, "logs", where.region)
        if not tail.is_made:
            _unless_there(client.create_log_group, logGroupName=where.group)
            _unless_there(
                client.create_log_stream, logGroupName=where.group, logStreamName=where.stream
            )
            tail.is_made = True
        at = round(time.time() * 1000)
        client.put_log_events(
            logGroupName=where.group,
            logStreamName=where.stream,
            logEvents=[{"timestamp": at, "message": line} for line in lines],
        )


class _Tail:
    """How far one file was read."""

    def __init__(self, stream: LogStream) -> None:
        self.stream = stream
        self.ending = False
        self.is_made = False
        self.was_refused = False
        self.is_closed = False
        self.not_before = 0.0
        self._file: IO[bytes] | None = None
        self._rest = b""

    def read(self) -> list[str]:
        """The next whole lines, or, of a file that is at its end for good, the last one."""
        file = self._open()
        if file is None:
            return []
        skipped = self._skip(file)
        chunk = file.read(CHUNK_BYTES)
        is_end = len(chunk) < CHUNK_BYTES
        *whole, self._rest = (self._rest + chunk).split(b"\n")
        if self._rest and (len(self._rest) >= CHUNK_BYTES or (is_end and self.ending)):
            whole.append(self._rest)
            self._rest = b""
        lines = [line.decode("utf-8", "replace").rstrip("\r") for line in whole]
        return [*skipped, *(line for line in lines if line)]

    def close(self) -> None:
        self.is_closed = True
        if self._file is not None:
            self._file.close()

    def _open(self) -> IO[bytes] | None:
        if self._file is None and self.stream.path.exists():
            self._file = self.stream.path.open("rb")
        return self._file

    def _skip(self, file: IO[bytes]) -> list[str]:
        position, size = file.tell(), self.stream.path.stat().st_size
        if size - position <= MAX_BEHIND_BYTES:
            return []
        file.seek(size - CHUNK_BYTES)
        self._rest = b""
        left_out = size - CHUNK_BYTES - position
        return [f"[local AWS: {left_out} bytes of the log were left out; they are in its file]"]


def instance_id(*parts: object) -> str:
    """An instance id that is always the same for the same parts: ``i-`` and 17 digits."""
    return "i-" + hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:17]


def _unless_there(create: object, **names: str) -> None:
    assert callable(create)
    try:
        create(**names)
    except ClientError as error:
        if error.response["Error"]["Code"] != "ResourceAlreadyExistsException":
            raise
