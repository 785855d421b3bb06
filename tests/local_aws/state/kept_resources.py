"""One thing of every kind that templates deploy, and how each is described."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

Clients = Callable[[str], Any]

REGION = "eu-west-1"
LARGE = bytes(range(256)) * 8000  # larger than what is read into memory again
TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": ["lambda.amazonaws.com", "states.amazonaws.com"]},
                "Action": "sts:AssumeRole",
            }
        ],
    }
)
POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
    }
)
PASS = {"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}}
WAIT = {"StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": 3600, "End": True}}}


def make(of: Clients) -> dict[str, Any]:
    """Make them; what was given out that is needed to describe them."""
    made: dict[str, Any] = {}
    s3, kms = of("s3"), of("kms")
    s3.create_bucket(Bucket="kept-bucket", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_versioning(Bucket="kept-bucket", VersioningConfiguration={"Status": "Enabled"})
    s3.put_bucket_encryption(
        Bucket="kept-bucket",
        ServerSideEncryptionConfiguration={
            "Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]
        },
    )
    s3.put_public_access_block(
        Bucket="kept-bucket", PublicAccessBlockConfiguration={"BlockPublicAcls": True}
    )
    s3.put_bucket_policy(
        Bucket="kept-bucket",
        Policy=json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Deny",
                        "Principal": "*",
                        "Action": "s3:*",
                        "Resource": "arn:aws:s3:::kept-bucket/*",
                        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
                    }
                ],
            }
        ),
    )
    for body in (b"one", b"two"):
        s3.put_object(Bucket="kept-bucket", Key="small", Body=body, Metadata={"by": "test"})
    s3.put_object(Bucket="kept-bucket", Key="large", Body=LARGE)
    s3.put_object(Bucket="kept-bucket", Key="empty", Body=b"")
    version = s3.put_object(Bucket="kept-bucket", Key="deleted", Body=b"gone")["VersionId"]
    s3.delete_object(Bucket="kept-bucket", Key="deleted")
    s3.delete_object(Bucket="kept-bucket", Key="deleted", VersionId=version)
    upload = s3.create_multipart_upload(Bucket="kept-bucket", Key="parts")
    made["upload"] = upload["UploadId"]
    s3.upload_part(
        Bucket="kept-bucket", Key="parts", UploadId=made["upload"], PartNumber=1, Body=b"part"
    )

    made["role"] = of("iam").create_role(RoleName="kept", AssumeRolePolicyDocument=TRUST)["Role"][
        "Arn"
    ]
    of("iam").put_role_policy(RoleName="kept", PolicyName="inline", PolicyDocument=POLICY)
    own = of("iam").create_policy(PolicyName="own", PolicyDocument=POLICY)["Policy"]["Arn"]
    for arn in (own, "arn:aws:iam::aws:policy/ReadOnlyAccess"):
        of("iam").attach_role_policy(RoleName="kept", PolicyArn=arn)

    made["key"] = kms.create_key(Description="kept")["KeyMetadata"]["KeyId"]
    kms.create_alias(AliasName="alias/kept", TargetKeyId=made["key"])
    made["secret"] = kms.encrypt(KeyId=made["key"], Plaintext=b"secret")["CiphertextBlob"]
    made["signing"] = kms.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")[
        "KeyMetadata"
    ]["KeyId"]
    made["signature"] = kms.sign(
        KeyId=made["signing"], Message=b"message", SigningAlgorithm="ECDSA_SHA_256"
    )["Signature"]

    of("ssm").put_parameter(Name="/kept/plain", Value="1", Type="String")
    of("ssm").put_parameter(Name="/kept/plain", Value="2", Type="String", Overwrite=True)
    of("ssm").put_parameter(Name="/kept/secret", Value="s", Type="SecureString")
    of("secretsmanager").create_secret(Name="kept", SecretString="s")
    of("ecr").create_repository(repositoryName="kept")

    of("logs").create_log_group(logGroupName="/kept")
    of("logs").put_retention_policy(logGroupName="/kept", retentionInDays=7)
    of("logs").create_log_stream(logGroupName="/kept", logStreamName="stream")
    of("logs").put_log_events(
        logGroupName="/kept",
        logStreamName="stream",
        logEvents=[{"timestamp": 1_790_000_000_000, "message": "said"}],
    )
    of("cloudwatch").put_metric_data(
        Namespace="Kept", MetricData=[{"MetricName": "count", "Value": 1.0}]
    )
    of("cloudwatch").put_metric_alarm(
        AlarmName="kept",
        Namespace="Kept",
        MetricName="count",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=1,
        ComparisonOperator="GreaterThanThreshold",
    )
    of("cloudwatch").put_dashboard(DashboardName="kept", DashboardBody='{"widgets": []}')

    made["topic"] = of("sns").create_topic(Name="kept")["TopicArn"]
    made["queue"] = of("sqs").create_queue(QueueName="kept")["QueueUrl"]
    queue_arn = of("sqs").get_queue_attributes(QueueUrl=made["queue"], AttributeNames=["QueueArn"])[
        "Attributes"
    ]["QueueArn"]
    of("sns").subscribe(TopicArn=made["topic"], Protocol="sqs", Endpoint=queue_arn)
    of("sqs").send_message(QueueUrl=made["queue"], MessageBody="waiting")
    of("events").put_rule(Name="kept", EventPattern='{"source": ["aws.sagemaker"]}')
    of("events").put_targets(Rule="kept", Targets=[{"Id": "queue", "Arn": queue_arn}])
    of("application-autoscaling").register_scalable_target(
        ServiceNamespace="sagemaker",
        ResourceId="endpoint/kept/variant/v",
        ScalableDimension="sagemaker:variant:DesiredInstanceCount",
        MinCapacity=1,
        MaxCapacity=3,
    )
    of("dynamodb").create_table(
        TableName="kept",
        KeySchema=[{"AttributeName": "k", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "k", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    of("dynamodb").put_item(TableName="kept", Item={"k": {"S": "1"}, "n": {"N": "2"}})

    of("lambda").create_function(
        FunctionName="kept",
        Runtime="python3.11",
        Role=made["role"],
        Handler="code.handle",
        Code={"ZipFile": zipped("code.py", "def handle(event, context):\n    return event\n")},
    )

    states = of("stepfunctions")
    for name, definition in (("pass", PASS), ("wait", WAIT)):
        made[name] = states.create_state_machine(
            name=name, roleArn=made["role"], definition=json.dumps(definition)
        )["stateMachineArn"]
    states.update_state_machine(
        stateMachineArn=made["pass"], definition=json.dumps({**PASS, "Comment": "b"})
    )
    states.tag_resource(resourceArn=made["pass"], tags=[{"key": "kept", "value": "yes"}])
    made["done"] = states.start_execution(stateMachineArn=made["pass"], input='{"a": 1}')[
        "executionArn"
    ]
    made["running"] = states.start_execution(stateMachineArn=made["wait"])["executionArn"]
    return made


DESCRIBED: dict[str, Callable[[Clients, dict[str, Any]], Any]] = {
    "s3 versions": lambda of, _: of("s3").list_object_versions(Bucket="kept-bucket")["Versions"],
    "s3 delete markers": lambda of, _: of("s3").list_object_versions(Bucket="kept-bucket")[
        "DeleteMarkers"
    ],
    "s3 object": lambda of, _: _body(of("s3").get_object(Bucket="kept-bucket", Key="small")),
    "s3 large object": lambda of, _: _body(of("s3").get_object(Bucket="kept-bucket", Key="large")),
    "s3 empty object": lambda of, _: _body(of("s3").get_object(Bucket="kept-bucket", Key="empty")),
    "s3 range": lambda of, _: _body(
        of("s3").get_object(Bucket="kept-bucket", Key="large", Range="bytes=1000000-1000009")
    ),
    "s3 policy": lambda of, _: of("s3").get_bucket_policy(Bucket="kept-bucket")["Policy"],
    "s3 encryption": lambda of, _: of("s3").get_bucket_encryption(Bucket="kept-bucket")[
        "ServerSideEncryptionConfiguration"
    ],
    "s3 public access": lambda of, _: of("s3").get_public_access_block(Bucket="kept-bucket")[
        "PublicAccessBlockConfiguration"
    ],
    "s3 parts": lambda of, made: of("s3").list_parts(
        Bucket="kept-bucket", Key="parts", UploadId=made["upload"]
    )["Parts"],
    "iam role": lambda of, _: of("iam").get_role(RoleName="kept")["Role"],
    "iam inline": lambda of, _: of("iam").get_role_policy(RoleName="kept", PolicyName="inline")[
        "PolicyDocument"
    ],
    "iam attached": lambda of, _: of("iam").list_attached_role_policies(RoleName="kept")[
        "AttachedPolicies"
    ],
    "iam policies": lambda of, _: of("iam").list_policies(OnlyAttached=True)["Policies"],
    "kms decrypts": lambda of, made: of("kms").decrypt(CiphertextBlob=made["secret"])["Plaintext"],
    "kms verifies": lambda of, made: of("kms").verify(
        KeyId=made["signing"],
        Message=b"message",
        Signature=made["signature"],
        SigningAlgorithm="ECDSA_SHA_256",
    )["SignatureValid"],
    "kms alias": lambda of, _: of("kms").describe_key(KeyId="alias/kept")["KeyMetadata"],
    "ssm": lambda of, _: of("ssm").get_parameters(
        Names=["/kept/plain", "/kept/secret"], WithDecryption=True
    )["Parameters"],
    "ssm history": lambda of, _: of("ssm").get_parameter_history(Name="/kept/plain")["Parameters"],
    "secrets": lambda of, _: of("secretsmanager").get_secret_value(SecretId="kept")["SecretString"],
    "ecr": lambda of, _: of("ecr").describe_repositories()["repositories"],
    "logs": lambda of, _: of("logs").get_log_events(logGroupName="/kept", logStreamName="stream")[
        "events"
    ],
    "log group": lambda of, _: of("logs").describe_log_groups(logGroupNamePrefix="/kept")[
        "logGroups"
    ],
    "metrics": lambda of, _: of("cloudwatch").list_metrics(Namespace="Kept")["Metrics"],
    "alarm": lambda of, _: of("cloudwatch").describe_alarms(AlarmNames=["kept"])["MetricAlarms"],
    "dashboard": lambda of, _: of("cloudwatch").get_dashboard(DashboardName="kept")[
        "DashboardBody"
    ],
    "sns": lambda of, _: of("sns").list_subscriptions()["Subscriptions"],
    "sqs": lambda of, made: of("sqs").get_queue_attributes(
        QueueUrl=made["queue"], AttributeNames=["All"]
    )["Attributes"],
    "rule": lambda of, _: of("events").describe_rule(Name="kept")["EventPattern"],
    "targets": lambda of, _: of("events").list_targets_by_rule(Rule="kept")["Targets"],
    "scaling": lambda of, _: of("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker"
    )["ScalableTargets"],
    "dynamodb": lambda of, _: of("dynamodb").scan(TableName="kept")["Items"],
    "function": lambda of, _: of("lambda").get_function(FunctionName="kept")["Configuration"],
    "state machine": lambda of, made: _told(
        of("stepfunctions").describe_state_machine(stateMachineArn=made["pass"])
    ),
    "tags of a state machine": lambda of, made: of("stepfunctions").list_tags_for_resource(
        resourceArn=made["pass"]
    )["tags"],
    "execution": lambda of, made: _told(
        of("stepfunctions").describe_execution(executionArn=made["done"])
    ),
    "an execution's machine": lambda of, made: _told(
        of("stepfunctions").describe_state_machine_for_execution(executionArn=made["done"])
    ),
    "execution's history": lambda of, made: of("stepfunctions").get_execution_history(
        executionArn=made["done"]
    )["events"],
}
"""By what it is about: how it is asked for."""


def zipped(name: str, text: str) -> bytes:
    """A zip of one file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, text)
    return packed.getvalue()


def _told(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name != "ResponseMetadata"}


def _body(answer: Any) -> bytes:
    content: bytes = answer["Body"].read()
    return content
