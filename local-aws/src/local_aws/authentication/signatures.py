"""A request signed once more, with its claimed holder's secret, by botocore's own signers.

What botocore cannot know of a request that comes in, it is told: the path, the query and the
headers as they are on the wire, and which of them the client has signed.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote_to_bytes, urlsplit

from botocore.auth import HmacV1Auth, S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest, HTTPHeaders
from botocore.credentials import Credentials

from local_aws.authentication.claims import Claim, Form


@dataclass(frozen=True, kw_only=True)
class Wire:
    """A request as it came: ``path`` is still percent-encoded.

    ``parameters`` are the query's, decoded, in their order; ``headers`` are by lower-case name.
    """

    method: str
    path: str
    parameters: Sequence[tuple[str, str]]
    headers: Mapping[str, str]

    @property
    def bucket_in_host(self) -> str:
        """The bucket of ``<bucket>.localhost``; "" for all other hosts."""
        host = self.headers.get("host", "").partition(":")[0]
        return host.removesuffix(".localhost") if host.endswith(".localhost") else ""


class Signer:
    """Makes the signatures that a secret makes for one claim."""

    def __init__(self, claim: Claim, secret_access_key: str) -> None:
        self._claim = claim
        credentials = Credentials(claim.access_key_id, secret_access_key)
        self._is_s3 = claim.service in _ENCODED_ONCE
        signer = _AsSignedForS3 if self._is_s3 else _AsSigned
        self._v4 = signer(credentials, claim.service, claim.region)
        self._v2 = _Version2(credentials)

    @property
    def credential_scope(self) -> str:
        """``<date>/<region>/<service>/aws4_request``, of the claim's own date."""
        return self.scope_on(self._claim.stamp)

    def scope_on(self, stamp: str) -> str:
        """The same on the day of another time, as signatures have it."""
        return f"{stamp[:8]}/{self._claim.region}/{self._claim.service}/aws4_request"

    def of(self, wire: Wire, payload_hash: str) -> str:
        """The signature of a request; in version 4 ``payload_hash`` stands for its body."""
        if self._claim.form is Form.QUERY_V2:
            return self._of_version_2(wire)
        path = quote(unquote_to_bytes(wire.path), safe="/-_.~") if self._is_s3 else wire.path
        request = AWSRequest(
            method=wire.method,
            url=f"http://signed{path}",
            params=[each for each in wire.parameters if each[0] != "X-Amz-Signature"],
            headers={name: wire.headers.get(name, "") for name in self._claim.signed_headers},
        )
        request.context["timestamp"] = self._claim.stamp
        self._v4.payload_hash = payload_hash
        return self.sign_text(self._v4.string_to_sign(request, self._v4.canonical_request(request)))

    def sign_text(self, string_to_sign: str, *, stamp: str | None = None) -> str:
        """The signature of a text in version 4: of a request, a chunk, or an event.

        ``stamp`` is when that was signed, the request's own time when absent.
        """
        request = AWSRequest()
        request.context["timestamp"] = self._claim.stamp if stamp is None else stamp
        signature: str = self._v4.signature(string_to_sign, request)
        return signature

    def _of_version_2(self, wire: Wire) -> str:
        headers = HTTPHeaders()
        for name, value in (*self._moved_into_the_url(wire), *wire.headers.items()):
            headers[name] = value
        self._v2.date = self._claim.stamp
        bucket = wire.bucket_in_host
        query = "&".join(
            f"{name}={quote(value)}" if value else name for name, value in wire.parameters
        )
        text: str = self._v2.canonical_string(
            wire.method,
            urlsplit(f"http://signed/?{query}"),
            headers,
            auth_path=f"/{bucket}{wire.path}" if bucket else wire.path,
        )
        signature: str = self._v2.sign_string(text)
        return signature

    def _moved_into_the_url(self, wire: Wire) -> Sequence[tuple[str, str]]:
        """The headers that botocore writes into a presigned URL of version 2."""
        return [
            (name, value)
            for name, value in wire.parameters
            if name.lower().startswith("x-amz-") and name.lower() not in wire.headers
        ]


def are_equal(one: str, other: str) -> bool:
    """Whether two signatures are the same, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


_ENCODED_ONCE = frozenset({"s3", "s3-object-lambda", "s3-outposts", "s3express"})
"""Services that encode a path once, and take it decoded: clients differ in what they leave as it
is. All others encode what is on the wire once more."""


class _AsSigned(SigV4Auth):  # type: ignore[misc]
    """Signs the headers that the client has, whichever they are, and no others."""

    payload_hash = ""

    def headers_to_sign(self, request: Any) -> Any:
        return request.headers

    def payload(self, request: Any) -> str:
        return self.payload_hash


class _AsSignedForS3(_AsSigned, S3SigV4Auth):  # type: ignore[misc]
    """The same, with S3's way of writing a path."""


class _Version2(HmacV1Auth):  # type: ignore[misc]
    """Version 2, with the date that the client has signed."""

    date = ""

    def _get_date(self) -> str:
        return self.date
