"""What the emulator does not look at before it uses it is AWS's error, never the tool's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local_aws.boto import DIRECTLY
from local_aws.protocol.answers import crash_of
from tests.local_aws.aws import REGION, Aws, keys_of

ABSENT = "arn:aws:dynamodb:eu-west-1:123456789012:table/t/export/e"

OBJECT = {"Bucket": "models", "Key": "model.tar.gz"}
VALUELESS = {"TagSpecifications": [{"ResourceType": "instance", "Tags": [{"Key": "k"}]}]}
SUBSCRIBER = {"TopicArn": "topic", "Protocol": "sqs", "Endpoint": "queue"}

WRONG: list[tuple[str, str, dict[str, Any], str]] = [
    # Of the wrong type, left out, beyond what botocore's model of the API allows.
    ("ssm", "GetParameter", {"Name": {"a": "b"}}, "SerializationException"),
    ("kms", "DescribeKey", {}, "ValidationException"),
    ("logs", "DeleteLogGroup", {"logGroupName": "a b"}, "InvalidParameterException"),
    ("iam", "GetRole", {"RoleName": "a b"}, "ValidationError"),
    ("secretsmanager", "CreateSecret", {"Name": "s", "Tags": [{}]}, "ValidationException"),
    ("s3", "ListObjectsV2", {"Bucket": "models", "MaxKeys": "many"}, "InvalidArgument"),
    ("sqs", "SendMessage", {"QueueUrl": "q", "MessageBody": ""}, "MissingParameter"),
    # No ARN, no token, nothing of that name, not without another member.
    ("sns", "GetTopicAttributes", {"TopicArn": "topic"}, "InvalidParameter"),
    ("iam", "ListRoles", {"Marker": "there"}, "ValidationError"),
    ("dynamodb", "DescribeExport", {"ExportArn": ABSENT}, "ExportNotFoundException"),
    ("kms", "GenerateRandom", {}, "ValidationException"),
    ("sns", "Subscribe", {**SUBSCRIBER, "Attributes": {"FilterPolicy": "{"}}, "InvalidParameter"),
    ("sqs", "CreateQueue", {"QueueName": "q", "Attributes": {"DelaySeconds": "x"}}, "InvalidAttr"),
    ("s3", "CompleteMultipartUpload", {**OBJECT, "UploadId": "u"}, "NoSuchUpload"),
    ("s3", "PutBucketLifecycle", {"Bucket": "models"}, "MalformedXML"),
    ("s3", "CreateMultipartUpload", {**OBJECT, "ACL": "mine"}, "InvalidArgument"),
    ("dynamodb", "ExecuteStatement", {"Statement": "no"}, "ValidationException"),
    ("ec2", "AuthorizeSecurityGroupEgress", {"GroupId": "sg-1", **VALUELESS}, "ValidationExce"),
    # Nothing that the emulator has; a bucket's metrics are not the bucket.
    ("apigateway", "GetUsagePlans", {"position": "{}"}, "BadRequestException"),
    ("lambda", "ListFunctions", {"Marker": "x"}, "InvalidParameterValueException"),
    ("iam", "GetHumanReadableSummary", {"EntityArn": "a" * 30}, "InvalidAction"),
    ("s3", "DeleteBucketMetricsConfiguration", {"Bucket": "models", "Id": "m"}, "UnknownOperation"),
]


@pytest.mark.parametrize(("service", "operation", "arguments", "code"), WRONG)
def test_a_wrong_request_is_answered_in_the_services_words(
    aws: Aws, service: str, operation: str, arguments: dict[str, Any], code: str
) -> None:
    with pytest.raises(ClientError) as refused:
        _unchecked(aws, service)._make_api_call(operation, arguments)
    assert refused.value.response["Error"]["Code"].startswith(code)
    assert 400 <= refused.value.response["ResponseMetadata"]["HTTPStatusCode"] < 500


def test_a_key_of_one_region_has_no_copies(aws: Aws) -> None:
    kms = aws.client("kms")
    made = kms.create_key()["KeyMetadata"]["KeyId"]
    with pytest.raises(kms.exceptions.UnsupportedOperationException, match="not a multi-Reg"):
        kms.replicate_key(KeyId=made, ReplicaRegion="us-east-1")


def test_a_bucket_is_still_there_when_its_metrics_were_to_go(aws: Aws) -> None:
    with pytest.raises(ClientError, match="the local AWS does not offer"):
        aws.s3.delete_bucket_metrics_configuration(Bucket="models", Id="m")
    assert aws.s3.head_bucket(Bucket="models")


def test_an_objects_tags_are_all_taken_away(aws: Aws) -> None:
    aws.s3.put_object_tagging(Tagging={"TagSet": [{"Key": "k", "Value": "v"}]}, **OBJECT)
    aws.s3.put_object_tagging(Tagging={"TagSet": []}, **OBJECT)
    assert aws.s3.get_object_tagging(**OBJECT)["TagSet"] == []


def test_a_member_that_no_model_knows_is_left_unread(aws: Aws) -> None:
    ssm = _unchecked(aws, "ssm")
    ssm.meta.events.register(
        "before-call.ssm.PutParameter",
        lambda params, **_: params.update(
            body=json.dumps({**json.loads(params["body"]), "Later": 1}).encode()
        ),
    )
    assert ssm.put_parameter(Name="known", Value="1", Type="String")["Version"] == 1


def test_what_a_search_did_not_find_is_named_and_the_log_has_where_it_broke(
    aws: Aws, caplog: pytest.LogCaptureFixture
) -> None:
    ec2 = _unchecked(aws, "ec2")
    with pytest.raises(ClientError) as refused:
        ec2.replace_network_acl_association(AssociationId="aclassoc-0", NetworkAclId="acl-0")
    message = "AssociationId 'aclassoc-0' does not exist"
    code = "InvalidAssociationID.NotFound"
    assert refused.value.response["Error"] == {"Code": code, "Message": message}
    assert f"ReplaceNetworkAclAssociation of ec2 was answered: {message}\nTraceback" in caplog.text
    assert "\nStopIteration\n" in caplog.text


def test_a_failure_of_the_tools_own_names_the_operation_and_the_log(
    aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(aws.gateway.service("sts"), "_identity", breaks)
    with pytest.raises(ClientError) as failed:
        _unchecked(aws, "sts").get_caller_identity()
    log = aws.gateway.context.state_dir / "local.log"
    assert failed.value.response["Error"] == {
        "Type": "Receiver",
        "Code": "InternalFailure",
        "Message": f"the local AWS failed on GetCallerIdentity of sts; {log} says why",
    }
    assert failed.value.response["ResponseMetadata"]["HTTPStatusCode"] == 500
    assert "a request" in crash_of(None, log).message


def _unchecked(aws: Aws, service: str) -> Any:
    """A client that sends what it is given."""
    import boto3

    config = Config(parameter_validation=False, retries={"total_max_attempts": 1}).merge(DIRECTLY)
    return boto3.client(
        service, REGION, endpoint_url=aws.url, config=config, **keys_of(aws.gateway)
    )
