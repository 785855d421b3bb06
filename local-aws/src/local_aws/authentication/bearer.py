"""SageMaker's bearer tokens, which are presigned requests: a prefix, and base64 of ``host/?query``.

What is signed is ``POST https://sagemaker.amazonaws.com/?Action=CallWithBearerToken``, without a
body; ``Version=1`` is added to the signed query. The OpenAI route takes nothing else.
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

_BEGINNING = "Bearer sagemaker-api-key-"
_SERVICE, _HOST, _ACTION = "sagemaker", "sagemaker.amazonaws.com", "CallWithBearerToken"
_MAX_SECONDS = 12 * 3600


def read_token(environ: Mapping[str, Any]) -> tuple[Wire, Claim]:
    """The request that is signed in a WSGI request's token, and what it claims.

    Raises `Refused` where there is none (a request that is signed itself gets 403 there, as
    stdapi.ai measured it), and for what is no such token, or good for longer than 12 hours.
    """
    authorization = environ.get("HTTP_AUTHORIZATION", "")
    if not authorization.startswith("Bearer "):
        raise Refused(
            Kind.MISSING, "this route takes a bearer token, and no signature of the request itself"
        )
    try:
        encoded = authorization.removeprefix(_BEGINNING).strip()
        url = base64.b64decode(encoded, validate=True).decode("ascii")
    except (binascii.Error, UnicodeError):
        url = ""
    host, _, query = url.partition("/?")
    parameters = parse_qsl(query, keep_blank_values=True)
    if host != _HOST or ("Action", _ACTION) not in parameters:
        raise Refused(
            Kind.INCOMPLETE,
            "the bearer token is none of SageMaker's: it begins with sagemaker-api-key-, and holds "
            f"a presigned request to {_HOST} for the action {_ACTION}; make one with "
            "Predictor(…).bearer_token() or sagemaker-core's generate_token()",
        )
    signed = [each for each in parameters if each != ("Version", "1")]
    wire = Wire(method="POST", path="/", parameters=signed, headers={"host": _HOST})
    claim = claim_of({}, wire.headers, signed)
    if claim is None or claim.service != _SERVICE:
        raise Refused(Kind.INCOMPLETE, f"the request in the token is not signed for {_SERVICE}")
    assert claim.expires_at is not None
    if claim.expires_at - claim.signed_at > _MAX_SECONDS:
        what = "the bearer token is good for longer than 12 hours, the most; make a shorter one"
        raise Refused(Kind.INCOMPLETE, what)
    return wire, claim
