"""Uploads in signed chunks, as SDKs without botocore send them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest

from local_aws.authentication.bodies import (
    SIGNED_CHUNKS,
    SIGNED_CHUNKS_AND_TRAILER,
    UNSIGNED,
    UNSIGNED_CHUNKS,
)
from local_aws.protocol import AwsError
from tests.local_aws.authentication.requests import (
    DEVELOPER,
    HOST,
    NOW,
    REGION,
    authenticator,
    credentials,
    environ_of,
    signing_at,
)

STAMP = "20261118T110640Z"
SCOPE = f"{STAMP[:8]}/{REGION}/s3/aws4_request"
CHUNKS = (b"a" * 70_000, b"b" * 10, b"")
TRAILER = b"x-amz-checksum-crc32c:sOO8/Q==\r\n"


class Declared(S3SigV4Auth):  # type: ignore[misc]
    """Signs the header that says how the body is sent, as other SDKs do."""

    declared = ""

    def payload(self, request: Any) -> str:
        return self.declared


def upload(declared: str, chunks: Sequence[bytes] = CHUNKS, *, trailer: bytes = b"") -> Any:
    """The request with its chunks, each signed after the one before."""
    request = AWSRequest("PUT", f"http://{HOST}/bucket/key")
    request.headers["content-encoding"] = "aws-chunked"
    request.headers["x-amz-decoded-content-length"] = str(sum(map(len, chunks)))
    signer = Declared(credentials(), "s3", REGION)
    signer.declared = declared
    with signing_at(NOW):
        signer.add_auth(request)
    seed = request.headers["Authorization"].rpartition("Signature=")[2]

    def sign(*lines: str) -> str:
        text = "\n".join(lines)
        signed: str = signer.signature(text, request)
        return signed

    nothing = sha256(b"").hexdigest()
    body, previous = b"", seed
    for chunk in chunks:
        digest = sha256(chunk).hexdigest()
        previous = sign("AWS4-HMAC-SHA256-PAYLOAD", STAMP, SCOPE, previous, nothing, digest)
        end = b"" if not chunk else b"\r\n"
        body += b"%x;chunk-signature=%s\r\n%s%s" % (len(chunk), previous.encode(), chunk, end)
    if trailer:
        digest = sha256(trailer.replace(b"\r\n", b"\n")).hexdigest()
        last = sign("AWS4-HMAC-SHA256-TRAILER", STAMP, SCOPE, previous, digest)
        body += trailer + b"x-amz-trailer-signature:" + last.encode() + b"\r\n"
    request.data = body + b"\r\n"
    return environ_of(request)


def refusal(environ: dict[str, Any]) -> AwsError:
    with pytest.raises(AwsError) as refused:
        authenticator().authenticate(environ)
    return refused.value


def with_body(environ: dict[str, Any], body: bytes) -> dict[str, Any]:
    return {**environ, "wsgi.input": io.BytesIO(body)}


@pytest.mark.parametrize(
    ("declared", "trailer"), [(SIGNED_CHUNKS, b""), (SIGNED_CHUNKS_AND_TRAILER, TRAILER)]
)
def test_chunks_signed_one_after_the_other_are_the_signers(declared: str, trailer: bytes) -> None:
    environ = upload(declared, trailer=trailer)
    assert authenticator().authenticate(environ).holder == DEVELOPER


@pytest.mark.parametrize("declared", [SIGNED_CHUNKS, SIGNED_CHUNKS_AND_TRAILER])
def test_no_chunk_can_be_changed_left_out_or_put_elsewhere(declared: str) -> None:
    trailer = TRAILER if declared == SIGNED_CHUNKS_AND_TRAILER else b""
    environ = upload(declared, trailer=trailer)
    body: bytes = environ["wsgi.input"].read()
    second = body.index(b"\r\na;") + 2
    end = body.index(b"0;chunk")
    for changed in (
        body.replace(b"bbbb", b"bbbc", 1),
        body[:second] + body[end:],
        body[second:end] + body[:second] + body[end:],
        body[:end],
        body[: second + 40],
        b"",
        body.replace(b"a;chunk", b"b;chunk", 1),
    ):
        assert refusal(with_body(environ, changed)).code == "SignatureDoesNotMatch"


def test_what_trails_is_signed_too() -> None:
    environ = upload(SIGNED_CHUNKS_AND_TRAILER, trailer=TRAILER)
    body: bytes = environ["wsgi.input"].read()
    changed = body.replace(b"sOO8", b"sOO9")
    assert refusal(with_body(environ, changed)).code == "SignatureDoesNotMatch"


@pytest.mark.parametrize("declared", [UNSIGNED, UNSIGNED_CHUNKS])
def test_a_body_that_is_declared_unsigned_is_taken_as_it_is(declared: str) -> None:
    environ = upload(declared, [b""])
    assert authenticator().authenticate(with_body(environ, b"any")).holder == DEVELOPER


def test_how_a_body_is_sent_must_be_known() -> None:
    environ = upload("STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", [b""])
    assert refusal(environ).code == "InvalidRequest"
    del environ["HTTP_X_AMZ_CONTENT_SHA256"]
    assert refusal(environ).message.startswith("Missing required header for this request")
