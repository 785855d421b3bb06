"""Changes to the emulator's IAM, without which CDK's own stacks cannot be deployed."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.core.config import default_user_config
from moto.iam.models import IAMBackend


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    know_managed_policies()


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
