"""AWS's managed policies are read once, and each account has its own."""

from __future__ import annotations

from moto.iam.models import IAMBackend

from local_aws.services.iam.moto import apply

ARN = "arn:aws:iam::aws:policy/ReadOnlyAccess"


def test_what_one_account_does_to_a_managed_policy_no_other_sees() -> None:
    apply()
    one, other = (
        IAMBackend("aws", account_id=account).managed_policies[ARN]
        for account in ("111111111111", "222222222222")
    )
    assert (one.account_id, other.account_id) == ("111111111111", "222222222222")
    one.attachment_count += 1
    one.tags["key"] = {"Key": "key", "Value": "value"}
    one.versions[0].is_default = not other.versions[0].is_default
    one.versions.append(one.versions[0])
    assert (other.attachment_count, other.tags, len(other.versions)) == (0, {}, 1)
    assert other.versions[0].is_default != one.versions[0].is_default


def test_they_are_of_the_accounts_partition() -> None:
    apply()
    found = IAMBackend("aws-cn", account_id="333333333333").managed_policies
    assert ARN.replace(":aws:iam", ":aws-cn:iam") in found
    assert ARN not in found
