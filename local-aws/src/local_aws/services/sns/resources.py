"""SNS topics, their policies and subscriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from local_aws.arn import Arn
from local_aws.resources.api import ApiProvider, PutProvider, given
from local_aws.resources.base import Attributes, Properties, Request


class Topic(ApiProvider):
    """``AWS::SNS::Topic``: Ref is the ARN, GetAtt TopicName the name."""

    type_name = "AWS::SNS::Topic"
    name_property = "TopicName"
    service = "sns"
    create_operation = "CreateTopic"
    reading = "GetTopicAttributes TopicArn Attributes"
    adopts = True
    deletes = ("DeleteTopic", "TopicArn")
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
    not_carried_out = frozenset({"DataProtectionPolicy"})

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        fifo = str(wanted.get("FifoTopic", False)).lower() == "true"
        name = wanted.get("TopicName") or request.name(251) + (".fifo" if fifo else "")
        attributes = {key: self._value(request, key) for key in given(wanted, self._attributes)}
        answer = self.call(request, "CreateTopic", wanted, Name=name, Attributes=attributes)
        return str(answer["TopicArn"])

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
                    AttributeValue=self._value(request, name),
                )
        self._subscribe(request)
        self.retag(request, ResourceArn=request.physical_id)
        return dict(request.attributes)

    @staticmethod
    def _value(request: Request, name: str) -> Any:
        """An attribute, nothing for none; a policy's numbers are text, as recorded of AWS."""
        value = request.properties.get(name, "")
        if name == "ArchivePolicy" and isinstance(value, Mapping):
            return {key: str(item) for key, item in value.items()}
        return value

    def _subscribe(self, request: Request) -> None:
        for subscription in request.properties.get("Subscription") or []:
            if subscription not in (request.previous.get("Subscription") or []):
                self.call(request, "Subscribe", subscription, TopicArn=request.physical_id)


class TopicPolicy(PutProvider):
    """``AWS::SNS::TopicPolicy``: one policy on each topic that it names."""

    type_name = "AWS::SNS::TopicPolicy"
    service = "sns"
    create_operation = "SetTopicAttributes"
    id_attribute = "Id"
    also_supported = frozenset({"PolicyDocument", "Topics"})

    @override
    def create(self, request: Request) -> str:
        for topic in _topics(request.properties):
            policy = request.properties["PolicyDocument"]
            self.call(request, "SetTopicAttributes", **self._policy(topic, policy))
        return request.name(128)

    @override
    def delete(self, request: Request) -> None:
        for topic in _topics(request.properties):
            policy = _default_topic_policy(topic)
            self.discard(request, "SetTopicAttributes", **self._policy(topic, policy))

    @staticmethod
    def _policy(topic: str, document: Any) -> dict[str, Any]:
        return {"TopicArn": topic, "AttributeName": "Policy", "AttributeValue": document}


class Subscription(ApiProvider):
    """``AWS::SNS::Subscription``: Ref is the ARN."""

    type_name = "AWS::SNS::Subscription"
    service = "sns"
    create_operation = "Subscribe"
    deletes = ("Unsubscribe", "SubscriptionArn")
    id_attribute = "Arn"
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
            Attributes=given(request.properties, self._attributes),
            ReturnSubscriptionArn=True,
        )
        return str(answer["SubscriptionArn"])

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


def _topics(properties: Properties) -> list[str]:
    topics: list[str] = properties.get("Topics") or [properties["TopicArn"]]
    return topics


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
                "Condition": {"StringEquals": {"AWS:SourceOwner": Arn.parse(topic).account}},
            }
        ],
    }
