"""Bearer tokens, which are presigned requests: ``<service>-api-key-<base64 of host/?query>``.

What is signed is ``POST https://<service>.amazonaws.com/?Action=CallWithBearerToken``, without a
body; ``Version=1`` is added to the signed query. SageMaker's OpenAI route takes nothing else.
Sources: SageMaker developer guide, "Invoke endpoints with OpenAI-compatible APIs", how the token
works; aws/sagemaker-python-sdk, sagemaker-core, ``token_generator``.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from local_aws.authentication.claims import Claim, claim_of
from local_aws.authentication.refusals import Kind, Refused
from local_aws.authentication.signatures import Wire

ACTION = "CallWithBearerToken"
MAX_SECONDS = 12 * 3600
_SCHEME, _KIND = "Bearer ", "-api-key-"


def read_token(environ: Mapping[str, Any]) -> tuple[Wire, Claim]:
    """The request that is signed in a WSGI request's token, and what it claims.

    Raises `Refused` where there is none (a request that is signed itself gets 403 there, as
    stdapi.ai measured it), and for what is no token of AWS's, or good for longer than 12 hours.
    """
    authorization = environ.get("HTTP_AUTHORIZATION", "")
    if not authorization.startswith(_SCHEME):
        raise Refused(
            Kind.MISSING, "this route takes a bearer token, and no signature of the request itself"
        )
    service, kind, encoded = authorization[len(_SCHEME) :].strip().partition(_KIND)
    try:
        url = base64.b64decode(encoded, validate=True).decode("ascii") if kind else ""
    except (binascii.Error, UnicodeError):
        url = ""
    host, _, query = url.partition("/?")
    parameters = parse_qsl(query, keep_blank_values=True)
    if host != f"{service}.amazonaws.com" or ("Action", ACTION) not in parameters:
        raise Refused(
            Kind.INCOMPLETE,
            "the bearer token is none of AWS's: it begins with <service>-api-key-, and holds a "
            f"presigned request for the action {ACTION}",
        )
    signed = [each for each in parameters if each != ("Version", "1")]
    wire = Wire(method="POST", path="/", parameters=signed, headers={"host": host})
    claim = claim_of({}, wire.headers, signed)
    if claim is None or claim.service != service:
        raise Refused(Kind.INCOMPLETE, f"the request in the token is not signed for {service}")
    assert claim.expires_at is not None
    if claim.expires_at - claim.signed_at > MAX_SECONDS:
        raise Refused(Kind.INCOMPLETE, "the bearer token is good for longer than 12 hours")
    return wire, claim
