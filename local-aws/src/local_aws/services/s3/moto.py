"""Changes to the emulator's S3, each with its reason."""

from __future__ import annotations

import base64
import os
import uuid
from typing import Any

from moto.iam.access_control import PermissionResult
from moto.s3 import notifications
from moto.s3.exceptions import S3ClientError
from moto.s3.models import FakeBucket, S3Backend, s3_backends
from moto.s3.responses import S3Response
from moto.utilities.utils import get_partition

from local_aws.arn import Arn
from local_aws.emulator.replacing import Original, replaces
from local_aws.events import Targets

_ENCRYPTION = "x-amz-server-side-encryption"
_AES256 = {
    "Rule": {
        "ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"},
        "BucketKeyEnabled": "false",
    }
}
"""How S3 encrypts where nobody has said otherwise, since January 2023: its user guide, "Setting
default server-side encryption behavior"."""


def apply(targets: Targets) -> None:
    """Apply every patch; a second time only leads the emulator to other targets."""
    leave_bucket_policies_to_the_gateway()
    log_access_before_the_policy_is_there()
    notify_functions_of_objects(targets)
    notify_nobody_abroad()
    encrypt_as_the_bucket_says()
    say_what_checksums_are_of()
    number_answers_as_s3()
    take_all_tags_away()


def bucket(account_id: str, region: str, name: str) -> FakeBucket:
    """The emulator's bucket; raises its NoSuchBucket when there is none."""
    return s3_backends[account_id][get_partition(region)].get_bucket(name)


def leave_bucket_policies_to_the_gateway() -> None:
    """The emulator takes every Deny of a bucket's policy for one, whatever its conditions.

    Buckets that take TLS only would refuse everything. The gateway judges each request by the
    policy before it comes here, unsigned ones too.
    """
    FakeBucket.get_permission = lambda *_: PermissionResult.NEUTRAL


def log_access_before_the_policy_is_there() -> None:
    """The emulator turns logging on only into a bucket whose policy allows it already.

    On AWS the order is free, and CDK's is the other way round: the policy names
    the bucket that is logged, so it comes after it.
    """
    FakeBucket._log_permissions_enabled_policy = staticmethod(lambda *_, **__: True)


def take_all_tags_away() -> None:
    """The emulator breaks on an object's tags when there are none in the new ones."""

    @replaces(S3Response, "_tagging_from_xml")
    def tagging(original: Original, response: Any) -> dict[str, str]:
        return {} if b"<Tag>" not in response.body else original(response)


def notify_functions_of_objects(targets: Targets) -> None:
    """A bucket's events go to the emulator's own Lambda, which has no functions."""

    def invoke_function(account_id: str, event_body: Any, fn_arn: str, region_name: str) -> None:
        bucket = event_body["Records"][0]["s3"]["bucket"]["arn"]
        targets.deliver(fn_arn, event_body, service="s3.amazonaws.com", source_arn=bucket)

    notifications._invoke_awslambda = invoke_function


def notify_nobody_abroad() -> None:
    """Of another account's queue the emulator looks for the name in the bucket's account."""

    @replaces(FakeBucket, "set_notification_configuration")
    def set_notification_configuration(
        original: Original, self: Any, given: dict[str, Any] | None
    ) -> None:
        for kind in ("Topic", "Queue"):
            for each in (given or {}).get(f"{kind}Configuration") or ():
                if Arn.parse(each[kind]).account != self.account_id:
                    what = "the local AWS tells topics and queues of the bucket's own account only"
                    raise S3ClientError("InvalidArgument", f"{what}, not {each[kind]}")
        original(self, given)


def encrypt_as_the_bucket_says() -> None:
    """The emulator keeps, and answers, an encryption only where the request names one."""

    @replaces(S3Backend, "put_object")
    def put_object(
        original: Original, self: Any, bucket_name: str, *arguments: Any, **options: Any
    ) -> Any:
        if options.get("encryption") is None:
            options |= _default_of(self.get_bucket(bucket_name))
        return original(self, bucket_name, *arguments, **options)

    @replaces(S3Response, "_key_response_post")
    def key_response_post(
        original: Original, self: Any, request: Any, body: bytes, bucket: str, query: Any, key: str
    ) -> Any:
        status, headers, written = original(self, request, body, bucket, query, key)
        if "uploads" in query and _ENCRYPTION not in headers:
            default = _default_of(self.backend.get_bucket(bucket))
            headers |= {_ENCRYPTION: default["encryption"]}
        return status, headers, written

    S3Backend.get_bucket_encryption = lambda self, bucket_name: _encryption_of(
        self.get_bucket(bucket_name)
    )


def say_what_checksums_are_of() -> None:
    """Where the emulator answers a checksum it says of few that they are of the whole object."""
    for name in ("put_object", "get_object", "head_object"):
        replaces(S3Response, name)(_with_type)


def number_answers_as_s3() -> None:
    """S3 has headers of its own for a request's id; by the second one SDKs know S3."""

    @replaces(S3Response, "_enrich_response")
    def enrich(original: Original, headers: Any, body: Any) -> Any:
        headers, body = original(headers, body)
        headers["x-amz-request-id"] = headers.pop("x-amzn-requestid", uuid.uuid4().hex)
        headers["x-amz-id-2"] = base64.b64encode(os.urandom(48)).decode()
        return headers, body


def _with_type(
    original: Original, self: Any, *arguments: Any, **options: Any
) -> tuple[Any, Any, Any]:
    status, headers, body = original(self, *arguments, **options)
    if any(name.startswith("x-amz-checksum-") for name in headers):
        version = self.querystring.get("versionId", [None])[0]
        key = self.backend.get_object(self.bucket_name, self.parse_key_name(), version)
        headers["x-amz-checksum-type"] = key.checksum_type or "FULL_OBJECT"
    return status, headers, body


def _default_of(bucket: Any) -> dict[str, Any]:
    """What `S3Backend.put_object` takes of a bucket's encryption."""
    rule = _encryption_of(bucket)["Rule"]
    default = rule["ApplyServerSideEncryptionByDefault"]
    return {
        "encryption": default["SSEAlgorithm"],
        "kms_key_id": default.get("KMSMasterKeyID"),
        "bucket_key_enabled": rule.get("BucketKeyEnabled"),
    }


def _encryption_of(bucket: Any) -> Any:
    return bucket.encryption or _AES256
