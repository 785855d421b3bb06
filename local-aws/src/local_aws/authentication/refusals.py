"""How AWS says that it does not know a caller, in the words and codes of each protocol.

Sources. Codes and statuses: "Common Errors" of the STS, IAM and EC2 API
references and "Error Responses" of S3's. What services answer in fact, where the pages differ,
is as others recorded it: STS says ``SignatureDoesNotMatch: Signature expired`` (aws/aws-cli#6676),
JSON protocols ``InvalidSignatureException`` (aws/aws-sdk-js#254), EC2 ``RequestExpired`` and
``AuthFailure`` (aws/aws-sdk-java#519).
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

from local_aws.protocol import AwsError, Family, family_of


class Kind(Enum):
    """Why a request's caller is not known."""

    MISSING = auto()
    """There is no signature, and the call needs one."""
    INCOMPLETE = auto()
    """The Authorization header cannot be read."""
    INCOMPLETE_QUERY = auto()
    """The presigned URL cannot be read."""
    UNKNOWN_KEY = auto()
    """Nobody has that access key, or it is turned off."""
    WRONG_TOKEN = auto()
    """A session's key without its token, or with another one."""
    TOKEN_EXPIRED = auto()
    """The session is over."""
    MISMATCH = auto()
    """It was signed with another secret, or what came is not what was signed."""
    SKEWED = auto()
    """It was signed more than a quarter of an hour ago, or ahead."""
    EXPIRED = auto()
    """A presigned URL whose time is over."""
    OTHER_BODY = auto()
    """The body is not the one whose hash was signed."""
    DENIED = auto()
    """S3 alone: what it answers with Access Denied."""
    INVALID = auto()
    """S3 alone: a header that a signed request must have."""
    TOO_LARGE = auto()
    """The body is larger than any call's."""


class Refused(Exception):
    """A request that is refused; ``said`` replaces the kind's usual message."""

    def __init__(self, kind: Kind, said: str = "") -> None:
        super().__init__(said or kind.name)
        self.kind = kind
        self.said = said


def refusal(environ: dict[str, Any], service: str, refused: Refused) -> AwsError:
    """What AWS answers to the request, by the service that it says it is for."""
    family = family_of(environ, service)
    code, status, message = _ANSWERS[family].get(refused.kind, _QUERY[Kind.MISMATCH])
    return AwsError(code, refused.said or message, status=status)


_UNKNOWN = "The security token included in the request is invalid."
_OVER = "The security token included in the request is expired"
_MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your "
    "AWS Secret Access Key and signing method. Consult the service documentation for details."
)
_TOO_LARGE = "the local AWS takes request bodies of this size for objects in S3 only"

_QUERY = {
    Kind.MISSING: (
        "MissingAuthenticationToken",
        403,
        "Request is missing Authentication Token",
    ),
    Kind.INCOMPLETE: ("IncompleteSignature", 400, "the signature is incomplete"),
    Kind.INCOMPLETE_QUERY: ("IncompleteSignature", 400, "the signature is incomplete"),
    Kind.UNKNOWN_KEY: ("InvalidClientTokenId", 403, _UNKNOWN),
    Kind.WRONG_TOKEN: ("InvalidClientTokenId", 403, _UNKNOWN),
    Kind.TOKEN_EXPIRED: ("ExpiredToken", 403, _OVER),
    Kind.MISMATCH: ("SignatureDoesNotMatch", 403, _MISMATCH),
    Kind.SKEWED: ("SignatureDoesNotMatch", 403, "Signature expired"),
    Kind.EXPIRED: ("RequestExpired", 400, "Request has expired."),
    Kind.OTHER_BODY: ("SignatureDoesNotMatch", 403, _MISMATCH),
    Kind.TOO_LARGE: ("RequestEntityTooLarge", 413, _TOO_LARGE),
}
_JSON = {
    Kind.MISSING: ("MissingAuthenticationTokenException", 400, "Missing Authentication Token"),
    Kind.INCOMPLETE: ("IncompleteSignatureException", 400, "the signature is incomplete"),
    Kind.INCOMPLETE_QUERY: ("IncompleteSignatureException", 400, "the signature is incomplete"),
    Kind.UNKNOWN_KEY: ("UnrecognizedClientException", 400, _UNKNOWN),
    Kind.WRONG_TOKEN: ("UnrecognizedClientException", 400, _UNKNOWN),
    Kind.TOKEN_EXPIRED: ("ExpiredTokenException", 400, _OVER),
    Kind.MISMATCH: ("InvalidSignatureException", 400, _MISMATCH),
    Kind.SKEWED: ("InvalidSignatureException", 400, "Signature expired"),
    Kind.EXPIRED: ("InvalidSignatureException", 400, "Signature expired"),
    Kind.OTHER_BODY: ("InvalidSignatureException", 400, _MISMATCH),
    Kind.TOO_LARGE: ("RequestEntityTooLargeException", 413, _TOO_LARGE),
}
_MALFORMED = "The authorization header is malformed"
_ANSWERS: dict[Family, dict[Kind, tuple[str, int, str]]] = {
    Family.QUERY: _QUERY,
    Family.JSON: _JSON,
    Family.REST_JSON: {
        kind: (code, 413 if kind is Kind.TOO_LARGE else 403, message)
        for kind, (code, _, message) in _JSON.items()
    },
    Family.EC2: {
        **_QUERY,
        Kind.UNKNOWN_KEY: (
            "AuthFailure",
            401,
            "AWS was not able to validate the provided access credentials",
        ),
        Kind.SKEWED: ("RequestExpired", 400, "Request has expired."),
    },
    Family.S3: {
        Kind.MISSING: ("AccessDenied", 403, "Access Denied"),
        Kind.DENIED: ("AccessDenied", 403, "Access Denied"),
        Kind.INCOMPLETE: ("AuthorizationHeaderMalformed", 400, _MALFORMED),
        Kind.INCOMPLETE_QUERY: (
            "AuthorizationQueryParametersError",
            400,
            "the presigned URL is malformed",
        ),
        Kind.UNKNOWN_KEY: (
            "InvalidAccessKeyId",
            403,
            "The AWS Access Key Id you provided does not exist in our records.",
        ),
        Kind.WRONG_TOKEN: (
            "InvalidToken",
            400,
            "The provided token is malformed or otherwise invalid.",
        ),
        Kind.TOKEN_EXPIRED: ("ExpiredToken", 400, "The provided token has expired."),
        Kind.MISMATCH: (
            "SignatureDoesNotMatch",
            403,
            "The request signature we calculated does not match the signature you provided. "
            "Check your key and signing method.",
        ),
        Kind.SKEWED: (
            "RequestTimeTooSkewed",
            403,
            "The difference between the request time and the current time is too large.",
        ),
        Kind.EXPIRED: ("AccessDenied", 403, "Request has expired"),
        Kind.OTHER_BODY: (
            "XAmzContentSHA256Mismatch",
            400,
            "The provided 'x-amz-content-sha256' header does not match what was computed.",
        ),
        Kind.INVALID: (
            "InvalidRequest",
            400,
            "Missing required header for this request: x-amz-content-sha256",
        ),
        Kind.TOO_LARGE: (
            "EntityTooLarge",
            400,
            "Your proposed upload exceeds the maximum allowed size",
        ),
    },
}
