"""What runs in one account runs in any: functions, state machines, alarms, models."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.accounts.members import HOME, OTHER, client
from tests.local_aws.aws import IMAGE, REGION, Aws, eventually, policy
from tests.local_aws.functions import in_place, trust, zipped

LOGS = "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"


def role(aws: Aws, account: str, name: str, service: str, *allowed: str) -> str:
    iam = client(aws, "iam", account)
    arn: str = iam.create_role(
        RoleName=name, AssumeRolePolicyDocument=json.dumps(trust(f"{service}.amazonaws.com"))
    )["Role"]["Arn"]
    if allowed:
        own = {"Effect": "Allow", "Action": list(allowed), "Resource": "*"}
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(own))
    return arn


@pytest.fixture(scope="module")
def function(aws: Aws) -> str:
    """A function of the other account that logs its account, and what it is given."""
    code = (
        "import boto3, json\n"
        "def handler(event, context):\n"
        "    account = boto3.client('sts').get_caller_identity()['Account']\n"
        "    print('told', account, json.dumps(event))\n"
        "    return account\n"
    )
    arn = role(aws, OTHER, "runs", "lambda")
    client(aws, "iam").attach_role_policy(RoleName="runs", PolicyArn=LOGS)
    functions = client(aws, "lambda")
    functions.create_function(
        FunctionName="runs",
        Role=arn,
        Runtime="python3.12",
        Handler="index.handler",
        Code={"ZipFile": zipped({"index.py": code})},
        Timeout=30,
    )
    return in_place(functions, "runs")


def test_a_function_runs_as_its_own_accounts_role_and_logs_there(aws: Aws, function: str) -> None:
    answer = client(aws, "lambda").invoke(FunctionName=function)
    assert json.load(answer["Payload"]) == OTHER
    logs, group = client(aws, "logs"), {"logGroupNamePrefix": "/aws/lambda/runs"}
    # Logs follow the answer, as on AWS.
    eventually(lambda: logs.describe_log_groups(**group)["logGroups"])
    assert aws.client("logs").describe_log_groups(**group)["logGroups"] == []


def test_a_topic_invokes_a_function_of_another_account_that_lets_it_in(
    aws: Aws, function: str
) -> None:
    sns = aws.client("sns")
    let_in, shut = (sns.create_topic(Name=name)["TopicArn"] for name in ("let-in", "shut-out"))
    for topic in (let_in, shut):
        sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=function)
    client(aws, "lambda").add_permission(
        FunctionName=function,
        StatementId="topic",
        Action="lambda:InvokeFunction",
        Principal="sns.amazonaws.com",
        SourceArn=let_in,
        SourceAccount=HOME,
    )
    for topic in (shut, let_in):
        sns.publish(TopicArn=topic, Message=f"from {topic}")
    logs = client(aws, "logs")

    def told() -> str:
        if not logs.describe_log_groups(logGroupNamePrefix="/aws/lambda/runs")["logGroups"]:
            return ""
        events = logs.filter_log_events(logGroupName="/aws/lambda/runs")["events"]
        return "".join(each["message"] for each in events)

    eventually(lambda: f"from {let_in}" in told())
    assert f"from {shut}" not in told()


def test_an_alarm_tells_a_topic_of_another_account_that_lets_it(aws: Aws) -> None:
    sns, sqs = aws.client("sns"), aws.client("sqs")
    topic = sns.create_topic(Name="alarms")["TopicArn"]
    sns.set_topic_attributes(
        TopicArn=topic,
        AttributeName="Policy",
        AttributeValue=policy(
            {
                "Effect": "Allow",
                "Principal": {"Service": "cloudwatch.amazonaws.com"},
                "Action": "sns:Publish",
                "Resource": topic,
                "Condition": {"StringEquals": {"aws:SourceAccount": OTHER}},
            }
        ),
    )
    url = sqs.create_queue(QueueName="alarms")["QueueUrl"]
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=f"arn:aws:sqs:{REGION}:{HOME}:alarms")
    alarm = {
        "AlarmName": "same",
        "Namespace": "N",
        "MetricName": "m",
        "Statistic": "Sum",
        "Period": 60,
        "EvaluationPeriods": 1,
        "Threshold": 1,
        "ComparisonOperator": "GreaterThanThreshold",
    }
    aws.client("cloudwatch").put_metric_alarm(**alarm)
    there = client(aws, "cloudwatch")
    there.put_metric_alarm(**alarm, AlarmActions=[topic])
    there.put_metric_data(Namespace="N", MetricData=[{"MetricName": "m", "Value": 5}])

    def message() -> Any:
        found = sqs.receive_message(QueueUrl=url).get("Messages")
        return None if not found else json.loads(json.loads(found[0]["Body"])["Message"])

    assert eventually(message)["AWSAccountId"] == OTHER
    (own,) = aws.client("cloudwatch").describe_alarms(AlarmNames=["same"])["MetricAlarms"]
    assert own["StateValue"] == "INSUFFICIENT_DATA"


MAP = {
    "StartAt": "Map",
    "States": {
        "Map": {
            "Type": "Map",
            "End": True,
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
                "StartAt": "Who",
                "States": {
                    "Who": {
                        "Type": "Task",
                        "Resource": "arn:aws:states:::aws-sdk:sts:getCallerIdentity",
                        "OutputPath": "$.Account",
                        "End": True,
                    }
                },
            },
        }
    },
}


def test_a_state_machine_and_its_children_run_in_their_account(aws: Aws) -> None:
    for account in (HOME, OTHER):
        own = role(aws, account, "machine", "states", "states:*", "sts:*")
        states = client(aws, "stepfunctions", account)
        arn = states.create_state_machine(name="same", definition=json.dumps(MAP), roleArn=own)[
            "stateMachineArn"
        ]
        execution = states.start_execution(stateMachineArn=arn, input="[1, 2]")["executionArn"]

        def ended(states: Any = states, execution: str = execution) -> Any:
            found = states.describe_execution(executionArn=execution)
            return None if found["status"] == "RUNNING" else found

        told = eventually(ended)
        assert (told["status"], json.loads(told["output"])) == ("SUCCEEDED", [account] * 2)
    listed = [client(aws, "stepfunctions", each).list_state_machines() for each in (HOME, OTHER)]
    assert [len(each["stateMachines"]) for each in listed] == [1, 1]


def test_a_model_serves_in_its_account(aws: Aws) -> None:
    own = role(aws, OTHER, "serves", "sagemaker", "*")
    s3 = client(aws, "s3")
    s3.create_bucket(
        Bucket="models-there", CreateBucketConfiguration={"LocationConstraint": REGION}
    )
    archive = aws.s3.get_object(Bucket="models", Key="model.tar.gz")["Body"].read()
    s3.put_object(Bucket="models-there", Key="model.tar.gz", Body=archive)
    sagemaker = client(aws, "sagemaker")
    sagemaker.create_model(
        ModelName="m",
        ExecutionRoleArn=own,
        PrimaryContainer={"Image": IMAGE, "ModelDataUrl": "s3://models-there/model.tar.gz"},
    )
    variant = {
        "VariantName": "v",
        "ModelName": "m",
        "InstanceType": "ml.m5.large",
        "InitialInstanceCount": 1,
    }
    sagemaker.create_endpoint_config(EndpointConfigName="c", ProductionVariants=[variant])
    arn = sagemaker.create_endpoint(EndpointName="e", EndpointConfigName="c")["EndpointArn"]
    assert arn.split(":")[4] == OTHER
    look = {"EndpointName": "e"}
    eventually(lambda: sagemaker.describe_endpoint(**look)["EndpointStatus"] == "InService")
    answer = client(aws, "sagemaker-runtime").invoke_endpoint(EndpointName="e", Body=b"{}")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert aws.sagemaker.list_endpoints()["Endpoints"] == []
    sagemaker.delete_endpoint(EndpointName="e")
