"""SNS topics, their policies and subscriptions; SQS queues; EventBridge rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from .api import ApiProvider, tags_of
from .base import Attributes, Properties, Request


class Topic(ApiProvider):
    """``AWS::SNS::Topic``: Ref is the ARN, GetAtt TopicName the name."""

    type_name = "AWS::SNS::Topic"
    name_property = "TopicName"
    service = "sns"
    create_operation = "CreateTopic"
    _attributes = (
        "ArchivePolicy",
        "ContentBasedDeduplication",
        "DisplayName",
        "FifoThroughputScope",
        "FifoTopic",
        "KmsMasterKeyId",
        "SignatureVersion",
        "TracingConfig",
    )
    also_supported = frozenset({*_attributes, "Subscription", "TopicName"})
    unchangeable = frozenset({"DataProtectionPolicy"})

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        fifo = str(wanted.get("FifoTopic", False)).lower() == "true"
        name = wanted.get("TopicName") or request.name(251) + (".fifo" if fifo else "")
        attributes = _given(wanted, self._attributes)
        answer = self.call(request, "CreateTopic", wanted, Name=name, Attributes=attributes)
        arn: str = answer["TopicArn"]
        return arn

    @override
    def complete(self, request: Request) -> Attributes:
        self._subscribe(request)
        name = request.physical_id.rsplit(":", 1)[-1]
        return {"TopicArn": request.physical_id, "TopicName": name}

    @override
    def update(self, request: Request) -> Attributes:
        for name in self._attributes:
            if request.changed(name):
                self.call(
                    request,
                    "SetTopicAttributes",
                    TopicArn=request.physical_id,
                    AttributeName=name,
                    AttributeValue=request.properties.get(name, ""),
                )
        self._subscribe(request)
        self.retag(request, ResourceArn=request.physical_id)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "DeleteTopic", TopicArn=request.physical_id)

    def _subscribe(self, request: Request) -> None:
        for subscription in request.properties.get("Subscription") or []:
            if subscription not in (request.previous.get("Subscription") or []):
                self.call(request, "Subscribe", subscription, TopicArn=request.physical_id)


class TopicPolicy(ApiProvider):
    """``AWS::SNS::TopicPolicy``: one policy on each topic that it names."""

    type_name = "AWS::SNS::TopicPolicy"
    service = "sns"
    create_operation = "SetTopicAttributes"
    also_supported = frozenset({"PolicyDocument", "Topics"})

    @override
    def create(self, request: Request) -> str:
        self._put(request)
        return request.name(128)

    @override
    def complete(self, request: Request) -> Attributes:
        return {"Id": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        self._put(request)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        for topic in request.properties["Topics"]:
            policy = _default_topic_policy(topic)
            self.discard(request, "SetTopicAttributes", **self._policy(topic, policy))

    def _put(self, request: Request) -> None:
        for topic in request.properties["Topics"]:
            policy = request.properties["PolicyDocument"]
            self.call(request, "SetTopicAttributes", **self._policy(topic, policy))

    @staticmethod
    def _policy(topic: str, document: Any) -> dict[str, Any]:
        return {"TopicArn": topic, "AttributeName": "Policy", "AttributeValue": document}


class Subscription(ApiProvider):
    """``AWS::SNS::Subscription``: Ref is the ARN."""

    type_name = "AWS::SNS::Subscription"
    service = "sns"
    create_operation = "Subscribe"
    _attributes = (
        "DeliveryPolicy",
        "FilterPolicy",
        "FilterPolicyScope",
        "RawMessageDelivery",
        "RedrivePolicy",
        "SubscriptionRoleArn",
    )
    also_supported = frozenset(_attributes)

    @override
    def create(self, request: Request) -> str:
        answer = self.call(
            request,
            "Subscribe",
            request.properties,
            Attributes=_given(request.properties, self._attributes),
            ReturnSubscriptionArn=True,
        )
        arn: str = answer["SubscriptionArn"]
        return arn

    @override
    def complete(self, request: Request) -> Attributes:
        return {"Arn": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        for name in self._attributes:
            if request.changed(name):
                self.call(
                    request,
                    "SetSubscriptionAttributes",
                    SubscriptionArn=request.physical_id,
                    AttributeName=name,
                    AttributeValue=request.properties.get(name, ""),
                )
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "Unsubscribe", SubscriptionArn=request.physical_id)


class Queue(ApiProvider):
    """``AWS::SQS::Queue``: Ref is the URL, GetAtt QueueName the name."""

    type_name = "AWS::SQS::Queue"
    name_property = "QueueName"
    service = "sqs"
    create_operation = "CreateQueue"
    tag_operations = ("TagQueue", "UntagQueue")
    _attributes = (
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "DelaySeconds",
        "FifoQueue",
        "FifoThroughputLimit",
        "KmsDataKeyReusePeriodSeconds",
        "KmsMasterKeyId",
        "MaximumMessageSize",
        "MessageRetentionPeriod",
        "ReceiveMessageWaitTimeSeconds",
        "RedriveAllowPolicy",
        "RedrivePolicy",
        "SqsManagedSseEnabled",
        "VisibilityTimeout",
    )
    also_supported = frozenset(_attributes)

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        fifo = str(wanted.get("FifoQueue", False)).lower() == "true"
        name = wanted.get("QueueName") or request.name(75) + (".fifo" if fifo else "")
        attributes = _given(wanted, self._attributes)
        answer = self.call(
            request, "CreateQueue", QueueName=name, Attributes=attributes, Tags=tags_of(wanted)
        )
        url: str = answer["QueueUrl"]
        return url

    @override
    def complete(self, request: Request) -> Attributes:
        url = request.physical_id
        answer = self.call(request, "GetQueueAttributes", QueueUrl=url, AttributeNames=["QueueArn"])
        arn = answer["Attributes"]["QueueArn"]
        return {"Arn": arn, "QueueName": arn.rsplit(":", 1)[-1], "QueueUrl": url}

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed(*self._attributes):
            self.call(
                request,
                "SetQueueAttributes",
                QueueUrl=request.physical_id,
                Attributes={
                    name: request.properties.get(name, "")
                    for name in self._attributes
                    if request.changed(name)
                },
            )
        self.retag(request, QueueUrl=request.physical_id)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, "DeleteQueue", QueueUrl=request.physical_id)


class QueuePolicy(ApiProvider):
    """``AWS::SQS::QueuePolicy``: one policy on each queue that it names."""

    type_name = "AWS::SQS::QueuePolicy"
    service = "sqs"
    create_operation = "SetQueueAttributes"
    also_supported = frozenset({"PolicyDocument", "Queues"})

    @override
    def create(self, request: Request) -> str:
        self._put(request, request.properties["PolicyDocument"])
        return request.name(128)

    @override
    def complete(self, request: Request) -> Attributes:
        return {"Id": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        self._put(request, request.properties["PolicyDocument"])
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self._put(request, "")

    def _put(self, request: Request, policy: Any) -> None:
        for queue in request.properties["Queues"]:
            self.discard(
                request, "SetQueueAttributes", QueueUrl=queue, Attributes={"Policy": policy}
            )


class Rule(ApiProvider):
    """``AWS::Events::Rule``: Ref is the name (with its bus when that is not the default)."""

    type_name = "AWS::Events::Rule"
    name_property = "Name"
    service = "events"
    create_operation = "PutRule"
    also_supported = frozenset({"Targets"})

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get("Name") or request.name(64)
        self.call(request, "PutRule", request.properties, Name=name)
        bus = request.properties.get("EventBusName", "default").rsplit("/", 1)[-1]
        return str(name) if bus == "default" else f"{bus}|{name}"

    @override
    def complete(self, request: Request) -> Attributes:
        self._aim(request)
        rule = self.call(request, "DescribeRule", **self._place(request))
        return {"Arn": rule["Arn"], "RuleName": rule["Name"]}

    @override
    def update(self, request: Request) -> Attributes:
        self.call(request, "PutRule", {**request.properties, "Tags": None}, **self._place(request))
        self._aim(request)
        self.retag(request, ResourceARN=request.attributes["Arn"])
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        self._drop(request, _targets(request.properties))
        self.discard(request, "DeleteRule", **self._place(request))

    def _aim(self, request: Request) -> None:
        """Give the rule its targets and take away those it no longer has."""
        old, new = _targets(request.previous), _targets(request.properties)
        place = {key: value for key, value in self._place(request).items() if key != "Name"}
        self._drop(request, {key: target for key, target in old.items() if key not in new})
        if new:
            name = self._place(request)["Name"]
            self.call(request, "PutTargets", Rule=name, Targets=list(new.values()), **place)

    def _drop(self, request: Request, targets: Mapping[str, Any]) -> None:
        if targets:
            place = self._place(request)
            name = place.pop("Name")
            self.discard(request, "RemoveTargets", Rule=name, Ids=list(targets), **place)

    @staticmethod
    def _place(request: Request) -> dict[str, str]:
        bus = request.properties.get("EventBusName", "default")
        return {"Name": request.physical_id.rsplit("|", 1)[-1], "EventBusName": bus}


def _default_topic_policy(topic: str) -> dict[str, Any]:
    """What a topic has while no policy was set: its own account may do everything."""
    actions = (
        "AddPermission",
        "DeleteTopic",
        "GetTopicAttributes",
        "ListSubscriptionsByTopic",
        "Publish",
        "RemovePermission",
        "SetTopicAttributes",
        "Subscribe",
    )
    return {
        "Version": "2008-10-17",
        "Id": "__default_policy_ID",
        "Statement": [
            {
                "Effect": "Allow",
                "Sid": "__default_statement_ID",
                "Principal": {"AWS": "*"},
                "Action": [f"SNS:{action}" for action in actions],
                "Resource": topic,
                "Condition": {"StringEquals": {"AWS:SourceOwner": topic.split(":")[4]}},
            }
        ],
    }


def _given(properties: Properties, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: properties[name] for name in names if name in properties}


def _targets(properties: Properties) -> dict[str, Any]:
    return {target["Id"]: target for target in properties.get("Targets") or []}
