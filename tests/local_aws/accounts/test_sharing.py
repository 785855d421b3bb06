"""What one account shares with another: both sides must allow it.

Source: IAM user guide, "Cross-account policy evaluation logic".
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.local_aws.accounts.members import HOME, OTHER, client, client_of, refused
from tests.local_aws.aws import REGION, Aws, eventually, policy

CALLER = f"arn:aws:iam::{HOME}:user/caller"


@dataclass(frozen=True, kw_only=True)
class Shared:
    """A resource of the other account: how it is asked for, and how its policy is set."""

    service: str
    action: str
    arn: str
    ask: Callable[[Any], Any]
    share: Callable[[str], Any]


def bucket(aws: Aws) -> Shared:
    s3 = client(aws, "s3")
    s3.create_bucket(Bucket="shared", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_object(Bucket="shared", Key="key", Body=b"there")
    return Shared(
        service="s3",
        action="s3:GetObject",
        arn="arn:aws:s3:::shared/key",
        ask=lambda mine: mine.get_object(Bucket="shared", Key="key"),
        share=lambda text: s3.put_bucket_policy(Bucket="shared", Policy=text),
    )


def key(aws: Aws) -> Shared:
    kms = client(aws, "kms")
    own = {
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{OTHER}:root"},
        "Action": "kms:*",
        "Resource": "*",
    }
    arn = kms.create_key(Policy=policy(own))["KeyMetadata"]["Arn"]
    return Shared(
        service="kms",
        action="kms:Encrypt",
        arn=arn,
        ask=lambda mine: mine.encrypt(KeyId=arn, Plaintext=b"secret"),
        share=lambda text: kms.put_key_policy(
            KeyId=arn,
            PolicyName="default",
            Policy=policy(own, *json.loads(text)["Statement"]),
        ),
    )


def bus(aws: Aws) -> Shared:
    events = client(aws, "events")
    arn = events.create_event_bus(Name="shared")["EventBusArn"]
    entry = {"EventBusName": arn, "Source": "a", "DetailType": "b", "Detail": "{}"}
    return Shared(
        service="events",
        action="events:PutEvents",
        arn=arn,
        ask=lambda mine: mine.put_events(Entries=[entry]),
        share=lambda text: events.put_permission(EventBusName="shared", Policy=text),
    )


def repository(aws: Aws) -> Shared:
    ecr = client(aws, "ecr")
    made = ecr.create_repository(repositoryName="shared")["repository"]
    asked = {"registryId": OTHER, "repositoryName": "shared", "imageIds": [{"imageTag": "none"}]}

    def share(text: str) -> None:
        document = json.loads(text)
        for each in document["Statement"]:
            del each["Resource"]  # ECR takes none
        ecr.set_repository_policy(repositoryName="shared", policyText=json.dumps(document))

    return Shared(
        service="ecr",
        action="ecr:BatchGetImage",
        arn=made["repositoryArn"],
        ask=lambda mine: mine.batch_get_image(**asked),
        share=share,
    )


MADE_BY = [bucket, key, bus, repository]


@pytest.fixture(scope="module", params=MADE_BY, ids=lambda make: make.__name__)
def shared(aws: Aws, request: pytest.FixtureRequest) -> Shared:
    found: Shared = request.param(aws)
    return found


def statement(shared: Shared, principal: str, effect: str = "Allow") -> dict[str, Any]:
    return {
        "Sid": "shared",
        "Effect": effect,
        "Principal": {"AWS": principal},
        "Action": shared.action,
        "Resource": shared.arn,
    }


@pytest.fixture(scope="module")
def keys(aws: Aws) -> Any:
    iam = aws.client("iam")
    iam.create_user(UserName="caller")
    return iam.create_access_key(UserName="caller")["AccessKey"]


@pytest.fixture
def own_policy(aws: Aws, keys: Any, shared: Shared) -> Iterator[Callable[[], None]]:
    """What lets the user do this, from then until the test ends."""
    iam = aws.client("iam")
    own = {"Effect": "Allow", "Action": shared.action, "Resource": shared.arn}
    named = {"UserName": "caller", "PolicyName": "own"}
    given = []

    def let() -> None:
        iam.put_user_policy(**named, PolicyDocument=policy(own))
        given.append(named)

    yield let
    for each in given:
        iam.delete_user_policy(**each)


def test_a_resource_is_kept_from_every_other_account(aws: Aws, shared: Shared) -> None:
    code, message = refused(lambda: shared.ask(aws.client(shared.service)))
    assert code.startswith(("AccessDenied", "AuthorizationError"))
    assert f"because no resource-based policy allows the {shared.action} action" in message


def test_a_user_needs_both_the_resources_policy_and_its_own(
    aws: Aws, shared: Shared, keys: Any, own_policy: Callable[[], None]
) -> None:
    mine = client_of(aws, shared.service, keys)
    shared.share(policy(statement(shared, CALLER)))
    assert "no identity-based policy" in refused(lambda: shared.ask(mine))[1]
    own_policy()
    shared.ask(mine)


def test_a_resource_that_is_shared_with_an_account_is_its_administrators_too(
    aws: Aws, shared: Shared
) -> None:
    shared.share(policy(statement(shared, f"arn:aws:iam::{HOME}:root")))
    shared.ask(aws.client(shared.service))


def test_what_another_accounts_key_encrypted_is_decrypted_by_that_key(aws: Aws) -> None:
    own, mine = client(aws, "kms"), aws.client("kms")
    lets = [
        {"Effect": "Allow", "Principal": {"AWS": who}, "Action": "kms:*", "Resource": "*"}
        for who in (OTHER, HOME)
    ]
    key = own.create_key(Policy=policy(*lets))["KeyMetadata"]["Arn"]
    blob = own.encrypt(KeyId=key, Plaintext=b"secret")["CiphertextBlob"]
    told = mine.decrypt(CiphertextBlob=blob)
    assert (told["KeyId"], told["Plaintext"]) == (key, b"secret")


def test_events_for_buses_of_two_accounts_in_one_call_are_refused_by_name(aws: Aws) -> None:
    entry = {"Source": "a", "DetailType": "b", "Detail": "{}"}
    there = client(aws, "events").create_event_bus(Name="mixed")["EventBusArn"]
    lets = {
        "Sid": "home",
        "Effect": "Allow",
        "Principal": {"AWS": HOME},
        "Action": "events:PutEvents",
        "Resource": there,
    }
    client(aws, "events").put_permission(EventBusName="mixed", Policy=policy(lets))
    entries = [entry, {**entry, "EventBusName": there}]
    code, message = refused(aws.client("events").put_events, Entries=entries)
    assert (code, "buses of one account only" in message) == ("ValidationException", True)


def test_a_table_that_no_policy_shares_is_told_to_be_nobody_elses(aws: Aws) -> None:
    client(aws, "dynamodb").create_table(
        TableName="kept",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    name = f"arn:aws:dynamodb:{REGION}:{OTHER}:table/kept"
    code, _ = refused(aws.client("dynamodb").get_item, TableName=name, Key={"id": {"S": "1"}})
    assert code == "AccessDeniedException"


def received(aws: Aws, account: str, url: str) -> Any:
    sqs = client(aws, "sqs", account)

    def look() -> Any:
        found = sqs.receive_message(QueueUrl=url).get("Messages")
        return None if not found else json.loads(found[0]["Body"])

    return eventually(look)


def guarded(aws: Aws, account: str, name: str, service: str, source: str) -> tuple[str, str]:
    """The URL and the ARN of a queue that lets a service in for one source."""
    sqs = client(aws, "sqs", account)
    url = sqs.create_queue(QueueName=name)["QueueUrl"]
    arn = f"arn:aws:sqs:{REGION}:{account}:{name}"
    sqs.set_queue_attributes(
        QueueUrl=url,
        Attributes={
            "Policy": policy(
                {
                    "Effect": "Allow",
                    "Principal": {"Service": f"{service}.amazonaws.com"},
                    "Action": "sqs:SendMessage",
                    "Resource": arn,
                    "Condition": {"ArnEquals": {"aws:SourceArn": source}},
                }
            )
        },
    )
    return url, arn


def test_a_topic_sends_to_a_queue_of_another_account_that_lets_it_in(aws: Aws) -> None:
    sns = aws.client("sns")
    arn = sns.create_topic(Name="abroad")["TopicArn"]
    url, let_in = guarded(aws, OTHER, "from-topic", "sns", arn)
    _, shut = guarded(aws, OTHER, "shut", "sns", f"{arn}-other")
    for each in (let_in, shut):
        sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=each)
    sns.publish(TopicArn=arn, Message="hello")
    assert received(aws, OTHER, url)["Message"] == "hello"
    empty = client(aws, "sqs").get_queue_attributes(
        QueueUrl=url.replace("from-topic", "shut"), AttributeNames=["All"]
    )
    assert empty["Attributes"]["ApproximateNumberOfMessages"] == "0"


def test_a_buckets_events_for_another_accounts_queue_are_refused_by_name(aws: Aws) -> None:
    arn = f"arn:aws:sqs:{REGION}:{OTHER}:shared"
    code, message = refused(
        aws.s3.put_bucket_notification_configuration,
        Bucket="models",
        NotificationConfiguration={
            "QueueConfigurations": [{"QueueArn": arn, "Events": ["s3:ObjectCreated:*"]}]
        },
    )
    assert (code, arn in message) == ("InvalidArgument", True)
