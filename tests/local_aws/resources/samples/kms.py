"""Samples of KMS."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::KMS::Alias": (
        Sample(
            ("kms DescribeKey KeyId={Ref}", "kms ListAliases KeyId=$Key"),
            {"AliasName": "alias/lost", "TargetKeyId": "$Key"},
        ),
    ),
    "AWS::KMS::Key": (
        Sample(("kms DescribeKey KeyId={Ref}", "kms GetKeyPolicy KeyId={Ref} PolicyName=default",
          "kms GetKeyRotationStatus KeyId={Ref}", "kms ListResourceTags KeyId={Ref}"),
         {"Description": "a property was lost", "BypassPolicyLockoutSafetyCheck": True,
          "EnableKeyRotation": True, "KeyPolicy": {**EVERYONE, "Id": "found"},
          "KeySpec": "SYMMETRIC_DEFAULT", "KeyUsage": "ENCRYPT_DECRYPT", "MultiRegion": True,
          "Origin": "AWS_KMS", "PendingWindowInDays": 8, "Tags": TAGS},
         needs=("KeySpec", "KeyUsage", "Origin"), told={"KeyPolicy": "found"},
         unread={"PendingWindowInDays": "the deletion goes by it",
          "BypassPolicyLockoutSafetyCheck": "the call goes by it"}),
        Sample(("kms DescribeKey KeyId={Ref}",), {"Enabled": False}),
        Sample(("kms DescribeKey KeyId={Ref}",),
         {"KeySpec": "ECC_NIST_P384", "KeyUsage": "SIGN_VERIFY"}),
        Sample(("kms DescribeKey KeyId={Ref}",), {"Origin": "EXTERNAL"}),
    ),
}  # fmt: skip
