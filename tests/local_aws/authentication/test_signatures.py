"""A request is known by whoever's secret signed it, and only as it was signed."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.utils import percent_encode, percent_encode_sequence
from hypothesis import given
from hypothesis import strategies as st
from urllib3 import encode_multipart_formdata

from local_aws.authentication import Caller
from local_aws.permissions.identities import AnyCaller
from local_aws.protocol import AwsError
from tests.local_aws.authentication.requests import (
    DEVELOPER,
    HOST,
    NOW,
    REGION,
    SESSION,
    authenticator,
    credentials,
    environ,
    environ_of,
    signing_at,
)

MISMATCHES = {"SignatureDoesNotMatch", "InvalidSignatureException", "XAmzContentSHA256Mismatch"}


def signed(
    signer: Callable[..., Any],
    request: AWSRequest,
    service: str = "sagemaker",
    holder: AnyCaller = DEVELOPER,
    at: float = NOW,
    **options: Any,
) -> dict[str, Any]:
    """The request as it arrives, signed at some time."""
    with signing_at(at):
        signer(credentials(holder), service, REGION, **options).add_auth(request)
    return environ_of(request)


def call(body: bytes = b'{"a":1}', path: str = "/") -> AWSRequest:
    return AWSRequest(
        "POST",
        f"http://{HOST}{path}",
        headers={"X-Amz-Target": "SageMaker.ListModels", "Content-Type": "application/json"},
        data=body,
    )


def refusal(environ: dict[str, Any], now: float = NOW) -> AwsError:
    with pytest.raises(AwsError) as refused:
        authenticator(now).authenticate(environ)
    return refused.value


def admitted(environ: dict[str, Any], now: float = NOW) -> Caller[AnyCaller]:
    return authenticator(now).authenticate(environ)


@pytest.mark.parametrize("holder", [DEVELOPER, SESSION])
@pytest.mark.parametrize(
    ("signer", "service"), [(SigV4Auth, "sagemaker"), (S3SigV4Auth, "s3"), (SigV4Auth, "lambda")]
)
def test_a_signed_request_is_its_signers(
    signer: Callable[..., Any], service: str, holder: AnyCaller
) -> None:
    environ = signed(signer, call(path="/a%20b/c"), service, holder)
    caller = admitted(environ)
    assert (caller.holder, caller.region, caller.service) == (holder, REGION, service)
    assert environ["wsgi.input"].read() == b'{"a":1}', "the body can be read after that"


PATHS = st.text(st.characters(codec="utf-8", exclude_characters="/"), min_size=1, max_size=8)
VALUES = st.text(st.characters(codec="utf-8"), max_size=8)
HEADERS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12)


@given(
    service=st.sampled_from(["s3", "lambda", "sagemaker"]),
    segments=st.lists(PATHS, max_size=3),
    query=st.lists(st.tuples(PATHS, VALUES), max_size=3, unique_by=lambda pair: pair[0]),
    header=HEADERS,
    body=st.binary(max_size=64),
    holder=st.sampled_from([DEVELOPER, SESSION]),
)
def test_whatever_botocore_signs_is_known_and_nothing_else(
    service: str,
    segments: list[str],
    query: list[tuple[str, str]],
    header: str,
    body: bytes,
    holder: AnyCaller,
) -> None:
    path = "/" + "/".join(percent_encode(each, safe="-._~") for each in segments)
    suffix = f"?{percent_encode_sequence(query)}" if query else ""
    signer = S3SigV4Auth if service == "s3" else SigV4Auth

    def made() -> dict[str, Any]:
        request = AWSRequest(
            "POST",
            f"http://{HOST}{path}{suffix}",
            headers={"X-Amz-Meta-My_Key": header},
            data=body,
        )
        return signed(signer, request, service, holder)

    assert admitted(made()).holder == holder
    for part, change in CHANGES.items():
        environ = made()
        change(environ)
        error = refusal(environ)
        assert error.code in MISMATCHES, (part, error.code)


def _other_body(environ: dict[str, Any]) -> None:
    environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read() + b"x")


CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    "method": lambda environ: environ.update(REQUEST_METHOD="PUT"),
    "path": lambda environ: environ.update(RAW_URI="/x" + environ["RAW_URI"]),
    "query": lambda environ: environ.update(
        RAW_URI=environ["RAW_URI"] + ("&" if "?" in environ["RAW_URI"] else "?") + "versionId=1"
    ),
    "header": lambda environ: environ.update({"HTTP_X_AMZ_META_MY_KEY": "another value"}),
    "host": lambda environ: environ.update(HTTP_HOST="other.localhost:4570"),
    "body": _other_body,
    "signature": lambda environ: environ.update(
        HTTP_AUTHORIZATION=environ["HTTP_AUTHORIZATION"][:-4] + "ffff"
        if not environ["HTTP_AUTHORIZATION"].endswith("ffff")
        else environ["HTTP_AUTHORIZATION"][:-4] + "0000"
    ),
    "region": lambda environ: environ.update(
        HTTP_AUTHORIZATION=environ["HTTP_AUTHORIZATION"].replace(REGION, "us-east-1")
    ),
}
"""One part of a signed request changed on its way."""


@pytest.mark.parametrize("seconds", [-14 * 60, 0, 14 * 60])
def test_a_quarter_of_an_hour_is_allowed_between_clocks(seconds: float) -> None:
    assert admitted(signed(SigV4Auth, call(), at=NOW + seconds)).holder == DEVELOPER


@pytest.mark.parametrize(
    ("service", "path", "seconds", "code", "said"),
    [
        ("sagemaker", "/", -901, "InvalidSignatureException", "Signature expired: "),
        ("sagemaker", "/", 901, "InvalidSignatureException", "Signature not yet current: "),
        ("s3", "/b/k", -901, "RequestTimeTooSkewed", "The difference between the request time"),
        ("ec2", "/", -901, "RequestExpired", "Request has expired."),
    ],
)
def test_a_replay_after_that_is_refused(
    service: str, path: str, seconds: float, code: str, said: str
) -> None:
    signer = S3SigV4Auth if service == "s3" else SigV4Auth
    request = call(path=path)
    if service != "sagemaker":
        del request.headers["X-Amz-Target"]
    error = refusal(signed(signer, request, service, at=NOW + seconds))
    assert (error.code, error.message[: len(said)]) == (code, said)


def test_a_form_that_came_too_late_is_refused_in_the_words_of_sts() -> None:
    request = AWSRequest(
        "POST",
        f"http://{HOST}/",
        headers={"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"},
        data=b"Action=GetCallerIdentity&Version=2011-06-15",
    )
    error = refusal(signed(SigV4Auth, request, "sts", at=NOW - 3600))
    assert (error.code, error.status) == ("SignatureDoesNotMatch", 403)
    assert error.message == (
        "Signature expired: 20261118T100640Z is now earlier than 20261118T105140Z "
        "(20261118T110640Z - 15 min.)"
    )


def test_a_session_is_known_by_its_token_until_it_ends() -> None:
    def made() -> dict[str, Any]:
        return signed(SigV4Auth, call(), holder=SESSION)

    assert admitted(made()).holder == SESSION
    assert refusal(made(), now=SESSION.expires_at or 0).code == "ExpiredTokenException"
    other = made()
    other["HTTP_X_AMZ_SECURITY_TOKEN"] = "another"
    assert refusal(other).code == "UnrecognizedClientException"
    without = made()
    del without["HTTP_X_AMZ_SECURITY_TOKEN"]
    assert refusal(without).code == "UnrecognizedClientException"


def test_a_lasting_key_has_no_token() -> None:
    environ = signed(SigV4Auth, call())
    environ["HTTP_X_AMZ_SECURITY_TOKEN"] = "any"
    assert refusal(environ).code == "UnrecognizedClientException"


def test_a_header_of_awss_own_must_be_signed() -> None:
    environ = signed(S3SigV4Auth, AWSRequest("GET", f"http://{HOST}/b/k"), "s3")
    environ["HTTP_X_AMZ_COPY_SOURCE"] = "/other/secret"
    error = refusal(environ)
    assert (error.code, error.status) == ("AccessDenied", 403)
    assert error.message == (
        "There were headers present in the request which were not signed: x-amz-copy-source"
    )
    environ = signed(SigV4Auth, AWSRequest("POST", f"http://{HOST}/", data=b"{}"))
    environ["HTTP_X_AMZ_TARGET"] = "SageMaker.DeleteModel"
    assert refusal(environ).code == "InvalidSignatureException"


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        ("AWS4-HMAC-SHA256 Credential=a/20261118/r/s/aws4_request", "IncompleteSignatureException"),
        ("AWS4-HMAC-SHA256 nonsense", "IncompleteSignatureException"),
        ("AWS4-ECDSA-P256-SHA256 Credential=a", "IncompleteSignatureException"),
        ("Bearer token", "IncompleteSignatureException"),
        (
            "AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host,Signature=b",
            "IncompleteSignatureException",
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/20261118/c/d/e,SignedHeaders=host,Signature=b",
            "InvalidSignatureException",
        ),
        (
            "AWS4-HMAC-SHA256 Credential=a/20261117/c/d/aws4_request,SignedHeaders=h,Signature=b",
            "InvalidSignatureException",
        ),
    ],
)
def test_a_header_that_cannot_be_read_is_refused(authorization: str, code: str) -> None:
    environ = environ_of(call())
    environ |= {"HTTP_AUTHORIZATION": authorization, "HTTP_X_AMZ_DATE": "20261118T091120Z"}
    assert refusal(environ).code == code


def test_a_key_that_nobody_has_is_refused() -> None:
    environ = signed(SigV4Auth, call())
    authorization = environ["HTTP_AUTHORIZATION"].replace("AKIAIOSFODNN7", "AKIAIOSFODNN8")
    assert refusal({**environ, "HTTP_AUTHORIZATION": authorization}).code == (
        "UnrecognizedClientException"
    )


def test_two_signatures_are_one_too_many() -> None:
    environ = signed(S3SigV4Auth, AWSRequest("GET", f"http://{HOST}/b/k"), "s3")
    environ["RAW_URI"] += "?X-Amz-Signature=ab"
    assert refusal(environ).message.startswith("Only one auth mechanism allowed")


def test_what_follows_reads_the_scope_that_was_verified() -> None:
    """Whatever stood in other headers, and whatever the emulator would have made of them."""
    environ = signed(SigV4Auth, call())
    environ["HTTP_X_MOTO_ACCOUNT_ID"] = "111111111111"
    admitted(environ)
    scope = environ["HTTP_AUTHORIZATION"].split("Credential=")[1].split(",")[0]
    assert scope.split("/")[0] == DEVELOPER.access_key_id
    assert scope.split("/")[2:4] == [REGION, "sagemaker"]
    assert "HTTP_X_MOTO_ACCOUNT_ID" not in environ


def test_a_body_larger_than_any_call_is_not_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    from local_aws.authentication import bodies

    monkeypatch.setattr(bodies, "MAX_API_BYTES", 10)
    error = refusal(signed(SigV4Auth, call(b"x" * 11)))
    assert (error.code, error.status) == ("RequestEntityTooLargeException", 413)


def test_an_upload_by_a_form_with_a_policy_is_refused_by_name() -> None:
    body, kind = encode_multipart_formdata({"key": "k", "policy": "e30=", "file": ("f", b"x")})
    request = environ("POST", "/bucket", {"Host": HOST, "Content-Type": kind}, body)
    with pytest.raises(AwsError, match="takes no upload by a form with a signed policy"):
        authenticator(NOW).authenticate(request)
