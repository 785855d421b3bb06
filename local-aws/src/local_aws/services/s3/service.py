"""S3: buckets and objects, which the emulator keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from urllib.parse import parse_qsl

from werkzeug import Request

from local_aws.context import LocalContext
from local_aws.permissions.service import Refusal
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.protocol.models import service_model
from local_aws.service import Action, Limit, Service

from . import moto
from .policy import S3Permissions, bucket_policy
from .resources import Bucket, BucketPolicy

_NOT_LOOKED_AT = frozenset(
    {
        *("abac", "analytics", "annotation", "intelligent-tiering", "metadataAnnotationTable"),
        *("metadataConfiguration", "metadataInventoryTable", "metadataJournalTable"),
        *("metadataTable", "metrics", "renameObject", "requestPayment", "session", "torrent"),
    }
)
"""Queries of operations that the emulator does not have (moto 5.2.5)."""

_INTEGER = re.compile(r"-?\d+")
_GRANTEES = re.compile(
    r'\s*(id|uri|emailAddress)="?[^",]+"?(\s*,\s*\w+="?[^",]+"?)*', re.IGNORECASE
)


@cache
def _patterns(operation: str) -> tuple[tuple[str, str, re.Pattern[str], str], ...]:
    """What an operation's numbers and grants must look like: place, name, pattern, refusal."""
    shape = service_model("s3").operation_model(operation).input_shape
    found = []
    for name, member in {} if shape is None else shape.members.items():
        place, key = (member.serialization.get(each, "") for each in ("location", "name"))
        if place in ("querystring", "header") and member.type_name == "integer":
            found.append((place, key, _INTEGER, f"Provided {key} not an integer"))
        elif place == "header" and name.startswith("Grant"):
            found.append((place, key, _GRANTEES, "Argument format not recognized"))
    return tuple(found)


@cache
def _flags(operation: str) -> frozenset[str]:
    """What stands in an operation's query whatever its parameters."""
    query = service_model("s3").operation_model(operation).http["requestUri"].partition("?")[2]
    return frozenset(dict(parse_qsl(query, keep_blank_values=True)))


class S3(Service):
    """S3: buckets and objects, which the emulator keeps."""

    name = "s3"
    limits = (
        Limit("`aws:SecureTransport`", "the loopback counts as TLS"),
        Limit("notifications to topics and queues of another account", "refused by name"),
        Limit("bodies in XML", "read by the emulator, without a judgement by botocore's model"),
    )
    warm_up = "list_buckets"
    permissions = S3Permissions(
        prefix="s3",
        document_of=bucket_policy,
        judges_owner=True,
        denied=Refusal(code="AccessDenied", status=403),
        throttled=Refusal(code="SlowDown", status=503, message="Please reduce your request rate."),
    )
    types = (Bucket(), BucketPolicy())

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def emulates(self, operation: str) -> bool:
        """Not what stands behind a query that the emulator does not look at: it would do the
        operation without it, and delete a bucket where its metrics are to be."""
        return not _flags(operation) & _NOT_LOOKED_AT

    def emulates_unread(self, request: Request) -> bool:
        """Not a POST: its query would name an operation, and a form has been read."""
        return request.method != "POST"

    def actions(self) -> Mapping[str, Action]:
        """Who pays is asked of every bucket by clients that manage them: its owner, always."""
        return {
            "GetBucketRequestPayment": self._payer,
            "PostObject": self._refuse_post,
        }

    def _refuse_post(self, call: Call) -> None:
        """What is posted to a bucket and is no form (S3 API reference, "Error responses"); a form
        was read as PutObject."""
        raise AwsError(
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            status=412,
        )

    def _payer(self, call: Call) -> dict[str, str]:
        moto.bucket(call.account, call.region, call.parameters["Bucket"])
        return {"Payer": "BucketOwner"}

    def check(self, call: Call) -> None:
        """Raise `AwsError` InvalidArgument for numbers and grants in query and headers that are
        none; bodies are not read here."""
        given = {"querystring": call.query, "header": call.headers}
        for place, key, pattern, what in _patterns(call.operation):
            text = given[place].get(key.lower())
            if text is not None and pattern.fullmatch(text) is None:
                raise AwsError("InvalidArgument", what)

    def start(self) -> None:
        """Change the emulator."""
        moto.apply(self._context.targets)
