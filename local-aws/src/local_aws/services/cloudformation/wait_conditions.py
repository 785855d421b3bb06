"""Wait conditions: a stack goes on when somebody has signalled at a handle's presigned URL.

What is sent, and when a condition holds, is as the CloudFormation user guide says ("Create wait
conditions in a CloudFormation template", "Wait condition signal syntax") and the template reference
(AWS::CloudFormation::WaitCondition, AWS::CloudFormation::WaitConditionHandle). The
URL's form, the physical ids and the words of a time-out are those of a stack of 2026-09-11 that
somebody wrote down; those of a failure are awslabs' and aws-parallelcluster's tests'. AWS says
``Unparsable WaitCondition data`` (cloudformation-coverage-roadmap#2088, 2024); that absent Data and
Reason are no such case is unverified.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

from botocore.auth import S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from typing_extensions import override

from local_aws.deposits import WAIT_CONDITIONS
from local_aws.resources.base import (
    POLL_SECONDS,
    Attributes,
    Cancelled,
    Made,
    Properties,
    Provider,
    Request,
    ResourceFailed,
)
from local_aws.template import as_text

TIMEOUT_LIMIT_SECONDS = 43200
SUCCESS, FAILURE = "SUCCESS", "FAILURE"

_URL_SECONDS = 43199
"""How long a handle's URL is good for: X-Amz-Expires of the URL written down."""


class WaitConditionHandle(Provider):
    """``AWS::CloudFormation::WaitConditionHandle``: Ref is the URL that takes signals by PUT."""

    type_name = "AWS::CloudFormation::WaitConditionHandle"

    @override
    def create(self, request: Request) -> Made:
        own_id = str(uuid4())
        key = f"{request.stack_id}/{own_id}/{request.logical_id}"
        request.context.deposits.open(key)
        return Made(physical_id=_presigned(request, key), attributes={"Id": own_id})

    @override
    def update(self, request: Request) -> Attributes:
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        request.context.deposits.close(_key_of(request.physical_id) or "")


class WaitCondition(Provider):
    """``AWS::CloudFormation::WaitCondition``: its attribute Data is a JSON object, as text.

    One with a creation policy has no handle, and waits for nothing here.
    """

    type_name = "AWS::CloudFormation::WaitCondition"

    @override
    def problems(self, properties: Properties) -> Iterator[str]:
        for name, least, most in (("Timeout", 0, TIMEOUT_LIMIT_SECONDS), ("Count", 1, None)):
            given = properties.get(name, least)
            if isinstance(given, int | str) and not _is_whole(given, least, most):
                limit = f"of at least {least}" if most is None else f"from {least} to {most}"
                yield f"{name} is {given!r}; it must be a whole number {limit}"

    @override
    def create(self, request: Request) -> str:
        handle = request.properties.get("Handle")
        if handle is None:
            return request.name(255)
        key = _key_of(str(handle))
        if key is None:
            raise ResourceFailed(
                f"Handle is {handle!r}; it must be the Ref of an "
                "AWS::CloudFormation::WaitConditionHandle",
                code=None,
            )
        request.context.deposits.open(key)
        return key

    @override
    def complete(self, request: Request) -> Attributes:
        data = _signalled(request) if "Handle" in request.properties else {}
        return {"Data": json.dumps(data, separators=(",", ":")), "Id": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        what = f"Update to resource type {self.type_name} is not supported"
        raise ResourceFailed(what, code=None)

    @override
    def restore(self, request: Request) -> Attributes:
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        return None


def _signalled(request: Request) -> dict[str, Any]:
    """The data of as many signals as are wanted, by their ids. Raises ResourceFailed."""
    wanted = int(request.properties.get("Count", 1))
    limit = request.context.seconds(int(request.properties.get("Timeout", 0)))
    deadline = time.monotonic() + limit
    while True:
        is_late = time.monotonic() > deadline
        data = _read(request.context.deposits.at(request.physical_id))
        if len(data) >= wanted:
            return data
        if is_late:
            raise ResourceFailed(
                f"WaitCondition timed out. Received {len(data)} conditions when expecting {wanted}",
                code=None,
            )
        if request.stop.wait(POLL_SECONDS):
            raise Cancelled


def _read(bodies: list[bytes]) -> dict[str, Any]:
    """The data of the signals sent, by their ids; one of an id that was there is a retransmission.

    Raises ResourceFailed for a failure, and for what is no signal.
    """
    data: dict[str, Any] = {}
    for body in bodies:
        try:
            signal = json.loads(body)
        except ValueError:
            signal = None
        known = isinstance(signal, dict) and signal.get("Status") in (SUCCESS, FAILURE)
        if not known or not signal.get("UniqueId"):
            raise ResourceFailed("Unparsable WaitCondition data", code=None)
        unique_id = as_text(signal["UniqueId"])
        if signal["Status"] == FAILURE:
            raise ResourceFailed(
                f"WaitCondition received failed message: '{signal.get('Reason', '')}' for "
                f"uniqueId: {unique_id}",
                code=None,
            )
        data.setdefault(unique_id, signal.get("Data", ""))
    return data


def _presigned(request: Request, key: str) -> str:
    """Where an object of this key is put, signed in the developer's name."""
    bucket, account = f"{WAIT_CONDITIONS}{request.region}", request.context.credentials
    url = f"{request.context.url}/{bucket}/{quote(key)}"
    put = AWSRequest(method="PUT", url=url)
    keys = Credentials(account.access_key_id, account.secret_access_key)
    S3SigV4QueryAuth(keys, "s3", request.region, expires=_URL_SECONDS).add_auth(put)
    return str(put.url)


def _key_of(url: str) -> str | None:
    """The key that a handle's URL puts objects under; None for any other URL."""
    bucket, _, key = unquote(urlsplit(url).path).lstrip("/").partition("/")
    return key if bucket.startswith(WAIT_CONDITIONS) and key else None


def _is_whole(value: int | str, least: int, most: int | None) -> bool:
    text = str(value)
    return text.isdecimal() and least <= int(text) and (most is None or int(text) <= most)
