from __future__ import annotations

from typing import Any

import pytest
from aws_cdk.assertions import Match, Template

from sagemaker_serving.infra import DataBucket


def test_a_retained_bucket_is_private_versioned_encrypted_and_logged(bench: Any) -> None:
    DataBucket(bench.stack, "Data", retain=True)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::S3::Bucket",
        {
            "VersioningConfiguration": {"Status": "Enabled"},
            "BucketEncryption": Match.any_value(),
            "LoggingConfiguration": Match.any_value(),
            "PublicAccessBlockConfiguration": {
                "BlockPublicAcls": True,
                "BlockPublicPolicy": True,
                "IgnorePublicAcls": True,
                "RestrictPublicBuckets": True,
            },
        },
    )


def test_disposable_data_leaves_no_bucket_of_logs_behind(bench: Any) -> None:
    DataBucket(bench.stack, "Data", retain=False)
    Template.from_stack(bench.stack).resource_count_is("AWS::S3::Bucket", 1)


@pytest.mark.parametrize(
    ("retain", "of_bucket", "of_key"),
    [(True, "Retain", "Retain"), (False, "Delete", "RetainExceptOnCreate")],
)
def test_data_goes_with_the_stack_only_when_told_and_its_key_never(
    bench: Any, retain: bool, of_bucket: str, of_key: str
) -> None:
    DataBucket(bench.stack, "Data", retain=retain, customer_key=True)
    template = Template.from_stack(bench.stack)
    for kind, policy in (("AWS::S3::Bucket", of_bucket), ("AWS::KMS::Key", of_key)):
        for resource in template.find_resources(kind).values():
            assert resource["DeletionPolicy"] == policy


def test_what_is_told_to_expire_does_and_nothing_else(bench: Any) -> None:
    DataBucket(bench.stack, "Data", retain=False, expires={"digits/captured/": 30})
    (bucket,) = Template.from_stack(bench.stack).find_resources("AWS::S3::Bucket").values()
    rules = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    expiring = [rule for rule in rules if "ExpirationInDays" in rule]
    assert expiring == [{"ExpirationInDays": 30, "Prefix": "digits/captured/", "Status": "Enabled"}]


def test_a_key_of_ones_own_is_rotated(bench: Any) -> None:
    DataBucket(bench.stack, "Data", retain=True, customer_key=True)
    Template.from_stack(bench.stack).has_resource_properties(
        "AWS::KMS::Key", {"EnableKeyRotation": True}
    )


def test_only_tls_is_let_in(bench: Any) -> None:
    DataBucket(bench.stack, "Data", retain=True)
    template = Template.from_stack(bench.stack)
    for policy in template.find_resources("AWS::S3::BucketPolicy").values():
        assert any(
            statement["Effect"] == "Deny"
            and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
            for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        )


def test_the_logs_of_every_partition_may_use_the_key(bench: Any) -> None:
    """In China the service is ``logs.<region>.amazonaws.com.cn``; no other has the suffix."""
    DataBucket(bench.stack, "Data", retain=True, customer_key=True)
    (key,) = Template.from_stack(bench.stack).find_resources("AWS::KMS::Key").values()
    (principal,) = [
        statement["Principal"]["Service"]
        for statement in key["Properties"]["KeyPolicy"]["Statement"]
        if "Service" in statement["Principal"]
    ]
    assert principal == {"Fn::Join": ["", ["logs.eu-west-1.", {"Ref": "AWS::URLSuffix"}]]}
