"""Requests at a steady rate, in every format, and which of them were lost."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from benchmarks.hosting import ANSWER, BODY
from benchmarks.soak.faults import Made
from benchmarks.soak.place import Place
from sagemaker_serving.client import Aws

ENDPOINT, MANY, MODELS = "soak", "soak-many", 6
_AS_ROW = {"predictions": [ANSWER["predictions"]]}
_FORMATS: Sequence[tuple[str, bytes, object]] = (
    ("application/json", BODY, ANSWER),
    ("text/csv", b"1.0\n2.0\n5.0\n", ANSWER),
    ("application/jsonlines", b"[1.0, 2.0, 5.0]\n", _AS_ROW),
)
"""Content type, body, and what is answered; a multi-model endpoint takes JSON alone."""


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A request: when it began and ended, and why it has no right answer."""

    endpoint: str
    began: float
    ended: float
    reason: str = ""


class Requests:
    """One sender for each endpoint, from ``with`` on."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._over = threading.Event()
        self._senders = [
            threading.Thread(target=self._send, args=(endpoint, per_second))
            for endpoint, per_second in ((ENDPOINT, 20.0), (MANY, 5.0))
        ]
        self.sent: list[Sent] = []

    def __enter__(self) -> Requests:
        for sender in self._senders:
            sender.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for sender in self._senders:
            sender.join()

    def lost(self, faults: Sequence[Made]) -> list[Sent]:
        """Those without a right answer, outside of what a fault excuses."""
        return [
            each
            for each in self.sent
            if each.reason and not any(made.excuses(each.began, each.ended) for made in faults)
        ]

    def _send(self, endpoint: str, per_second: float) -> None:
        address, runtime = self._place.address, self._runtime()
        due = time.monotonic()
        for number in itertools.count():
            if self._over.wait(max(0.0, due - time.monotonic())):
                return
            due = max(due + 1 / per_second, time.monotonic() - 1)
            if self._place.address is not address:
                address, runtime = self._place.address, self._runtime()
            began = time.monotonic()
            reason = ask(runtime, endpoint, number)
            self.sent.append(
                Sent(endpoint=endpoint, began=began, ended=time.monotonic(), reason=reason)
            )

    def _runtime(self) -> object:
        return without_retries(self._place.aws)


def without_retries(aws: Aws) -> object:
    """A runtime client that tells of every failure."""
    from botocore.config import Config

    client = aws.client("sagemaker-runtime")
    client.meta.config.merge(Config(retries={"total_max_attempts": 1}))
    return client


def ask(runtime: object, endpoint: str, number: int) -> str:
    """Ask once; why the answer is not right, or ""."""
    is_many = endpoint == MANY
    content_type, body, wanted = _FORMATS[0 if is_many else number % len(_FORMATS)]
    target = {"TargetModel": f"{number % MODELS}.tar.gz"} if is_many else {}
    try:
        answer = runtime.invoke_endpoint(  # type: ignore[attr-defined]
            EndpointName=endpoint, Body=body, ContentType=content_type, **target
        )
        read = json.load(answer["Body"])
    except (BotoCoreError, ClientError, ValueError) as error:
        return str(error) or type(error).__name__
    return "" if read == wanted else f"another answer: {read}"
