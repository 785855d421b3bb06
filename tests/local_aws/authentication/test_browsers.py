"""What a page of another site sends is turned away by its headers alone."""

from __future__ import annotations

import io
from typing import Any

import pytest

from local_aws.authentication import reject_foreign_origin
from local_aws.protocol import AwsError
from tests.local_aws.authentication.requests import HOST, environ

SIGNED = {"Authorization": "AWS4-HMAC-SHA256 …"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PRESIGNED = "/bucket/key?X-Amz-Signature=ab&X-Amz-Credential=cd"
PRESIGNED_V2 = "/bucket/key?AWSAccessKeyId=a&Signature=b&Expires=1"


class Unread(io.BytesIO):
    """A body that nobody may look at."""

    def read(self, *_: Any) -> bytes:
        raise AssertionError("the body was read")


def rejected(method: str, target: str, **headers: str) -> str:
    """Why a request is turned away; "" when it is not."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = environ(method, target, {"Host": HOST, **named})
    request["wsgi.input"] = Unread()
    try:
        reject_foreign_origin(request)
    except AwsError as error:
        return f"{error.status} {error.code}: {error.message}"
    return ""


def test_a_browser_is_told_in_words_why() -> None:
    assert rejected("GET", "/", Host="evil.example") == (
        "403 AccessDeniedException: the Host header is 'evil.example'; the local AWS answers to "
        "localhost only"
    )


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:4570", "b.localhost:1", "127.0.0.1:80", "127.9.8.7", "[::1]:80"],
)
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert rejected("GET", "/", Host=host) == ""


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "localhost.evil.example:80", "evil-localhost", "127.0.0.1.evil.example"),
        *("128.0.0.1", "0.0.0.0", "10.0.0.1", "169.254.169.254", "[::ffff:10.0.0.1]", "[::2]"),
        *("", "[bad", "localhost.", "127.1", "2130706433", "0177.0.0.1"),
    ],
)
def test_a_name_that_may_be_anybodys_is_refused(host: str) -> None:
    """A page whose own name resolves to the loopback sends that name."""
    assert f"the Host header is '{host}'" in rejected("GET", "/", Host=host)


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://localhost:3000", "https://localhost:4571", "null", ""],
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
def test_another_origin_is_refused(method: str, origin: str) -> None:
    assert "the Origin header" in rejected(method, "/bucket/key", Origin=origin, **SIGNED)


@pytest.mark.parametrize("site", ["cross-site", "same-site", "Cross-Site", "anything"])
def test_a_request_that_another_site_caused_is_refused(site: str) -> None:
    """An image, a link, a frame: they have no Origin."""
    assert "Sec-Fetch-Site" in rejected("GET", "/?Action=ListUsers", Sec_Fetch_Site=site)


def test_a_page_of_its_own_and_an_address_that_somebody_typed_are_answered() -> None:
    assert (
        rejected("GET", "/bucket/key", Origin=f"http://{HOST}", Sec_Fetch_Site="same-origin") == ""
    )
    assert rejected("GET", "/bucket/key", Sec_Fetch_Site="none") == ""


@pytest.mark.parametrize("target", [PRESIGNED, PRESIGNED_V2])
def test_a_page_may_read_what_was_presigned_and_do_nothing_else_with_it(target: str) -> None:
    site = {"Origin": "https://app.example", "Sec_Fetch_Site": "cross-site"}
    assert rejected("GET", target, **site) == ""
    assert rejected("HEAD", target, **site) == ""
    for method in ("PUT", "POST", "DELETE", "OPTIONS"):
        assert rejected(method, target, **site)


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "text/plain;charset=UTF-8", "multipart/form-data; boundary=x", "TEXT/PLAIN"],
)
def test_an_api_takes_no_form_signed_or_not(kind: str) -> None:
    for headers in ({}, SIGNED):
        assert "as a form of a web page has it" in rejected(
            "POST", "/", Content_Type=kind, X_Amz_Target="SageMaker.CreateModel", **headers
        )
        assert rejected("POST", "/", Content_Type=kind, **headers)


def test_json_is_not_sent_as_a_form() -> None:
    target = {"X_Amz_Target": "SageMaker.CreateModel", "Content_Type": FORM["Content-Type"]}
    assert rejected("POST", "/", **target)
    assert rejected("POST", "/endpoints/e/invocations", Content_Type="text/plain")


def test_forms_are_taken_where_aws_takes_them() -> None:
    """Query APIs; a model's input and an object of any type, by signed clients; S3's uploads."""
    assert rejected("POST", "/", Content_Type=FORM["Content-Type"], **SIGNED) == ""
    for path in ("/endpoints/e/invocations", "/bucket/key"):
        assert rejected("POST", path, Content_Type="text/plain", **SIGNED) == ""
    assert rejected("POST", "/bucket", Content_Type="multipart/form-data; boundary=x") == ""
    assert rejected("PUT", "/bucket/key", Content_Type="text/plain") == ""
