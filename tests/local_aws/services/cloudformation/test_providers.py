"""Each resource type: made as its properties say, changed in place, deleted, its attributes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    TRUST,
    get_att,
    ref,
    resource,
    template,
)
from tools.roles import trust

POLICY = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
}


def _changed(definition: dict[str, Any], **properties: Any) -> dict[str, Any]:
    """The resource with other properties; None takes one away."""
    merged = {**definition["Properties"], **properties}
    kept = {name: value for name, value in merged.items() if value is not None}
    return {**definition, "Properties": kept}


def _tags(*pairs: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in (pair.split("=") for pair in pairs)]


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
        Tags=_tags("team=search"),
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
    assert rule["Filter"]["And"] == {"Prefix": "capture/", "Tags": _tags("a=b")}
    assert s3.get_bucket_tagging(Bucket=name)["TagSet"] == _tags("team=search")

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
    document = {**POLICY, "Statement": [{**POLICY["Statement"][0], "Principal": "*"}]}  # type: ignore[dict-item]
    policy = resource("S3::BucketPolicy", Bucket=ref("Bucket"), PolicyDocument=document)
    aws.create("bucket-policy", template(Bucket=bucket, Policy=policy))
    assert json.loads(s3.get_bucket_policy(Bucket="with-policy")["Policy"]) == document

    aws.update("bucket-policy", template(Bucket=bucket))

    with pytest.raises(ClientError, match="NoSuchBucketPolicy"):
        s3.get_bucket_policy(Bucket="with-policy")
    aws.delete("bucket-policy")


def test_key_and_alias(aws: Aws) -> None:
    kms = aws.client("kms")
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*"}]}
    key = resource(
        "KMS::Key",
        Description="ours",
        EnableKeyRotation=True,
        KeyPolicy=policy,
        PendingWindowInDays=7,
        Tags=_tags("a=1", "b=2"),
    )
    alias = resource("KMS::Alias", AliasName="alias/ours", TargetKeyId=ref("Key"))
    aws.create("key", template({"Arn": get_att("Key", "Arn")}, Key=key, Alias=alias))

    key_id = aws.physical_ids("key")["Key"]
    metadata = kms.describe_key(KeyId="alias/ours")["KeyMetadata"]
    assert (metadata["KeyId"], metadata["Description"]) == (key_id, "ours")
    assert aws.outputs("key") == {"Arn": metadata["Arn"]}
    assert kms.get_key_rotation_status(KeyId=key_id)["KeyRotationEnabled"] is True
    assert json.loads(kms.get_key_policy(KeyId=key_id, PolicyName="default")["Policy"]) == policy

    changed = _changed(
        key, Description="theirs", EnableKeyRotation=False, Enabled=False, Tags=_tags("b=3")
    )
    aws.update("key", template({"Arn": get_att("Key", "Arn")}, Key=changed, Alias=alias))

    metadata = kms.describe_key(KeyId=key_id)["KeyMetadata"]
    assert (metadata["Description"], metadata["Enabled"]) == ("theirs", False)
    assert kms.get_key_rotation_status(KeyId=key_id)["KeyRotationEnabled"] is False
    tags = kms.list_resource_tags(KeyId=key_id)["Tags"]
    assert tags == [{"TagKey": "b", "TagValue": "3"}]
    aws.delete("key")
    assert kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"] == "PendingDeletion"
    assert "alias/ours" not in [each["AliasName"] for each in kms.list_aliases()["Aliases"]]


def test_role_and_policies(aws: Aws) -> None:
    iam = aws.client("iam")
    role = resource(
        "IAM::Role",
        AssumeRolePolicyDocument=TRUST,
        Description="runs models",
        MaxSessionDuration="7200",
        Path="/serving/",
        ManagedPolicyArns=["arn:aws:iam::aws:policy/ReadOnlyAccess", ref("Managed")],
        Policies=[
            {"PolicyName": "one", "PolicyDocument": POLICY},
            {"PolicyName": "two", "PolicyDocument": POLICY},
        ],
        Tags=_tags("a=1"),
    )
    managed = resource("IAM::ManagedPolicy", PolicyDocument=POLICY, Description="reads")
    inline = resource(
        "IAM::Policy", PolicyName="inline", PolicyDocument=POLICY, Roles=[ref("Role")]
    )
    body = template({"Arn": get_att("Role", "Arn")}, Role=role, Managed=managed, Inline=inline)
    aws.create("role", body)

    ids = aws.physical_ids("role")
    name = ids["Role"]
    found = iam.get_role(RoleName=name)["Role"]
    assert name.startswith("role-Role-")
    assert (found["Path"], found["MaxSessionDuration"]) == ("/serving/", 7200)
    assert aws.outputs("role") == {"Arn": found["Arn"]}
    assert sorted(iam.list_role_policies(RoleName=name)["PolicyNames"]) == ["inline", "one", "two"]
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    assert {each["PolicyArn"] for each in attached} == {
        "arn:aws:iam::aws:policy/ReadOnlyAccess",
        ids["Managed"],
    }

    wider = {**POLICY, "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    changed = _changed(
        role,
        Description=None,
        ManagedPolicyArns=[ref("Managed")],
        Policies=[{"PolicyName": "two", "PolicyDocument": wider}],
        Tags=_tags("b=2"),
    )
    renamed = _changed(inline, PolicyName="renamed")
    body = template(Role=changed, Managed=_changed(managed, PolicyDocument=wider), Inline=renamed)
    assert aws.update("role", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert aws.physical_ids("role") == ids
    assert sorted(iam.list_role_policies(RoleName=name)["PolicyNames"]) == ["renamed", "two"]
    assert iam.get_role_policy(RoleName=name, PolicyName="two")["PolicyDocument"] == wider
    attached = iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
    assert [each["PolicyArn"] for each in attached] == [ids["Managed"]]
    version = iam.get_policy(PolicyArn=ids["Managed"])["Policy"]["DefaultVersionId"]
    document = iam.get_policy_version(PolicyArn=ids["Managed"], VersionId=version)
    assert document["PolicyVersion"]["Document"] == wider
    assert iam.list_role_tags(RoleName=name)["Tags"] == _tags("b=2")
    assert aws.delete("role")["StackStatus"] == "DELETE_COMPLETE"
    assert name not in [each["RoleName"] for each in iam.list_roles()["Roles"]]


def test_user_and_group(aws: Aws) -> None:
    iam = aws.client("iam")
    read = "arn:aws:iam::aws:policy/ReadOnlyAccess"
    own = {"ManagedPolicyArns": [read], "Policies": [{"PolicyName": "p", "PolicyDocument": POLICY}]}
    user = resource(
        "IAM::User",
        Groups=[ref("One"), ref("Two")],
        LoginProfile={"Password": "a-Pass-word-1"},
        Tags=_tags("a=1"),
        **own,
    )
    body = template(
        {"Arn": get_att("User", "Arn")},
        One=resource("IAM::Group", **own),
        Two=resource("IAM::Group", GroupName="two", Path="/of/"),
        User=user,
    )
    aws.create("user", body)

    ids = aws.physical_ids("user")
    name = ids["User"]
    assert aws.outputs("user") == {"Arn": f"arn:aws:iam::123456789012:user/{name}"}
    assert iam.get_group(GroupName="two")["Group"]["Arn"].endswith(":group/of/two")

    def groups() -> set[str]:
        answer = iam.list_groups_for_user(UserName=name)
        return {each["GroupName"] for each in answer["Groups"]}

    assert groups() == {ids["One"], "two"}
    for kind, of in (("User", name), ("Group", ids["One"])):
        named = {f"{kind}Name": of}
        attached = getattr(iam, f"list_attached_{kind.lower()}_policies")(**named)
        assert [each["PolicyArn"] for each in attached["AttachedPolicies"]] == [read]
        assert getattr(iam, f"list_{kind.lower()}_policies")(**named)["PolicyNames"] == ["p"]
    assert iam.get_login_profile(UserName=name)["LoginProfile"]["UserName"] == name
    assert iam.list_user_tags(UserName=name)["Tags"] == _tags("a=1")

    body["Resources"]["User"] = resource("IAM::User", Groups=["two"], Tags=_tags("b=2"))
    body["Resources"]["One"] = resource("IAM::Group")
    assert aws.update("user", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert aws.physical_ids("user") == ids
    assert groups() == {"two"}
    assert iam.list_attached_user_policies(UserName=name)["AttachedPolicies"] == []
    assert iam.list_user_policies(UserName=name)["PolicyNames"] == []
    assert iam.list_group_policies(GroupName=ids["One"])["PolicyNames"] == []
    with pytest.raises(ClientError, match="NoSuchEntity"):
        iam.get_login_profile(UserName=name)
    assert iam.list_user_tags(UserName=name)["Tags"] == _tags("b=2")
    assert aws.delete("user")["StackStatus"] == "DELETE_COMPLETE"
    assert iam.list_users()["Users"] == []
    assert iam.list_groups()["Groups"] == []


def test_state_machine(aws: Aws) -> None:
    states = aws.client("stepfunctions")
    definition = {
        "StartAt": "P",
        "States": {"P": {"Type": "Pass", "Result": "${what}", "End": True}},
    }
    role = resource("IAM::Role", AssumeRolePolicyDocument=trust("states"))
    machine = resource(
        "StepFunctions::StateMachine",
        RoleArn=get_att("Role", "Arn"),
        DefinitionString=json.dumps(definition),
        DefinitionSubstitutions={"what": "one"},
        Tags=_tags("a=1"),
    )
    outputs = {"Name": get_att("Machine", "Name"), "Arn": ref("Machine")}
    aws.create("machine", template(outputs, Role=role, Machine=machine))

    arn = aws.outputs("machine")["Arn"]
    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "one"
    assert found["name"] == aws.outputs("machine")["Name"]

    changed = _changed(machine, DefinitionSubstitutions={"what": "two"}, Tags=_tags("a=2"))
    aws.update("machine", template(outputs, Role=role, Machine=changed))

    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "two"
    tags = states.list_tags_for_resource(resourceArn=arn)["tags"]
    assert tags == [{"key": "a", "value": "2"}]

    written = _changed(machine, DefinitionString=None, Definition=definition)
    aws.update("machine", template(outputs, Role=role, Machine=written))

    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "one"
    aws.delete("machine")
    with pytest.raises(ClientError, match="StateMachineDoesNotExist"):
        states.describe_state_machine(stateMachineArn=arn)


def test_log_group(aws: Aws) -> None:
    logs = aws.client("logs")
    group = resource("Logs::LogGroup", LogGroupName="/ours", RetentionInDays=7, Tags=_tags("a=1"))
    aws.create("logs", template({"Arn": get_att("Group", "Arn")}, Group=group))
    (found,) = logs.describe_log_groups(logGroupNamePrefix="/ours")["logGroups"]
    assert (found["retentionInDays"], found["arn"]) == (7, aws.outputs("logs")["Arn"])

    aws.update("logs", template(Group=_changed(group, RetentionInDays=None, Tags=_tags("b=2"))))

    (found,) = logs.describe_log_groups(logGroupNamePrefix="/ours")["logGroups"]
    assert "retentionInDays" not in found
    arn = found["arn"].removesuffix(":*")
    assert logs.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    aws.delete("logs")
    assert logs.describe_log_groups(logGroupNamePrefix="/ours")["logGroups"] == []


def test_alarm_and_dashboard(aws: Aws) -> None:
    cloudwatch = aws.client("cloudwatch")
    alarm = resource(
        "CloudWatch::Alarm",
        AlarmName="errors",
        Namespace="AWS/SageMaker",
        MetricName="Invocation5XXErrors",
        Dimensions=[{"Name": "EndpointName", "Value": "digits"}],
        Statistic="Sum",
        Period="60",
        EvaluationPeriods=1,
        Threshold="1.5",
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="notBreaching",
        Tags=_tags("a=1"),
    )
    dashboard = resource(
        "CloudWatch::Dashboard", DashboardBody=json.dumps({"widgets": []}), Tags=_tags("a=1")
    )
    aws.create("alarm", template({"Arn": get_att("A", "Arn")}, A=alarm, D=dashboard))
    (found,) = cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"]
    assert (found["Threshold"], found["Period"]) == (1.5, 60)
    assert aws.outputs("alarm")["Arn"] == found["AlarmArn"]

    aws.update(
        "alarm", template(A=_changed(alarm, Threshold=3), D=_changed(dashboard, Tags=_tags("b=2")))
    )

    (shown,) = cloudwatch.list_dashboards()["DashboardEntries"]
    tags = cloudwatch.list_tags_for_resource(ResourceARN=shown["DashboardArn"])["Tags"]
    assert tags == _tags("b=2")
    (found,) = cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"]
    assert found["Threshold"] == 3
    second = aws.create("alarm-again", template(A=alarm))
    assert second["StackStatus"] == "ROLLBACK_COMPLETE"
    aws.delete("alarm")
    assert cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"] == []
    assert cloudwatch.list_dashboards()["DashboardEntries"] == []


def test_topic_queue_and_subscription(aws: Aws) -> None:
    sns, sqs = aws.client("sns"), aws.client("sqs")
    topic = resource("SNS::Topic", DisplayName="one", Tags=_tags("a=1"))
    queue = resource("SQS::Queue", VisibilityTimeout=60, Tags=_tags("a=1"))
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
        QueuePolicy=resource("SQS::QueuePolicy", Queues=[ref("Queue")], PolicyDocument=POLICY),
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
    assert json.loads(attributes["Attributes"]["Policy"]) == POLICY
    sns.publish(TopicArn=ids["Topic"], Message="hello")
    (message,) = sqs.receive_message(QueueUrl=ids["Queue"])["Messages"]
    assert message["Body"] == "hello"

    body["Resources"]["Topic"] = _changed(topic, DisplayName="two", Tags=_tags("b=2"))
    body["Resources"]["Queue"] = _changed(queue, VisibilityTimeout=5, Tags=_tags("b=2"))
    body["Resources"]["Subscription"] = _changed(subscription, RawMessageDelivery=False)
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

    changed = _changed(topic, ArchivePolicy=None)
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
        Policy=resource("SQS::QueuePolicy", Queues=[ref("Queue")], PolicyDocument=POLICY),
    )
    aws.create("plain-queue", body)

    body["Resources"]["Queue"] = {"Type": "AWS::SQS::Queue"}
    assert aws.update("plain-queue", body)["StackStatus"] == "UPDATE_COMPLETE"

    ids = aws.physical_ids("plain-queue")
    plain, queue = (
        sqs.get_queue_attributes(QueueUrl=ids[each], AttributeNames=["All"])["Attributes"]
        for each in ("Dead", "Queue")
    )
    assert json.loads(queue["Policy"]) == POLICY
    assert {name: queue.get(name) for name in given} == {name: plain.get(name) for name in given}


GIVEN: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "Text": (
        "SSM::Parameter",
        {"Type": "String", "Value": "v"},
        {"AllowedPattern": ".*", "Description": "d"},
    ),
    "Subscription": (
        "SNS::Subscription",
        {"Protocol": "sqs", "Endpoint": get_att("Queue", "Arn")},
        {
            "FilterPolicy": {"a": ["b"]},
            "RawMessageDelivery": True,
            "RedrivePolicy": {"deadLetterTargetArn": get_att("Queue", "Arn")},
        },
    ),
    "Repository": (
        "ECR::Repository",
        {},
        {"ImageScanningConfiguration": {"ScanOnPush": True}, "ImageTagMutability": "IMMUTABLE"},
    ),
    "Records": (
        "DynamoDB::Table",
        {
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        },
        {"DeletionProtectionEnabled": True, "OnDemandThroughput": {"MaxReadRequestUnits": 5}},
    ),
}
"""Types, what they need, and what can be taken from them again."""


def test_what_a_template_no_longer_says_is_as_if_it_never_had(aws: Aws) -> None:
    """One of each type that was given more beside one that never was."""

    def body(*, more: bool) -> dict[str, Any]:
        resources = {"Queue": resource("SQS::Queue")}
        for name, (kind, least, given) in GIVEN.items():
            for which, properties in (("Full", {**least, **(given if more else {})}), ("", least)):
                topic = f"{name}{which}Topic"
                if kind == "SNS::Subscription":
                    resources[topic] = resource("SNS::Topic")
                    properties = {**properties, "TopicArn": ref(topic)}
                resources[f"{name}{which}"] = resource(kind, **properties)
        return template(**resources)

    assert aws.create("less", body(more=True))["StackStatus"] == "CREATE_COMPLETE"
    assert aws.update("less", body(more=False))["StackStatus"] == "UPDATE_COMPLETE"

    ids = aws.physical_ids("less")
    ssm, sns, ecr = aws.client("ssm"), aws.client("sns"), aws.client("ecr")

    def told(name: str) -> list[dict[str, Any]]:
        named = [{"Key": "Name", "Values": [ids[f"Text{name}"]]}]
        (text,) = ssm.describe_parameters(ParameterFilters=named)["Parameters"]
        arn = ids[f"Subscription{name}"]
        subscription = sns.get_subscription_attributes(SubscriptionArn=arn)["Attributes"]
        repositories = [ids[f"Repository{name}"]]
        (repository,) = ecr.describe_repositories(repositoryNames=repositories)["repositories"]
        table = aws.client("dynamodb").describe_table(TableName=ids[f"Records{name}"])["Table"]
        return [text, subscription, repository, table]

    own = {
        *(
            "BillingModeSummary",
            "CreationDateTime",
            "LastModifiedDate",
            "Name",
            "Version",
            "TableId",
            "TableName",
        ),
        *("createdAt", "repositoryName", "repositoryUri"),
    }
    for full, plain in zip(told("Full"), told(""), strict=True):
        assert full.keys() == plain.keys()
        names = {name for name in full if name not in own and not name.lower().endswith("arn")}
        assert {name: full[name] for name in names} == {name: plain[name] for name in names}
    assert aws.delete("less")["StackStatus"] == "DELETE_COMPLETE"


def test_an_empty_list_of_tags_is_none(aws: Aws) -> None:
    """Many operations want one at least; CloudFormation takes none (recorded of log groups)."""
    kinds: dict[str, dict[str, Any]] = {
        "DynamoDB::Table": {
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        },
        "EC2::VPC": {"CidrBlock": "10.9.0.0/16"},
        "ECR::Repository": {},
        "Events::EventBus": {"Name": "untagged"},
        "IAM::User": {},
        "Kinesis::Stream": {"ShardCount": 1},
        "KMS::Key": {},
        "Logs::LogGroup": {},
        "S3::Bucket": {},
        "SNS::Topic": {},
        "SQS::Queue": {},
        "StepFunctions::StateMachine": {
            "DefinitionString": '{"StartAt": "P", "States": {"P": {"Type": "Pass", "End": true}}}',
            "RoleArn": get_att("Role", "Arn"),
        },
    }
    resources = {
        kind.replace("::", ""): resource(kind, **properties, Tags=[])
        for kind, properties in kinds.items()
    }
    trust = {
        "Effect": "Allow",
        "Action": "sts:AssumeRole",
        "Principal": {"Service": "states.amazonaws.com"},
    }
    document = {"Version": "2012-10-17", "Statement": [trust]}
    resources["Role"] = resource("IAM::Role", AssumeRolePolicyDocument=document, Tags=[])

    made = aws.create("untagged", template(**resources))

    assert made["StackStatus"] == "CREATE_COMPLETE", aws.events("untagged")
    assert aws.delete("untagged")["StackStatus"] == "DELETE_COMPLETE"


def test_bus(aws: Aws) -> None:
    events = aws.client("events")
    statement = {**POLICY["Statement"][0], "Sid": "s", "Principal": "*"}  # type: ignore[dict-item]
    statement |= {"Action": "events:PutEvents"}
    document = {"Version": "2012-10-17", "Statement": [statement]}
    bus = resource("Events::EventBus", Name="own", Policy=document, Tags=_tags("a=1"))
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

    changed = _changed(bus, Policy=None, Tags=_tags("b=2"))
    aws.update("bus", template(outputs, Bus=changed, Rule=rule))

    assert "Policy" not in events.describe_event_bus(Name="own")
    assert events.list_tags_for_resource(ResourceARN=found["Arn"])["Tags"] == _tags("b=2")
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
        Tags=_tags("a=1"),
    )
    aws.create("rule", template({"Arn": get_att("Rule", "Arn")}, Rule=rule))
    name = aws.physical_ids("rule")["Rule"]
    found = events.describe_rule(Name=name)
    assert json.loads(found["EventPattern"]) == {"source": ["aws.sagemaker"]}
    assert found["Arn"] == aws.outputs("rule")["Arn"]

    aws.update("rule", template(Rule=_changed(rule, Targets=[{"Id": "b", "Arn": target}])))

    assert [each["Id"] for each in events.list_targets_by_rule(Rule=name)["Targets"]] == ["b"]
    assert aws.delete("rule")["StackStatus"] == "DELETE_COMPLETE"
    assert events.list_rules()["Rules"] == []


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
        Tags=_tags("a=1"),
    )
    aws.create("repository", template({"Uri": get_att("R", "RepositoryUri")}, R=repository))
    name = aws.physical_ids("repository")["R"]
    (found,) = ecr.describe_repositories(repositoryNames=[name])["repositories"]
    assert found["imageTagMutability"] == "IMMUTABLE"
    assert found["repositoryUri"] == aws.outputs("repository")["Uri"]
    text = ecr.get_lifecycle_policy(repositoryName=name)["lifecyclePolicyText"]
    assert json.loads(text) == lifecycle

    aws.update("repository", template(R=_changed(repository, LifecyclePolicy=None)))

    with pytest.raises(ClientError, match="LifecyclePolicyNotFound"):
        ecr.get_lifecycle_policy(repositoryName=name)
    aws.delete("repository")
    assert ecr.describe_repositories()["repositories"] == []


def test_sagemaker_tags_change_in_place(aws: Aws) -> None:
    sagemaker = aws.client("sagemaker")
    role = resource("IAM::Role", AssumeRolePolicyDocument=TRUST)
    model = resource(
        "SageMaker::Model",
        ExecutionRoleArn=get_att("Role", "Arn"),
        PrimaryContainer={"Image": "i", "Environment": {"COUNT": 1, "ON": True}},
        Tags=_tags("a=1", "b=2"),
    )
    aws.create("model", template({"Name": get_att("Model", "ModelName")}, Role=role, Model=model))
    arn = aws.physical_ids("model")["Model"]
    found = sagemaker.describe_model(ModelName=aws.outputs("model")["Name"])
    assert found["ModelArn"] == arn
    assert found["PrimaryContainer"]["Environment"] == {"COUNT": "1", "ON": "true"}

    changed = _changed(model, Tags=_tags("b=2", "c=3"))
    aws.update("model", template({"Name": get_att("Model", "ModelName")}, Role=role, Model=changed))

    assert aws.physical_ids("model")["Model"] == arn
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == _tags("b=2", "c=3")
    aws.delete("model")


def test_scalable_target_and_policy(aws: Aws) -> None:
    scaling = aws.client("application-autoscaling")
    target = resource(
        "ApplicationAutoScaling::ScalableTarget",
        ServiceNamespace="sagemaker",
        ResourceId="endpoint/digits/variant/blue",
        ScalableDimension="sagemaker:variant:DesiredInstanceCount",
        MinCapacity=1,
        MaxCapacity="4",
        ScheduledActions=[
            {
                "ScheduledActionName": "morning",
                "Schedule": "cron(0 8 * * ? *)",
                "Timezone": "Europe/Berlin",
                "ScalableTargetAction": {"MinCapacity": 2},
            }
        ],
    )
    policy = resource(
        "ApplicationAutoScaling::ScalingPolicy",
        PolicyName="invocations",
        PolicyType="TargetTrackingScaling",
        ScalingTargetId=ref("Target"),
        TargetTrackingScalingPolicyConfiguration={
            "TargetValue": 300,
            "PredefinedMetricSpecification": {
                "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
            },
        },
    )
    aws.create("scaling", template(Target=target, Policy=policy))
    (found,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    assert (found["MinCapacity"], found["MaxCapacity"]) == (1, 4)
    (found,) = scaling.describe_scaling_policies(ServiceNamespace="sagemaker")["ScalingPolicies"]
    assert found["PolicyName"] == "invocations"
    (found,) = scaling.describe_scheduled_actions(ServiceNamespace="sagemaker")["ScheduledActions"]
    assert found["ScheduledActionName"] == "morning"
    assert found["ScalableTargetAction"] == {"MinCapacity": 2}

    changed = _changed(target, MinCapacity=0, ScheduledActions=[])
    aws.update("scaling", template(Target=changed, Policy=policy))

    left = scaling.describe_scheduled_actions(ServiceNamespace="sagemaker")["ScheduledActions"]
    assert left == []
    (found,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    assert found["MinCapacity"] == 0
    assert aws.delete("scaling")["StackStatus"] == "DELETE_COMPLETE"
    assert scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []


def test_network(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    vpc = resource("EC2::VPC", CidrBlock="10.1.0.0/16", EnableDnsHostnames=True, Tags=_tags("a=1"))
    subnet = resource(
        "EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.1.1.0/24", MapPublicIpOnLaunch=True
    )
    out = {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0", "Description": "all, as CDK writes it"}
    group = resource(
        "EC2::SecurityGroup",
        GroupDescription="ours",
        VpcId=ref("Vpc"),
        SecurityGroupEgress=[out],
        SecurityGroupIngress=[
            {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "CidrIp": "10.0.0.0/8"}
        ],
    )
    outputs = {"Default": get_att("Vpc", "DefaultSecurityGroup"), "Group": get_att("Group", "Id")}
    aws.create("network", template(outputs, Vpc=vpc, Subnet=subnet, Group=group))

    ids = aws.physical_ids("network")
    assert aws.outputs("network")["Group"] == ids["Group"]
    assert aws.outputs("network")["Default"].startswith("sg-")
    (found,) = ec2.describe_security_groups(GroupIds=[ids["Group"]])["SecurityGroups"]
    (allowed,) = found["IpPermissionsEgress"]
    assert allowed["IpRanges"] == [{"CidrIp": out["CidrIp"], "Description": out["Description"]}]

    other = {"IpProtocol": "udp", "FromPort": 53, "ToPort": 53, "SourceSecurityGroupId": ref("Old")}
    old = resource("EC2::SecurityGroup", GroupDescription="another", VpcId=ref("Vpc"))
    body = template(
        Vpc=_changed(vpc, EnableDnsHostnames=None, Tags=_tags("b=2")),
        Subnet=_changed(subnet, MapPublicIpOnLaunch=None),
        Group=_changed(group, SecurityGroupEgress=None, SecurityGroupIngress=[other]),
        Old=old,
    )
    assert aws.update("network", body)["StackStatus"] == "UPDATE_COMPLETE"

    old_id = aws.physical_ids("network")["Old"]
    (found,) = ec2.describe_security_groups(GroupIds=[ids["Group"]])["SecurityGroups"]
    (allowed,) = found["IpPermissions"]
    assert (allowed["FromPort"], allowed["UserIdGroupPairs"][0]["GroupId"]) == (53, old_id)
    assert found["IpPermissionsEgress"][0]["IpRanges"] == [{"CidrIp": "0.0.0.0/0"}]
    (found,) = ec2.describe_subnets(SubnetIds=[ids["Subnet"]])["Subnets"]
    assert found["MapPublicIpOnLaunch"] is False
    (found,) = ec2.describe_vpcs(VpcIds=[ids["Vpc"]])["Vpcs"]
    own = [tag for tag in found["Tags"] if not tag["Key"].startswith("aws:cloudformation:")]
    assert own == _tags("b=2")
    names = ec2.describe_vpc_attribute(VpcId=ids["Vpc"], Attribute="enableDnsHostnames")
    assert names["EnableDnsHostnames"]["Value"] is False
    assert aws.delete("network")["StackStatus"] == "DELETE_COMPLETE"


def test_stream(aws: Aws) -> None:
    kinesis = aws.client("kinesis")
    key = {"EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"}
    stream = resource(
        "Kinesis::Stream",
        ShardCount=1,
        RetentionPeriodHours=48,
        StreamEncryption=key,
        Tags=_tags("a=1"),
    )
    aws.create("stream", template({"Arn": get_att("Stream", "Arn")}, Stream=stream))
    name = aws.physical_ids("stream")["Stream"]

    changed = _changed(stream, ShardCount=2, RetentionPeriodHours=None, StreamEncryption=None)
    aws.update("stream", template(Stream=changed))

    found = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    assert (found["OpenShardCount"], found["RetentionPeriodHours"]) == (2, 24)
    assert found.get("EncryptionType", "NONE") == "NONE"
    assert kinesis.list_tags_for_stream(StreamName=name)["Tags"] == _tags("a=1")
    assert aws.delete("stream")["StackStatus"] == "DELETE_COMPLETE"


def test_types_of_the_emulator(aws: Aws) -> None:
    """One that says its physical id, and one whose Ref is its name."""
    efs, iam = aws.client("efs"), aws.client("iam")
    files = resource("EFS::FileSystem", Encrypted=True)
    profile = resource("IAM::InstanceProfile", InstanceProfileName="a-profile", Roles=[])
    aws.create("emulated", template(Files=files, Profile=profile))

    (described,) = efs.describe_file_systems()["FileSystems"]
    made = {"Files": described["FileSystemId"], "Profile": "a-profile"}
    assert aws.physical_ids("emulated") == made
    assert aws.delete("emulated")["StackStatus"] == "DELETE_COMPLETE"
    assert efs.describe_file_systems()["FileSystems"] == []
    assert iam.list_instance_profiles()["InstanceProfiles"] == []


def test_a_security_group_is_marked_as_its_stacks_and_found_after_a_change(aws: Aws) -> None:
    ec2 = aws.client("ec2")
    group = resource("EC2::SecurityGroup", GroupDescription="one", Tags=_tags("a=1"))
    body = template({"Id": get_att("Group", "GroupId")}, Group=group)
    stack_id = aws.create("group", body)["StackId"]

    def found() -> dict[str, Any]:
        (group,) = ec2.describe_security_groups(GroupIds=[aws.outputs("group")["Id"]])[
            "SecurityGroups"
        ]
        return dict(group)

    name = found()["GroupName"]
    assert {tag["Key"]: tag["Value"] for tag in found()["Tags"]} == {
        "a": "1",
        "aws:cloudformation:logical-id": "Group",
        "aws:cloudformation:stack-id": stack_id,
        "aws:cloudformation:stack-name": "group",
    }

    rule = {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "CidrIp": "10.0.0.0/8"}
    body["Resources"]["Group"] = _changed(group, SecurityGroupIngress=[rule])
    assert aws.update("group", body)["StackStatus"] == "UPDATE_COMPLETE"

    assert found()["GroupName"] == name
    assert [each["FromPort"] for each in found()["IpPermissions"]] == [22]
    assert aws.physical_ids("group")["Group"] == found()["GroupId"]
    assert aws.delete("group")["StackStatus"] == "DELETE_COMPLETE"
    left = ec2.describe_security_groups()["SecurityGroups"]
    assert name not in [each["GroupName"] for each in left]


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
        ResourcePolicy={"PolicyDocument": POLICY},
        Tags=_tags("a=1"),
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
    assert json.loads(dynamodb.get_resource_policy(ResourceArn=arn)["Policy"]) == POLICY
    assert dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"] == _tags("a=1")

    changed = _changed(
        table,
        ProvisionedThroughput=None,
        BillingMode="PAY_PER_REQUEST",
        GlobalSecondaryIndexes=[index],
        StreamSpecification={"StreamViewType": "NEW_IMAGE"},
        TimeToLiveSpecification={"AttributeName": "later", "Enabled": True},
        PointInTimeRecoverySpecification=None,
        TableClass=None,
        ResourcePolicy=None,
        Tags=_tags("b=2"),
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
    assert dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"] == _tags("b=2")

    other = {**index, "Projection": {"ProjectionType": "KEYS_ONLY"}}
    changed = _changed(
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


def test_types_behind_which_nothing_is(aws: Aws) -> None:
    stack = aws.create(
        "nothing",
        template(
            Handle=resource("CloudFormation::WaitConditionHandle"),
            Metadata=resource("CDK::Metadata", Analytics="v2:deflate64:x"),
        ),
    )

    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert aws.delete("nothing")["StackStatus"] == "DELETE_COMPLETE"
