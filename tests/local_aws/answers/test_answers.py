"""The local AWS answers as it did before its protocols were read and written in one place.

`recorded.json` holds status, type, error header and body of some 250 answers, recorded before
the move; what is another every time (ids, times, ports) is left out. ``python -m
tests.local_aws.answers.test_answers`` records them anew. It goes when the moves are done: where AWS
answers otherwise, the answers change.
"""

from __future__ import annotations

import http.client
import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError
from moto.moto_api._internal import moto_api_backend

from tests.local_aws.answers.scenario import Raw, Step, steps
from tests.local_aws.aws import REGION, Aws, StandIn, gateway_of, keys_of

RECORDED = Path(__file__).with_name("recorded.json")
ALWAYS_ANOTHER = {
    r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}": "<uuid>",
    r"localhost:\d+": "<host>",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+0000|\+00:00)?": "<time>",
    r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT": "<time>",
    r"\b1[78]\d{8}(\.\d+)?(e\+?\d+)?\b": "<time>",
    r"\bA(?:RO|ID|KI|SI)A\w{8,17}\b": "<id>",
    r"FQoGZXIvYXdzE\S{20,}?(?=[<\"])": "<token>",
    r"(?<=SecretAccessKey>)[^<]+": "<secret>",
    r"(?<=<UserId>)[^<]+|(?<=scalable-target/)\w+": "<id>",
    r"<(\w+)></\1>": r"<\1/>",
    r"(?<=Request ID: )\w+": "<request>",
    r"/[\w/.-]+(?=/lambda/tasks/)": "<folder>",
    r"(?<=RequestId>)[^<]+": "<request>",
    r"\b[0-9a-f]{32}\b(?!\")": "<hash>",
    r"\b\d+\.\d+ ms|Duration: \S+": "<duration>",
}


def answered(aws: Aws) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each step of the scenario was and how it was answered."""
    for number, step in enumerate(steps()):
        if isinstance(step, Raw):
            yield f"{number:03} {step.service} {step.method} {step.path}", _sent(aws, step)
        else:
            yield f"{number:03} {step.service} {step.operation}", _called(aws, step)


def _called(aws: Aws, step: Step) -> dict[str, Any]:
    client = boto3.client(
        step.service,
        region_name=REGION,
        endpoint_url=aws.url,
        config=Config(
            parameter_validation=False,
            inject_host_prefix=False,
            retries={"total_max_attempts": 1},
        ),
        **keys_of(aws.gateway),
    )
    seen: list[dict[str, Any]] = []

    def look(response_dict: Mapping[str, Any], **_: Any) -> None:
        seen.append(dict(response_dict))

    client.meta.events.register("before-parse", look)
    for _ in range(3000):
        seen.clear()
        try:
            answer = getattr(client, step.operation)(**step.parameters)
        except ClientError:
            answer = {}
        if step.wait is None or _is_over(answer, *step.wait):
            break
        time.sleep(0.02)
    body = seen[-1]["body"]
    content = next((v.read() for v in answer.values() if hasattr(v, "read")), b"")
    return _plain(
        seen[-1]["status_code"], seen[-1]["headers"], content if hasattr(body, "read") else body
    )


def _is_over(answer: Mapping[str, Any], member: str, values: tuple[str, ...]) -> bool:
    found = answer.get(member)
    return (found[0]["StackStatus"] if isinstance(found, list) else found) in values


def _sent(aws: Aws, raw: Raw) -> dict[str, Any]:
    given = keys_of(aws.gateway)
    keys = Credentials(given["aws_access_key_id"], given["aws_secret_access_key"])
    request = AWSRequest(raw.method, f"{aws.url}{raw.path}", dict(raw.headers), raw.body)
    SigV4Auth(keys, raw.service, REGION).add_auth(request)
    connection = http.client.HTTPConnection("localhost", urlsplit(aws.url).port or 0, timeout=60)
    connection.request(raw.method, raw.path, raw.body, dict(request.headers.items()))
    answer = connection.getresponse()
    return _plain(answer.status, dict(answer.getheaders()), answer.read())


def _plain(status: int, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
    kept = {name.lower(): value for name, value in headers.items()}
    text = body.decode("utf-8", "backslashreplace")
    try:
        shown: Any = json.loads(_without_what_changes(text))
    except ValueError:
        shown = _without_what_changes(text)
    return {
        "status": status,
        "type": kept.get("content-type"),
        "error": kept.get("x-amzn-errortype"),
        "body": shown,
    }


def _without_what_changes(text: str) -> str:
    for pattern, name in ALWAYS_ANOTHER.items():
        text = re.sub(pattern, name, text)
    return re.sub(r"(?<=[:\s\[])<time>(?=[,}\s\]])", '"<time>"', text)


def recording() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        gateway = gateway_of(Path(folder), launch=StandIn.start)
        gateway.start()
        try:
            return dict(answered(Aws(gateway)))
        finally:
            gateway.stop()
            moto_api_backend.reset()  # the emulator's state is the process's, and other tests' too


@pytest.mark.timeout(600)
def test_every_answer_is_what_it_was() -> None:
    expected = json.loads(RECORDED.read_text())
    found = recording()
    differing = {
        name: {"was": expected.get(name), "is": answer}
        for name, answer in found.items()
        if expected.get(name) != answer
    }
    assert differing == {}
    assert found.keys() == expected.keys()


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(recording(), indent=1, sort_keys=True) + "\n")
