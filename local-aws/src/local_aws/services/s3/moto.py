"""Changes to the emulator's S3, each with its reason."""

from __future__ import annotations

from typing import Any

from moto.iam.access_control import PermissionResult
from moto.s3 import notifications
from moto.s3.models import FakeBucket

from local_aws.events import Targets


def apply(targets: Targets) -> None:
    """Apply every patch; a second time only leads the emulator to other targets."""
    leave_bucket_policies_to_the_gateway()
    log_access_before_the_policy_is_there()
    notify_functions_of_objects(targets)


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


def notify_functions_of_objects(targets: Targets) -> None:
    """A bucket's events go to the emulator's own Lambda, which has no functions."""

    def invoke_function(account_id: str, event_body: Any, fn_arn: str, region_name: str) -> None:
        bucket = event_body["Records"][0]["s3"]["bucket"]["arn"]
        targets.deliver(fn_arn, event_body, service="s3.amazonaws.com", source_arn=bucket)

    notifications._invoke_awslambda = invoke_function
