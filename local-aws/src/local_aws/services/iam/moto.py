"""Changes to the emulator's IAM, without which CDK's own stacks cannot be deployed."""

from __future__ import annotations

from moto.core import DEFAULT_ACCOUNT_ID
from moto.core.config import default_user_config
from moto.iam import models


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    know_managed_policies()
    look_for_no_account()


def know_managed_policies() -> None:
    """CDK's bootstrap roles have AWS's managed policies, which the emulator has on demand only."""
    default_user_config["iam"] = {"load_aws_managed_policies": True}


def look_for_no_account() -> None:
    """The emulator looks for a caller's account in the IAM of every partition.

    There is one account. Each partition's IAM would read all 1,582 managed policies for that, a
    quarter of a second each time; so only those do whose regions are called.
    """
    models.get_account_id_from = lambda access_key: DEFAULT_ACCOUNT_ID
