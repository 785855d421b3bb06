"""Buckets, repositories, tables and streams: made as they say, changed in place, deleted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.types.changes import READS, changed_to, tags_of


def test_bucket(aws: Aws) -> None:
    s3 = aws.client("s3")
    logs = resource("S3::Bucket", BucketName="the-logs")
    bucket = resource(
        "S3::Bucket",
        "Logs",
        AccessControl="BucketOwnerFullControl",
        BucketEncryption={
            "ServerSideEncryptionConfiguration": [
                {
                    "BucketKeyEnabled": True,
                    "ServerSideEncryptionByDefault": {
                        "SSEAlgorithm": "aws:kms",
                        "KMSMasterKeyID": "alias/aws/s3",
                    },
                }
            ]
        },
        VersioningConfiguration={"Status": "Enabled"},
        PublicAccessBlockConfiguration={"BlockPublicAcls": "true", "BlockPublicPolicy": True},
        OwnershipControls={"Rules": [{"ObjectOwnership": "BucketOwnerPreferred"}]},
        CorsConfiguration={
            "CorsRules": [
                {
                    "AllowedMethods": ["GET"],
                    "AllowedOrigins": ["*"],
                    "ExposedHeaders": ["ETag"],
                    "MaxAge": "60",
                }
            ]
        },
        LoggingConfiguration={"DestinationBucketName": ref("Logs"), "LogFilePrefix": "b/"},
        LifecycleConfiguration={
            "Rules": [
                {
                    "Id": "old",
                    "Status": "Enabled",
                    "Prefix": "capture/",
                    "ExpirationInDays": 30,
                    "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
                    "Transitions": [{"StorageClass": "GLACIER", "TransitionInDays": 7}],
                    "TagFilters": [{"Key": "a", "Value": "b"}],
                }
            ]
        },
        Tags=tags_of("team=search"),
    )
    outputs = {"Arn": get_att("Bucket", "Arn"), "Domain": get_att("Bucket", "RegionalDomainName")}
    aws.create("Bucket-Stack", template(outputs, Logs=logs, Bucket=bucket))

    name = aws.physical_ids("Bucket-Stack")["Bucket"]
    assert name.startswith("bucket-stack-bucket-")
    assert name == name.lower()
    assert aws.outputs("Bucket-Stack") == {
        "Arn": f"arn:aws:s3:::{name}",
        "Domain": f"{name}.s3.eu-west-1.amazonaws.com",
    }
    (encryption,) = s3.get_bucket_encryption(Bucket=name)["ServerSideEncryptionConfiguration"][
        "Rules"
    ]
    assert encryption["ApplyServerSideEncryptionByDefault"] == {
        "SSEAlgorithm": "aws:kms",
        "KMSMasterKeyID": "alias/aws/s3",
    }
    assert s3.get_bucket_versioning(Bucket=name)["Status"] == "Enabled"
    block = s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"]
    assert (block["BlockPublicAcls"], block["RestrictPublicBuckets"]) == (True, False)
    (owner,) = s3.get_bucket_ownership_controls(Bucket=name)["OwnershipControls"]["Rules"]
    assert owner == {"ObjectOwnership": "BucketOwnerPreferred"}
    (cors,) = s3.get_bucket_cors(Bucket=name)["CORSRules"]
    assert (cors["ExposeHeaders"], cors["MaxAgeSeconds"]) == (["ETag"], 60)
    logging = s3.get_bucket_logging(Bucket=name)["LoggingEnabled"]
    assert (logging["TargetBucket"], logging["TargetPrefix"]) == ("the-logs", "b/")
    (rule,) = s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"]
    assert rule["Expiration"] == {"Days": 30}
    assert rule["Filter"]["And"] == {"Prefix": "capture/", "Tags": tags_of("a=b")}
    assert s3.get_bucket_tagging(Bucket=name)["TagSet"] == tags_of("team=search")

    plain = resource("S3::Bucket", "Logs")
    aws.update("Bucket-Stack", template(outputs, Logs=logs, Bucket=plain))

    assert aws.physical_ids("Bucket-Stack")["Bucket"] == name
    assert s3.get_bucket_versioning(Bucket=name)["Status"] == "Suspended"
    assert "LoggingEnabled" not in s3.get_bucket_logging(Bucket=name)
    for gone in ("get_bucket_cors", "get_bucket_lifecycle_configuration", "get_bucket_tagging"):
        with pytest.raises(ClientError):
            getattr(s3, gone)(Bucket=name)
    for entry in s3.list_objects_v2(Bucket="the-logs")["Contents"]:
        s3.delete_object(Bucket="the-logs", Key=entry["Key"])
    assert aws.delete("Bucket-Stack")["StackStatus"] == "DELETE_COMPLETE"
    assert s3.list_buckets()["Buckets"] == []


def test_a_bucket_that_exists_already_is_not_taken_over(aws: Aws) -> None:
    aws.client("s3").create_bucket(
        Bucket="taken", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )

    stack = aws.create("taken", template(Bucket=resource("S3::Bucket", BucketName="taken")))

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "taken already exists" in str(aws.events("taken"))
    aws.client("s3").delete_bucket(Bucket="taken")


def test_bucket_policy(aws: Aws) -> None:
    s3 = aws.client("s3")
    bucket = resource("S3::Bucket", BucketName="with-policy")
    document = {**READS, "Statement": [{**READS["Statement"][0], "Principal": "*"}]}
    policy = resource("S3::BucketPolicy", Bucket=ref("Bucket"), PolicyDocument=document)
    aws.create("bucket-policy", template(Bucket=bucket, Policy=policy))
    assert json.loads(s3.get_bucket_policy(Bucket="with-policy")["Policy"]) == document

    aws.update("bucket-policy", template(Bucket=bucket))

    with pytest.raises(ClientError, match="NoSuchBucketPolicy"):
        s3.get_bucket_policy(Bucket="with-policy")
    aws.delete("bucket-policy")


def test_repository(aws: Aws) -> None:
    ecr = aws.client("ecr")
    lifecycle = {
        "rules": [
            {
                "rulePriority": 1,
                "selection": {
                    "tagStatus": "untagged",
                    "countType": "imageCountMoreThan",
                    "countNumber": 1,
                },
                "action": {"type": "expire"},
            }
        ]
    }
    repository = resource(
        "ECR::Repository",
        ImageTagMutability="IMMUTABLE",
        LifecyclePolicy={"LifecyclePolicyText": json.dumps(lifecycle)},
        Tags=tags_of("a=1"),
    )
    aws.create("repository", template({"Uri": get_att("R", "RepositoryUri")}, R=repository))
    name = aws.physical_ids("repository")["R"]
    (found,) = ecr.describe_repositories(repositoryNames=[name])["repositories"]
    assert found["imageTagMutability"] == "IMMUTABLE"
    assert found["repositoryUri"] == aws.outputs("repository")["Uri"]
    text = ecr.get_lifecycle_policy(repositoryName=name)["lifecyclePolicyText"]
    assert json.loads(text) == lifecycle

    aws.update("repository", template(R=changed_to(repository, LifecyclePolicy=None)))

    with pytest.raises(ClientError, match="LifecyclePolicyNotFound"):
        ecr.get_lifecycle_policy(repositoryName=name)
    aws.delete("repository")
    assert ecr.describe_repositories()["repositories"] == []


def test_table(aws: Aws) -> None:
    """DescribeTable's members are those that LocalStack's suite recorded, 2025."""
    dynamodb = aws.client("dynamodb")
    key = [{"AttributeName": "id", "KeyType": "HASH"}]
    index = {"IndexName": "by-id", "KeySchema": key, "Projection": {"ProjectionType": "ALL"}}
    table = resource(
        "DynamoDB::Table",
        TableName="records",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=key,
        ProvisionedThroughput={"ReadCapacityUnits": "5", "WriteCapacityUnits": 5},
        TimeToLiveSpecification={"AttributeName": "until", "Enabled": "true"},
        PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        TableClass="STANDARD_INFREQUENT_ACCESS",
        ResourcePolicy={"PolicyDocument": READS},
        Tags=tags_of("a=1"),
    )

    def found() -> dict[str, Any]:
        described: dict[str, Any] = dynamodb.describe_table(TableName="records")["Table"]
        return described

    def time_to_live() -> dict[str, str]:
        answer = dynamodb.describe_time_to_live(TableName="records")
        described: dict[str, str] = answer["TimeToLiveDescription"]
        return described

    aws.create("table", template({"Arn": get_att("Table", "Arn")}, Table=table))

    arn = found()["TableArn"]
    assert aws.outputs("table") == {"Arn": arn}
    assert found()["TableId"] == found()["TableId"]
    assert (
        found()
        .keys()
        .isdisjoint({"BillingModeSummary", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"})
    )
    assert found()["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert time_to_live() == {"AttributeName": "until", "TimeToLiveStatus": "ENABLED"}
    backups = dynamodb.describe_continuous_backups(TableName="records")
    recovery = backups["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
    assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
    assert json.loads(dynamodb.get_resource_policy(ResourceArn=arn)["Policy"]) == READS
    assert dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"] == tags_of("a=1")

    changed = changed_to(
        table,
        ProvisionedThroughput=None,
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[index],
        StreamSpecification={"StreamViewType": "NEW_IMAGE"},
        TimeToLiveSpecification={"AttributeName": "later", "Enabled": True},
        PointInTimeRecoverySpecification=None,
        TableClass=None,
        ResourcePolicy=None,
        Tags=tags_of("b=2"),
    )
    outputs = {"Stream": get_att("Table", "StreamArn")}
    assert aws.update("table", template(outputs, Table=changed))["StackStatus"] == "UPDATE_COMPLETE"

    summary = found()["BillingModeSummary"]
    assert summary["BillingMode"] == "PAY_PER_REQUEST"
    assert summary["LastUpdateToPayPerRequestDateTime"] > found()["CreationDateTime"]
    assert [each["IndexName"] for each in found()["GlobalSecondaryIndexes"]] == ["by-id"]
    assert aws.outputs("table") == {"Stream": found()["LatestStreamArn"]}
    assert found()["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    assert time_to_live() == {"AttributeName": "later", "TimeToLiveStatus": "ENABLED"}
    assert found()["TableClassSummary"] == {"TableClass": "STANDARD"}
    assert dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"] == tags_of("b=2")

    other = {**index, "Projection": {"ProjectionType": "KEYS_ONLY"}}
    changed = changed_to(
        changed,
        GlobalSecondaryIndexes=[other],
        StreamSpecification={"StreamViewType": "KEYS_ONLY"},
        TimeToLiveSpecification=None,
    )
    assert aws.update("table", template(outputs, Table=changed))["StackStatus"] == "UPDATE_COMPLETE"

    (projected,) = found()["GlobalSecondaryIndexes"]
    assert projected["Projection"] == other["Projection"]
    assert aws.outputs("table") == {"Stream": found()["LatestStreamArn"]}
    assert found()["StreamSpecification"]["StreamViewType"] == "KEYS_ONLY"
    assert time_to_live()["TimeToLiveStatus"] == "DISABLED"
    assert aws.delete("table")["StackStatus"] == "DELETE_COMPLETE"
    assert dynamodb.list_tables()["TableNames"] == []


def test_a_website_is_told_by_s3_and_as_only_kept(aws: Aws) -> None:
    """Nothing here answers at its address."""
    s3 = aws.client("s3")
    rule = {
        "RedirectRule": {"ReplaceKeyWith": "new.html"},
        "RoutingRuleCondition": {"KeyPrefixEquals": "old"},
    }
    site = {"IndexDocument": "index.html", "ErrorDocument": "error.html", "RoutingRules": [rule]}
    bucket = resource("S3::Bucket", BucketName="site", WebsiteConfiguration=site)
    aws.create("site", template(Bucket=bucket))
    found = s3.get_bucket_website(Bucket="site")
    assert (found["IndexDocument"], found["ErrorDocument"]) == (
        {"Suffix": "index.html"},
        {"Key": "error.html"},
    )
    assert found["RoutingRules"] == [
        {"Condition": rule["RoutingRuleCondition"], "Redirect": rule["RedirectRule"]}
    ]
    assert aws.kept("site").version.resources["Bucket"].kept == ["WebsiteConfiguration"]

    changed = changed_to(bucket, WebsiteConfiguration=None)
    assert aws.update("site", template(Bucket=changed))["StackStatus"] == "UPDATE_COMPLETE"
    with pytest.raises(ClientError, match="NoSuchWebsiteConfiguration"):
        s3.get_bucket_website(Bucket="site")
    aws.delete("site")
