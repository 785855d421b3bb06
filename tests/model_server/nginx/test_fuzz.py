"""Any bytes, to every generation: an answer that the sources allow, soon, and nobody else's.

`FRONT_FUZZ_CASES` says how many to each generation; ``make fuzz`` asks each a million.
"""

from __future__ import annotations

import os
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest

from sagemaker_serving.model_server.generations import Generation
from tests.crowd import CLIENTS
from tests.model_server.contract.light import Light
from tests.model_server.nginx.at_random import KINDS, request

CASES = int(os.environ.get("FRONT_FUZZ_CASES", "1000"))
FIRST = int(os.environ.get("FRONT_FUZZ_FIRST", "0"))
AT_ONCE = 32
WITHIN_SECONDS = 60.0


@pytest.mark.parametrize("generation", Generation)
def test_every_answer_is_one_that_the_sources_allow(
    container: Light, generation: Generation
) -> None:
    asker = Asker(container.fronts[generation])
    began, statuses = time.monotonic(), Counter[tuple[str, int | None]]()
    asked: dict[bool, list[Asked]] = {True: [], False: []}
    for number in range(FIRST, FIRST + CASES):
        kind, sent = request(number)
        is_framed = KINDS[kind].is_framed
        asked[is_framed].append(Asked(number, kind, sent))
        is_last = number == FIRST + CASES - 1
        for framed, ask in ((True, asker.together), (False, asker.apart)):
            if len(asked[framed]) >= AT_ONCE or is_last:
                for each, status in ask(asked[framed]):
                    must_be_allowed(each, status)
                    statuses[each.kind, status] += 1
                asked[framed] = []
    asker.close()
    rate = CASES / (time.monotonic() - began)
    told = ", ".join(f"{kind} {status}: {count}" for (kind, status), count in statuses.items())
    print(f"{generation}: {CASES} at {rate:.0f}/s: {told}", file=sys.stderr)


def test_hundreds_at_once_each_get_their_own_answer(container: Light) -> None:
    port = container.fronts[Generation.C]
    crowd = [socket.create_connection(("127.0.0.1", port), WITHIN_SECONDS) for _ in range(CLIENTS)]
    try:
        for half in (0, 1):
            for number, connection in enumerate(crowd):
                sent = mark(number)
                connection.sendall(sent[len(sent) // 2 :] if half else sent[: len(sent) // 2])
        for number, connection in enumerate(crowd):
            must_be_mine(number, Answers(connection).read(is_head=False))
    finally:
        for connection in crowd:
            connection.close()


@dataclass(frozen=True)
class Asked:
    """Request number ``number``."""

    number: int
    kind: str
    sent: bytes

    @property
    def is_head(self) -> bool:
        """Whether an answer has no body."""
        return self.sent.lstrip(b"\r\n").startswith(b"HEAD ")

    @property
    def stops(self) -> bool:
        """Whether the caller leaves in its midst."""
        return self.number % 50 == 0


def must_be_allowed(asked: Asked, status: int | None) -> None:
    allowed = KINDS[asked.kind].allowed
    assert status in allowed, f"{status} for number {asked.number}, {asked.kind}: {asked.sent!r}"


class Asker:
    """Asks a front, by connections that are kept as long as it keeps them."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._kept: Answers | None = None

    def together(self, requests: list[Asked]) -> Iterator[tuple[Asked, int | None]]:
        """All of them in one go, and a question at their end that has an answer of its own.

        Where the front hangs up, the ones after that are asked again.
        """
        requests = list(requests)
        while requests:
            if self._kept is None:
                self._kept = Answers(self._connected())
            number = requests[0].number
            self._kept.send(b"".join(each.sent for each in requests) + mark(number))
            while requests and self._kept is not None:
                asked = requests.pop(0)
                yield asked, self._kept.read(is_head=asked.is_head)[0]
                self._hang_up_if_it_did()
            if not requests and self._kept is not None:
                must_be_mine(number, self._kept.read(is_head=False))
                self._hang_up_if_it_did()

    def apart(self, requests: list[Asked]) -> Iterator[tuple[Asked, int | None]]:
        """The first answer to each of what may be no requests, at the same time.

        Some get none: those whose callers leave, and those that ask for more than was sent.
        """
        under_way = []
        for asked in requests:
            answers = Answers(self._connected())
            answers.send(asked.sent[: len(asked.sent) // 2] if asked.stops else asked.sent)
            if asked.stops:
                answers.close()
            else:
                answers.end()
                under_way.append((asked, answers))
        for asked, answers in under_way:
            with closing(answers):
                status, body = answers.read(is_head=asked.is_head)
                if status is not None or body:
                    yield asked, status

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()

    def _connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port), WITHIN_SECONDS)

    def _hang_up_if_it_did(self) -> None:
        if self._kept is not None and self._kept.has_ended:
            self._kept.close()
            self._kept = None


class Answers:
    """The answers on a connection, one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._come = b""
        self.has_ended = False

    def send(self, sent: bytes) -> None:
        """Send it all, even to one who has hung up."""
        try:
            self._connection.sendall(sent)
        except ConnectionError:
            return

    def end(self) -> None:
        """No more will be sent."""
        try:
            self._connection.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def read(self, *, is_head: bool) -> tuple[int | None, bytes]:
        """The next status and body; None for a body without a head, or for nothing at all."""
        while b"\r\n\r\n" not in self._come and self._more():
            pass
        if not self._come.startswith(b"HTTP/1.1 "):
            while self._more():
                pass
            bare, self._come = self._come, b""
            return None, bare
        head, _, rest = self._come.partition(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 100 "):
            self._come = rest
            return self.read(is_head=is_head)
        length = 0 if is_head else int(head.split(b"\r\nContent-Length: ")[1].split(b"\r\n")[0])
        while len(rest) < length:
            assert self._more(), "an answer broke off"
            rest = self._come.partition(b"\r\n\r\n")[2]
        self._come = rest[length:]
        self.has_ended = head.endswith(b"\r\nConnection: close")
        return int(head[9:12]), rest[:length]

    def close(self) -> None:
        self._connection.close()

    def _more(self) -> bool:
        try:
            part = self._connection.recv(1 << 16)
        except ConnectionError:
            part = b""
        self._come += part
        return bool(part)


def mark(number: int) -> bytes:
    """A request that nobody else asks."""
    return b"GET /tfs/v1/models/number-%d HTTP/1.1\r\nHost: x\r\n\r\n" % number


def must_be_mine(number: int, answer: tuple[int | None, bytes]) -> None:
    status, body = answer
    assert status == 404
    assert b'any versions of model number-%d"' % number in body
