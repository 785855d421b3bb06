"""An object comes in by a form only as the form's signed policy says."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config
from urllib3 import encode_multipart_formdata

from local_aws.authentication import Caller
from local_aws.credentials import ACCOUNT_ID
from local_aws.permissions.identities import AnyCaller
from local_aws.protocol import AwsError
from local_aws.protocol.call import read_call
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


def fields_of(version: str, holder: AnyCaller = DEVELOPER) -> dict[str, str]:
    """A form that boto3 presigns: keys below ``in/``, at most 10 bytes, of type text/plain."""
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
    conditions = [["content-length-range", 1, 10], {"Content-Type": "text/plain"}]
    with signing_at(NOW):
        form: dict[str, Any] = client.generate_presigned_post(
            "bucket",
            "in/${filename}",
            Fields={"Content-Type": "text/plain"},
            Conditions=conditions,
            ExpiresIn=600,
        )
    fields: dict[str, str] = form["fields"]
    return fields


def sent(
    fields: dict[str, str], content: bytes = b"hello", path: str = "/bucket", now: float = NOW
) -> tuple[Caller[AnyCaller], dict[str, Any]]:
    body, kind = encode_multipart_formdata({**fields, "file": ("name.txt", content, "text/plain")})
    request = environ("POST", path, {"Host": HOST, "Content-Type": kind}, body)
    return authenticator(now).authenticate(request), request


def refusal(fields: dict[str, str], *arguments: Any, **options: Any) -> AwsError:
    with pytest.raises(AwsError) as refused:
        sent(fields, *arguments, **options)
    return refused.value


@VERSIONS
@pytest.mark.parametrize("holder", [DEVELOPER, SESSION])
def test_it_is_an_upload_of_whoever_signed_its_policy(version: str, holder: AnyCaller) -> None:
    caller, request = sent(fields_of(version, holder))
    assert (caller.holder, caller.service) == (holder, "s3")
    call = read_call(request, account=ACCOUNT_ID, region=REGION, scope="s3")
    assert call is not None
    assert (call.operation, call.parameters) == (
        "PutObject",
        {"Bucket": "bucket", "Key": "in/name.txt"},
    )


@VERSIONS
def test_another_policy_is_not_what_was_signed(version: str) -> None:
    fields = fields_of(version)
    fields["policy"] = fields["policy"][:-6] + "AAAA" + fields["policy"][-2:]
    assert refusal(fields).code == "SignatureDoesNotMatch"


@VERSIONS
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"key": "out/name.txt"}, "Policy Condition failed"),
        ({"Content-Type": "text/html"}, "Policy Condition failed"),
        ({"acl": "public-read"}, "Extra input fields: acl"),
    ],
)
def test_a_form_keeps_to_its_policy(version: str, change: dict[str, str], said: str) -> None:
    error = refusal({**fields_of(version), **change})
    assert (error.code, error.status) == ("AccessDenied", 403)
    assert said in error.message


@VERSIONS
@pytest.mark.parametrize("content", [b"", b"x" * 11])
def test_the_file_is_as_large_as_the_policy_says(version: str, content: bytes) -> None:
    assert "content-length-range" in refusal(fields_of(version), content).message


@VERSIONS
def test_another_bucket_is_not_the_policys(version: str) -> None:
    assert '"bucket"' in refusal(fields_of(version), path="/other").message


@VERSIONS
def test_its_time_is_over(version: str) -> None:
    fields = fields_of(version)
    assert refusal(fields, now=NOW + 10 * 365 * 24 * 3600).message.endswith("Policy expired.")


@pytest.mark.parametrize(
    "policy", ["bm90IGpzb24=", "e30=", "eyJleHBpcmF0aW9uIjogMX0=", "not base64"]
)
def test_no_policy_is_no_right(policy: str) -> None:
    fields = {"key": "in/x", "policy": policy, "AWSAccessKeyId": "AKIAIOSFODNN7EXAMPLE"}
    assert refusal(fields).code in ("AccessDenied", "SignatureDoesNotMatch")
