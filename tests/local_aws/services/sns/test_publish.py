"""What SNS takes, how it numbers it, and how it signs what it delivers."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from botocore.exceptions import ClientError
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from moto.sns.models import sns_backends

from tests.local_aws.aws import Aws

FIFO = {"FifoTopic": "true", "ContentBasedDeduplication": "true"}


def test_a_topic_that_is_gone_is_said_to_be(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2025."""
    arn = "arn:aws:sns:eu-west-1:123456789012:gone"
    with pytest.raises(ClientError, match="Topic does not exist"):
        aws.client("sns").publish(TopicArn=arn, Message="m")


@pytest.mark.parametrize(("arn", "elements"), [("gone", 1), ("arn:aws", 2), ("a:b:c:d:e", 5)])
def test_a_topic_s_arn_has_six_elements(aws: Aws, arn: str, elements: int) -> None:
    """Recorded by LocalStack's suite, 2024, of GetTopicAttributes and DeleteTopic."""
    sns = aws.client("sns")
    for ask in (sns.get_topic_attributes, sns.delete_topic):
        with pytest.raises(ClientError, match=f"at least 6 elements, not {elements}") as refused:
            ask(TopicArn=arn)
        assert refused.value.response["Error"]["Code"] == "InvalidParameter"


def test_messages_of_a_fifo_topic_need_a_group_and_get_numbers(aws: Aws) -> None:
    """Recorded by LocalStack's suite, 2025."""
    sns = aws.client("sns")
    topic = sns.create_topic(Name="own.fifo", Attributes=FIFO)["TopicArn"]
    with pytest.raises(ClientError, match="MessageGroupId parameter is required") as refused:
        sns.publish(TopicArn=topic, Message="m")
    assert refused.value.response["Error"]["Code"] == "InvalidParameter"
    first = sns.publish(TopicArn=topic, Message="m", MessageGroupId="g")["SequenceNumber"]
    entries = [{"Id": each, "Message": each, "MessageGroupId": "g"} for each in "ab"]
    batch = sns.publish_batch(TopicArn=topic, PublishBatchRequestEntries=entries)
    numbers = [int(each["SequenceNumber"]) for each in batch["Successful"]]
    assert numbers == [int(first) + 1, int(first) + 2]
    assert len(first) == 20


def test_messages_of_another_topic_have_no_number(aws: Aws) -> None:
    topic = aws.client("sns").create_topic(Name="plain")["TopicArn"]
    assert "SequenceNumber" not in aws.client("sns").publish(TopicArn=topic, Message="m")


@pytest.mark.parametrize(
    ("attributes", "version", "digest"),
    [({}, "1", hashes.SHA1()), ({"SignatureVersion": "2"}, "2", hashes.SHA256())],
    ids=["1", "2"],
)
def test_a_message_is_signed_as_its_topic_says(
    aws: Aws, attributes: dict[str, str], version: str, digest: Any
) -> None:
    """SNS's developer guide, "Verifying the signatures of Amazon SNS messages"."""
    sns, sqs = aws.client("sns"), aws.client("sqs")
    url = sqs.create_queue(QueueName=f"signed-{version}")["QueueUrl"]
    topic = sns.create_topic(Name=f"signed-{version}", Attributes=attributes)["TopicArn"]
    arn = topic.replace(":sns:", ":sqs:")
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn)
    sns.publish(TopicArn=topic, Message="m", Subject="s")
    (received,) = sqs.receive_message(QueueUrl=url)["Messages"]
    message = json.loads(received["Body"])
    assert message["SignatureVersion"] == version
    names = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
    signed = "".join(f"{name}\n{message[name]}\n" for name in names)
    keys = sns_backends["123456789012"]["eu-west-1"]._message_public_keys
    certificate = x509.load_pem_x509_certificate(keys[message["SigningCertURL"].rpartition("/")[2]])
    key = certificate.public_key()
    assert isinstance(key, rsa.RSAPublicKey)
    key.verify(base64.b64decode(message["Signature"]), signed.encode(), padding.PKCS1v15(), digest)
