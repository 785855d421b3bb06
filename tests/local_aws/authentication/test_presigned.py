"""A URL that somebody has signed opens what it was signed for, until its time is over."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config

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
    signing_at,
)

VERSIONS = pytest.mark.parametrize("version", ["s3v4", "s3"])
KEY = "a folder/k+ö~.bin"


def url(
    version: str,
    holder: AnyCaller = DEVELOPER,
    operation: str = "get_object",
    seconds: int = 600,
    **more: str,
) -> str:
    """The path and query of what boto3 presigns."""
    keys = credentials(holder)
    client = boto3.client(
        "s3",
        region_name=REGION,
        endpoint_url=f"http://{HOST}",
        aws_access_key_id=keys.access_key,
        aws_secret_access_key=keys.secret_key,
        aws_session_token=keys.token,
        config=Config(signature_version=version),
    )
    place = {"Bucket": "bucket", "Key": KEY, **more}
    with signing_at(NOW):
        whole: str = client.generate_presigned_url(operation, Params=place, ExpiresIn=seconds)
    return whole.removeprefix(f"http://{HOST}")


def opened(
    target: str, method: str = "GET", now: float = NOW, content_type: str | None = None
) -> Caller[AnyCaller]:
    headers = {} if content_type is None else {"Content-Type": content_type}
    body = b"body" if method == "PUT" else b""
    request = environ(method, target, {"Host": HOST, **headers}, body)
    return authenticator(now).authenticate(request)


def refusal(
    target: str, method: str = "GET", now: float = NOW, content_type: str | None = None
) -> AwsError:
    with pytest.raises(AwsError) as refused:
        opened(target, method, now, content_type)
    return refused.value


@VERSIONS
@pytest.mark.parametrize("holder", [DEVELOPER, SESSION])
def test_whoever_has_the_url_is_its_signer(version: str, holder: AnyCaller) -> None:
    caller = opened(url(version, holder))
    assert (caller.holder, caller.service) == (holder, "s3")


@VERSIONS
@pytest.mark.parametrize(
    "more", [{"VersionId": "1"}, {"ResponseContentType": "text/plain; charset=utf-8"}]
)
def test_what_it_asks_for_beside_the_object_is_signed_too(version: str, more: Any) -> None:
    target = url(version, **more)
    assert opened(target).holder == DEVELOPER
    changed = target.replace("versionId=1", "versionId=2").replace("charset", "CHARSET")
    assert refusal(changed).code == "SignatureDoesNotMatch"


@VERSIONS
def test_it_opens_no_other_object_and_does_nothing_else(version: str) -> None:
    target = url(version)
    assert refusal(target.replace("/bucket/", "/bucket/x")).code == "SignatureDoesNotMatch"
    assert refusal(target.replace("/bucket/", "/other/")).code == "SignatureDoesNotMatch"
    assert refusal(target, "DELETE").code == "SignatureDoesNotMatch"
    assert refusal(target, "PUT").code == "SignatureDoesNotMatch"


@VERSIONS
def test_its_time_is_over_as_s3_says(version: str) -> None:
    target = url(version, seconds=600)
    assert opened(target, now=NOW + 599).holder == DEVELOPER
    error = refusal(target, now=NOW + 601)
    assert (error.code, error.status, error.message) == ("AccessDenied", 403, "Request has expired")


@VERSIONS
def test_its_time_cannot_be_made_longer(version: str) -> None:
    target = url(version, seconds=600)
    longer = target.replace("X-Amz-Expires=600", "X-Amz-Expires=6000")
    longer = longer.replace(f"Expires={int(NOW) + 600}", f"Expires={int(NOW) + 6000}")
    assert longer != target
    assert refusal(longer, now=NOW + 601).code == "SignatureDoesNotMatch"


def test_nothing_is_signed_for_more_than_a_week() -> None:
    error = refusal(url("s3v4", seconds=7 * 24 * 3600 + 1))
    assert (error.code, error.status) == ("AuthorizationQueryParametersError", 400)


@VERSIONS
def test_an_upload_has_the_type_that_was_signed(version: str) -> None:
    target = url(version, operation="put_object", ContentType="text/plain")
    assert opened(target, "PUT", content_type="text/plain").holder == DEVELOPER
    for other in ("text/html", None):
        assert refusal(target, "PUT", content_type=other).code == "SignatureDoesNotMatch"


def test_a_parameter_that_stands_there_twice_is_refused() -> None:
    target = url("s3v4")
    assert refusal(f"{target}&X-Amz-Expires=6000").status in (400, 403)


def test_services_without_objects_take_presigned_calls() -> None:
    """As ``aws eks get-token`` makes one of GetCallerIdentity."""
    request = AWSRequest("GET", f"http://{HOST}/?Action=GetCallerIdentity&Version=2011-06-15")
    with signing_at(NOW):
        SigV4QueryAuth(credentials(), "sts", REGION, expires=60).add_auth(request)
    target = request.url.removeprefix(f"http://{HOST}")
    assert opened(target).service == "sts"
    assert refusal(target, now=NOW + 61).code == "RequestExpired"
    other = target.replace("GetCallerIdentity", "GetSessionToken")
    assert refusal(other).code == "SignatureDoesNotMatch"
