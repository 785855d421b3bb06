"""Changes to the emulator's IAM and S3, without which CDK's own stacks cannot be deployed."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.core.config import default_user_config
from moto.iam.access_control import PermissionResult
from moto.iam.models import IAMBackend
from moto.s3.models import FakeBucket


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    know_managed_policies()
    leave_bucket_policies_to_the_gateway()
    log_access_before_the_policy_is_there()


def know_managed_policies() -> None:
    """CDK's bootstrap roles have AWS's managed policies, which the emulator has on demand only.

    It then reads all 1,582 of them for each partition, a quarter of a second
    each time; the one partition that deploys happen in is enough.
    """
    default_user_config["iam"] = {"load_aws_managed_policies": True}
    original = getattr(IAMBackend._init_aws_policies, "__wrapped__", IAMBackend._init_aws_policies)

    @wraps(original)
    def init_aws_policies(backend: Any) -> Any:
        return original(backend) if backend.region_name == "aws" else []

    IAMBackend._init_aws_policies = init_aws_policies


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
