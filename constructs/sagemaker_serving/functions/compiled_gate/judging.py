"""Asking the golden requests, and holding the answers against those that are recorded."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.answers.acceptance import misses, shown_error
from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.comparison import Comparison, compare
from sagemaker_serving.functions.custom_resource.clients import client, code_of

from .request import Request

MOST_SECONDS = 600
"""How long all requests may take; the function has 15 minutes."""

_HEADERS = {
    "content_type": "ContentType",
    "accept": "Accept",
    "custom_attributes": "CustomAttributes",
}


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What came of it: ``missed`` in sentences, none where the model is accepted.

    ``asked`` of ``requests`` were asked within `MOST_SECONDS`; ``seconds`` is each one's time.
    """

    comparison: Comparison
    missed: list[str]
    requests: int
    seconds: list[float]

    @property
    def figures(self) -> dict[str, str]:
        """The figures for CloudFormation, whose attributes are texts."""
        agreement = self.comparison.agreement
        return {
            "MaxError": shown_error(self.comparison.max_error),
            "MeanError": shown_error(self.comparison.mean_error),
            "Agreement": "unknown" if agreement is None else f"{agreement:.4%}",
            "Requests": str(self.requests),
            "P50Milliseconds": f"{sorted(self.seconds)[len(self.seconds) // 2] * 1000:.1f}",
        }


def judge(request: Request, *, clock: Callable[[], float] = time.monotonic) -> Judgement:
    """Asks the temporary endpoint, one request after the other, with a first one to warm it up.

    Raises `TimeoutError` when it does not get through, and what AWS refuses; an error of the model
    itself is an answer.
    """
    bucket, key = request.golden
    text = client("s3").get_object(Bucket=bucket, Key=key)["Body"].read().decode()
    lines = [json.loads(line) for line in text.splitlines()]
    _ask(request.name, lines[0])
    seconds: list[float] = []

    def pairs() -> Iterator[tuple[Answer, Answer]]:
        began = clock()
        for line in lines:
            sent = clock()
            if sent - began > MOST_SECONDS:
                raise TimeoutError(f"{len(seconds)} of {len(lines)}")
            came = _ask(request.name, line)
            seconds.append(clock() - sent)
            yield Answer(status=line["expected_status"], body=_body(line, "expected_body")), came

    comparison = compare(pairs())
    return Judgement(
        comparison=comparison,
        missed=list(misses(request.limits, comparison, None)),
        requests=len(lines),
        seconds=seconds,
    )


def _ask(endpoint: str, line: Mapping[str, Any]) -> Answer:
    headers = {member: line[key] for key, member in _HEADERS.items() if line.get(key)}
    try:
        answer = client("sagemaker-runtime").invoke_endpoint(
            EndpointName=endpoint, Body=_body(line, "body"), **headers
        )
    except ClientError as error:
        if code_of(error) != "ModelError":
            raise
        said: Mapping[str, Any] = error.response
        return Answer(
            status=said.get("OriginalStatusCode", 500),
            body=str(said.get("OriginalMessage", "")).encode(),
        )
    return Answer(status=200, body=answer["Body"].read())


def _body(line: Mapping[str, Any], key: str) -> bytes:
    """A body as the stack has written it: a text, or base64 of what is none."""
    text = line.get(key)
    if text is not None:
        return str(text).encode()
    return base64.b64decode(line.get(f"{key}_base64", ""))
