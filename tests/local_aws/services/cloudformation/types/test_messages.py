"""Topics, queues, buses and rules: made as they say, changed in place, deleted."""

from __future__ import annotations

import json

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    ref,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.types.changes import READS, changed_to, tags_of


def test_topic_queue_and_subscription(aws: Aws) -> None:
    sns, sqs = aws.client("sns"), aws.client("sqs")
    topic = resource("SNS::Topic", DisplayName="one", Tags=tags_of("a=1"))
    queue = resource("SQS::Queue", VisibilityTimeout=60, Tags=tags_of("a=1"))
    subscription = resource(
        "SNS::Subscription",
        TopicArn=ref("Topic"),
        Protocol="sqs",
        Endpoint=get_att("Queue", "Arn"),
        RawMessageDelivery=True,
    )
    document = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sns:Publish",
                "Resource": ref("Topic"),
            }
        ],
    }
    body = template(
        {"Name": get_att("Topic", "TopicName"), "Queue": get_att("Queue", "QueueName")},
        Topic=topic,
        Queue=queue,
        Subscription=subscription,
        TopicPolicy=resource("SNS::TopicPolicy", Topics=[ref("Topic")], PolicyDocument=document),
        QueuePolicy=resource("SQS::QueuePolicy", Queues=[ref("Queue")], PolicyDocument=READS),
    )
    aws.create("topic", body)

    ids = aws.physical_ids("topic")
    attributes = sns.get_topic_attributes(TopicArn=ids["Topic"])["Attributes"]
    assert attributes["DisplayName"] == "one"
    assert "sns:Publish" in attributes["Policy"]
    assert ids["Topic"].endswith(f":{aws.outputs('topic')['Name']}")
    assert ids["Queue"].endswith(f"/{aws.outputs('topic')['Queue']}")
    attributes = sqs.get_queue_attributes(QueueUrl=ids["Queue"], AttributeNames=["All"])
    assert attributes["Attributes"]["VisibilityTimeout"] == "60"
    assert json.loads(attributes["Attributes"]["Policy"]) == READS
    sns.publish(TopicArn=ids["Topic"], Message="hello")
    (message,) = sqs.receive_message(QueueUrl=ids["Queue"])["Messages"]
    assert message["Body"] == "hello"

    body["Resources"]["Topic"] = changed_to(topic, DisplayName="two", Tags=tags_of("b=2"))
    body["Resources"]["Queue"] = changed_to(queue, VisibilityTimeout=5, Tags=tags_of("b=2"))
    body["Resources"]["Subscription"] = changed_to(subscription, RawMessageDelivery=False)
    assert aws.update("topic", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert aws.physical_ids("topic") == ids
    attributes = sns.get_topic_attributes(TopicArn=ids["Topic"])["Attributes"]
    assert attributes["DisplayName"] == "two"
    assert sqs.list_queue_tags(QueueUrl=ids["Queue"])["Tags"] == {"b": "2"}
    assert aws.delete("topic")["StackStatus"] == "DELETE_COMPLETE"
    assert ids["Topic"] not in [each["TopicArn"] for each in sns.list_topics()["Topics"]]
    assert ids["Queue"] not in sqs.list_queues().get("QueueUrls", [])


def test_a_topic_keeps_all_that_it_is_given(aws: Aws) -> None:
    sns = aws.client("sns")
    topic = resource(
        "SNS::Topic",
        FifoTopic=True,
        ArchivePolicy={"MessageRetentionPeriod": 30},
        FifoThroughputScope="MessageGroup",
        SignatureVersion="2",
        TracingConfig="Active",
    )
    aws.create("whole-topic", template(Topic=topic))

    arn = aws.physical_ids("whole-topic")["Topic"]
    attributes = sns.get_topic_attributes(TopicArn=arn)["Attributes"]
    assert json.loads(attributes["ArchivePolicy"]) == {"MessageRetentionPeriod": "30"}
    assert attributes["FifoThroughputScope"] == "MessageGroup"
    assert (attributes["SignatureVersion"], attributes["TracingConfig"]) == ("2", "Active")

    changed = changed_to(topic, ArchivePolicy=None)
    assert aws.update("whole-topic", template(Topic=changed))["StackStatus"] == "UPDATE_COMPLETE"

    assert "ArchivePolicy" not in sns.get_topic_attributes(TopicArn=arn)["Attributes"]


def test_a_queue_without_properties_has_the_usual_ones_and_keeps_its_policy(aws: Aws) -> None:
    """AWS brings the attributes back to their defaults (recorded by LocalStack's suite)."""
    sqs = aws.client("sqs")
    given = {
        "DelaySeconds": 7,
        "MaximumMessageSize": 2048,
        "MessageRetentionPeriod": 900,
        "ReceiveMessageWaitTimeSeconds": 3,
        "RedrivePolicy": {"deadLetterTargetArn": get_att("Dead", "Arn"), "maxReceiveCount": 2},
        "VisibilityTimeout": 60,
    }
    body = template(
        Dead=resource("SQS::Queue"),
        Queue=resource("SQS::Queue", **given),
        Policy=resource("SQS::QueuePolicy", Queues=[ref("Queue")], PolicyDocument=READS),
    )
    aws.create("plain-queue", body)

    body["Resources"]["Queue"] = {"Type": "AWS::SQS::Queue"}
    assert aws.update("plain-queue", body)["StackStatus"] == "UPDATE_COMPLETE"

    ids = aws.physical_ids("plain-queue")
    plain, queue = (
        sqs.get_queue_attributes(QueueUrl=ids[each], AttributeNames=["All"])["Attributes"]
        for each in ("Dead", "Queue")
    )
    assert json.loads(queue["Policy"]) == READS
    assert {name: queue.get(name) for name in given} == {name: plain.get(name) for name in given}


def test_bus(aws: Aws) -> None:
    events = aws.client("events")
    statement = {**READS["Statement"][0], "Sid": "s", "Principal": "*"}
    statement |= {"Action": "events:PutEvents"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    bus = resource("Events::EventBus", Name="own", Policy=document, Tags=tags_of("a=1"))
    rule = resource(
        "Events::Rule",
        Name="on-it",
        EventBusName=get_att("Bus", "Name"),
        EventPattern={"source": ["a"]},
    )
    outputs = {"Arn": get_att("Bus", "Arn"), "Rule": get_att("Rule", "Arn"), "Ref": ref("Rule")}
    aws.create("bus", template(outputs, Bus=bus, Rule=rule))

    at = "arn:aws:events:eu-west-1:123456789012"
    assert aws.outputs("bus") == {
        "Arn": f"{at}:event-bus/own",
        "Rule": f"{at}:rule/own/on-it",
        "Ref": "own|on-it",
    }
    found = events.describe_event_bus(Name="own")
    assert json.loads(found["Policy"])["Statement"][0]["Sid"] == "s"

    changed = changed_to(bus, Policy=None, Tags=tags_of("b=2"))
    aws.update("bus", template(outputs, Bus=changed, Rule=rule))

    assert "Policy" not in events.describe_event_bus(Name="own")
    assert events.list_tags_for_resource(ResourceARN=found["Arn"])["Tags"] == tags_of("b=2")
    assert aws.delete("bus")["StackStatus"] == "DELETE_COMPLETE"
    assert [each["Name"] for each in events.list_event_buses()["EventBuses"]] == ["default"]


def test_rule(aws: Aws) -> None:
    events = aws.client("events")
    target = "arn:aws:sns:eu-west-1:123456789012:t"
    rule = resource(
        "Events::Rule",
        EventPattern={"source": ["aws.sagemaker"]},
        State="ENABLED",
        Targets=[{"Id": "a", "Arn": target}, {"Id": "b", "Arn": target}],
        Tags=tags_of("a=1"),
    )
    aws.create("rule", template({"Arn": get_att("Rule", "Arn")}, Rule=rule))
    name = aws.physical_ids("rule")["Rule"]
    found = events.describe_rule(Name=name)
    assert json.loads(found["EventPattern"]) == {"source": ["aws.sagemaker"]}
    assert found["Arn"] == aws.outputs("rule")["Arn"]

    aws.update("rule", template(Rule=changed_to(rule, Targets=[{"Id": "b", "Arn": target}])))

    assert [each["Id"] for each in events.list_targets_by_rule(Rule=name)["Targets"]] == ["b"]
    assert aws.delete("rule")["StackStatus"] == "DELETE_COMPLETE"
    assert events.list_rules()["Rules"] == []
