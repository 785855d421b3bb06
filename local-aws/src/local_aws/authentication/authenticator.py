"""From a WSGI request to its caller, or to AWS's refusal."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Generic
from urllib.parse import unquote

from moto.core.request import PRESERVED_HEADER_NAMES_ENVIRON_KEY

from local_aws.authentication import bearer, bodies, unsigned
from local_aws.authentication.callers import Caller, H, Holders, Scope
from local_aws.authentication.claims import Claim, Form, claim_of, vouched_claim
from local_aws.authentication.events import EVENTS, signed_events
from local_aws.authentication.refusals import Kind, Refused, refusal
from local_aws.authentication.signatures import Signer, Wire, are_equal
from local_aws.protocol import event_stream, openai_route, two_way_route

SKEW_SECONDS = 15 * 60
"""How far a signature's time may be from now (IAM user guide, "Elements of an AWS API request
signature"). Some services of AWS give 5 minutes for the past."""


class Authenticator(Generic[H]):
    """Verifies signatures: of headers and presigned URLs, over path, query, headers and body.

    ``holders`` knows who has an access key. ``default_region`` is that of what needs no
    signature, ``now`` the time in seconds since the epoch.
    """

    def __init__(
        self, holders: Holders[H], default_region: str, now: Callable[[], float] = time.time
    ) -> None:
        self._holders = holders
        self._default_region = default_region
        self._now = now

    def authenticate(self, environ: dict[str, Any]) -> Caller[H]:
        """The caller of a request. Raises `AwsError` as AWS would.

        Afterwards the request says in its Authorization header whose key it is signed with, and
        for what, wherever the signature was: whoever reads on reads what was verified. A body
        that was verified can be read once more.
        """
        try:
            caller = self._caller(environ)
        except Refused as refused:
            scope = Scope.said_by(environ, self._default_region)
            raise refusal(environ, scope.service, refused) from None
        _say_what_was_verified(environ, caller, self._now())
        return caller

    def _caller(self, environ: dict[str, Any]) -> Caller[H]:
        claim = vouched_claim(environ)
        if claim is not None:
            holder = self._holder(claim)
            return Caller(holder=holder, region=claim.region, service=claim.service)
        if openai_route(environ["PATH_INFO"]) is not None:
            return self._with_a_token(environ)
        wire = _wire(environ)
        claim = claim_of(environ, wire.headers, wire.parameters)
        if claim is None:
            return self._without_a_signature(environ, wire)
        holder = self._holder(claim)
        self._require_time(claim)
        signer = Signer(claim, holder.secret_access_key)
        if claim.form is Form.QUERY_V2:
            self._require(claim, signer.of(wire, ""))
        elif claim.service == "s3":
            self._require_of_s3(environ, wire, claim, signer)
        else:
            _require_all_signed(wire, claim)
            self._require(claim, signer.of(wire, _payload_hash(environ, wire, claim, signer)))
        region = claim.region or self._default_region
        return Caller(holder=holder, region=region, service=claim.service)

    def _with_a_token(self, environ: dict[str, Any]) -> Caller[H]:
        """The signature is the token's own: the request's path and body are not signed."""
        wire, claim = bearer.read_token(environ)
        holder = self._holder(claim)
        self._require_time(claim)
        _require_all_signed(wire, claim)
        self._require(claim, Signer(claim, holder.secret_access_key).of(wire, _EMPTY))
        return Caller(holder=holder, region=claim.region, service=claim.service)

    def _holder(self, claim: Claim) -> H:
        holder = self._holders(claim.access_key_id)
        if holder is None:
            raise Refused(Kind.UNKNOWN_KEY)
        if not are_equal(holder.session_token, claim.session_token):
            raise Refused(Kind.WRONG_TOKEN if claim.session_token else Kind.UNKNOWN_KEY)
        if holder.expires_at is not None and self._now() >= holder.expires_at:
            raise Refused(Kind.TOKEN_EXPIRED)
        return holder

    def _require_time(self, claim: Claim) -> None:
        now = self._now()
        if claim.expires_at is not None and now > claim.expires_at:
            raise Refused(Kind.EXPIRED)
        if claim.form is Form.QUERY_V2:
            return
        if claim.signed_at > now + SKEW_SECONDS:
            raise Refused(Kind.SKEWED, _skewed(claim, now, later=True))
        if claim.expires_at is None and claim.signed_at < now - SKEW_SECONDS:
            raise Refused(Kind.SKEWED, _skewed(claim, now, later=False))

    def _require_of_s3(
        self, environ: dict[str, Any], wire: Wire, claim: Claim, signer: Signer
    ) -> None:
        """S3 has the body's hash in a header, and so its signature is verified before the body."""
        _require_all_signed(wire, claim)
        said = wire.headers.get("x-amz-content-sha256", "")
        if claim.form is Form.QUERY and "x-amz-content-sha256" not in claim.signed_headers:
            said = bodies.UNSIGNED
        if not said:
            raise Refused(Kind.INVALID)
        self._require(claim, signer.of(wire, said))
        if bodies.is_hash(said):
            if sha256(bodies.read_body(environ)).hexdigest() != said:
                raise Refused(Kind.OTHER_BODY)
        elif said in (bodies.SIGNED_CHUNKS, bodies.SIGNED_CHUNKS_AND_TRAILER):
            bodies.require_chunks(
                bodies.read_body(environ),
                signer,
                stamp=claim.stamp,
                seed=claim.signature,
                trailer=said == bodies.SIGNED_CHUNKS_AND_TRAILER,
            )
        elif said not in (bodies.UNSIGNED, bodies.UNSIGNED_CHUNKS):
            raise Refused(Kind.INVALID, f"the local AWS does not know x-amz-content-sha256 {said}")

    def _require(self, claim: Claim, signature: str) -> None:
        if not are_equal(claim.signature, signature):
            raise Refused(Kind.MISMATCH)

    def _without_a_signature(self, environ: dict[str, Any], wire: Wire) -> Caller[H]:
        """What needs none; the gate judges the rest."""
        body = b""
        kind = wire.headers.get("content-type", "").lower()
        if wire.method == "POST" and kind.startswith(_FORMS):
            body = bodies.read_body(environ, at_most=bodies.MAX_API_BYTES)
        if b'name="policy"' in body and unsigned.is_meant_for_s3(environ):
            what = "the local AWS takes no upload by a form with a signed policy; presign a PUT"
            raise Refused(Kind.DENIED, what)
        service = unsigned.open_service(environ, body)
        if service is None and unsigned.is_meant_for_s3(environ):
            service = "s3"
        if service is None:
            raise Refused(Kind.MISSING)
        return Caller(holder=None, region=self._default_region, service=service)


_EMPTY = sha256(b"").hexdigest()


def _wire(environ: dict[str, Any]) -> Wire:
    target: str = environ.get("RAW_URI") or environ["PATH_INFO"]
    path, _, query = target.partition("?")
    if not path.startswith("/"):  # a client that takes this for its proxy names the whole URL
        path = "/" + path.partition("://")[2].partition("/")[2]
    pairs = (part.partition("=") for part in query.split("&") if part)
    return Wire(
        method=environ["REQUEST_METHOD"],
        path=path,
        parameters=[(unquote(name), unquote(value)) for name, _, value in pairs],
        headers=_headers(environ),
    )


def _headers(environ: Mapping[str, Any]) -> Mapping[str, str]:
    """The headers by lower-case name; what was UTF-8 on the wire is so again."""
    as_sent: Mapping[str, str] = environ.get(PRESERVED_HEADER_NAMES_ENVIRON_KEY) or {}
    found = {}
    for key, value in environ.items():
        if key.startswith("HTTP_"):
            name = as_sent.get(key) or key[5:].replace("_", "-")
        elif key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            name = key.replace("_", "-")
        else:
            continue
        found[name.lower()] = value if value.isascii() else _as_utf8(value)
    return found


def _as_utf8(value: str) -> str:
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _require_all_signed(wire: Wire, claim: Claim) -> None:
    """The host and every header of AWS's own must be signed (S3 API reference, "Authenticating
    requests: using the Authorization header")."""
    needed = {"host", *(name for name in wire.headers if name.startswith("x-amz-"))}
    if claim.form is Form.QUERY:
        needed -= {"x-amz-content-sha256"}
    if needed.issubset(claim.signed_headers):
        return
    missing = ", ".join(sorted(needed.difference(claim.signed_headers)))
    kind = Kind.DENIED if claim.service == "s3" else Kind.MISMATCH
    raise Refused(
        kind, f"There were headers present in the request which were not signed: {missing}"
    )


def _payload_hash(environ: dict[str, Any], wire: Wire, claim: Claim, signer: Signer) -> str:
    """What stands for the body in what is signed; of a stream of events each is signed by itself,
    and verified as it comes."""
    is_stream = wire.headers.get("content-type") == event_stream.CONTENT_TYPE
    if not is_stream or two_way_route(environ["PATH_INFO"]) is None:
        return _hash_of_body(environ, wire)
    environ[EVENTS] = signed_events(environ["wsgi.input"], signer, claim.signature)
    return bodies.SIGNED_EVENTS


def _hash_of_body(environ: dict[str, Any], wire: Wire) -> str:
    made = sha256(bodies.read_body(environ, at_most=bodies.MAX_API_BYTES)).hexdigest()
    if wire.headers.get("x-amz-content-sha256", made) != made:
        raise Refused(Kind.OTHER_BODY)
    return made


def _skewed(claim: Claim, now: float, *, later: bool) -> str:
    """AWS's sentence with both times, which S3's and EC2's have not."""
    if claim.service in ("s3", "ec2"):
        return ""
    here, bound = _stamp(now), _stamp(now + SKEW_SECONDS if later else now - SKEW_SECONDS)
    if later:
        return (
            f"Signature not yet current: {claim.stamp} is still later than {bound} "
            f"({here} + 15 min.)"
        )
    return f"Signature expired: {claim.stamp} is now earlier than {bound} ({here} - 15 min.)"


_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


def _say_what_was_verified(environ: dict[str, Any], caller: Caller[Any], now: float) -> None:
    """One caller, region and service for all who read the request, the emulator too."""
    environ.pop("HTTP_X_MOTO_ACCOUNT_ID", None)  # the emulator would take its word for it
    key = "anonymous" if caller.holder is None else caller.holder.access_key_id
    scope = f"{_stamp(now)[:8]}/{caller.region}/{caller.service}/aws4_request"
    environ["HTTP_AUTHORIZATION"] = (
        f"AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders=host, Signature=verified"
    )


def _stamp(seconds: float) -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))
