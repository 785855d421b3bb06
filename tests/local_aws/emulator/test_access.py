"""Each patch of the emulator's IAM and S3: what CDK's own stacks need of them."""

from __future__ import annotations

import json

from tests.local_aws.aws import Aws


def test_awss_managed_policies_can_be_attached(aws: Aws) -> None:
    iam = aws.client("iam")
    aws.role("bootstrap", "cloudformation")
    policy = "arn:aws:iam::aws:policy/AdministratorAccess"
    iam.attach_role_policy(RoleName="bootstrap", PolicyArn=policy)
    attached = iam.list_attached_role_policies(RoleName="bootstrap")["AttachedPolicies"]
    assert [entry["PolicyArn"] for entry in attached] == [policy]


def test_a_bucket_that_takes_tls_only_takes_what_comes_by_the_loopback(aws: Aws) -> None:
    aws.s3.create_bucket(
        Bucket="tls-only", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    deny = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": ["arn:aws:s3:::tls-only", "arn:aws:s3:::tls-only/*"],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    policy = {"Version": "2012-10-17", "Statement": [deny]}
    aws.s3.put_bucket_policy(Bucket="tls-only", Policy=json.dumps(policy))
    aws.s3.put_object(Bucket="tls-only", Key="key", Body=b"body")
    assert aws.s3.get_object(Bucket="tls-only", Key="key")["Body"].read() == b"body"


def test_access_is_logged_into_a_bucket_whose_policy_comes_later(aws: Aws) -> None:
    for name in ("logged", "logs"):
        aws.s3.create_bucket(
            Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
        )
    target = {"TargetBucket": "logs", "TargetPrefix": "data/"}
    aws.s3.put_bucket_logging(Bucket="logged", BucketLoggingStatus={"LoggingEnabled": target})
    found = aws.s3.get_bucket_logging(Bucket="logged")["LoggingEnabled"]
    assert found["TargetBucket"] == "logs"
