"""Task states: in whose name they call, what they send and get, the names of their errors."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.response import StreamingBody

from local_aws.protocol.models import operation
from local_aws.services.stepfunctions.engine import jsonata
from local_aws.services.stepfunctions.engine.sdk_tasks import as_json, as_request
from tests.local_aws.aws import REGION, Aws, policy
from tests.local_aws.functions import in_place, zipped
from tests.local_aws.services.stepfunctions.machines import (
    begin,
    create,
    of,
    output,
    result,
    run,
    task,
)


@pytest.fixture(scope="module", autouse=True)
def inputs(aws: Aws) -> None:
    aws.model("echo")
    aws.s3.put_object(Bucket="models", Key="good/1", Body=b"ab")


def test_a_json_body_is_written_as_json(aws: Aws) -> None:
    parameters = {"Bucket": "models", "Key": "report.json", "Body.$": "$"}
    states = {"Put": task("aws-sdk:s3:putObject", parameters)}
    assert run(aws, states, input='{"a": [1, 2]}')["status"] == "SUCCEEDED"
    written = aws.s3.get_object(Bucket="models", Key="report.json")["Body"].read()
    assert json.loads(written) == {"a": [1, 2]}


ABSENT_TOPIC = f"arn:aws:sns:{REGION}:123456789012:absent"
ABSENT_QUEUE = f"https://sqs.{REGION}.amazonaws.com/123456789012/absent"


@pytest.mark.parametrize(
    ("resource", "parameters", "error", "action"),
    [
        ("aws-sdk:s3:getObject", {"Bucket": "models", "Key": "good/1"}, "S3.AccessDeniedException",
         "s3:GetObject"),
        ("sagemaker:describeModel", {"ModelName": "echo"}, "SageMaker.AmazonSageMakerException",
         "sagemaker:DescribeModel"),
        ("sns:publish", {"TopicArn": ABSENT_TOPIC, "Message": "m"},
         "SNS.AuthorizationErrorException", "sns:Publish"),
        ("lambda:invoke", {"FunctionName": "absent"}, "Lambda.AWSLambdaException",
         "lambda:InvokeFunction"),
        ("states:startExecution",
         {"StateMachineArn": f"arn:aws:states:{REGION}:123456789012:stateMachine:no"},
         "StepFunctions.AWSStepFunctionsException", "states:StartExecution"),
    ],
)  # fmt: skip
def test_tasks_call_in_the_name_of_the_role(
    aws: Aws, powerless: str, resource: str, parameters: dict[str, str], error: str, action: str
) -> None:
    machine = create(aws, of({"Call": task(resource, parameters)}), roleArn=powerless)
    ended = result(aws, begin(aws, machine))
    assert "is not authorized to perform: " in ended["cause"], ended
    assert action in ended["cause"]
    assert ended["error"] == error


@pytest.fixture(scope="module")
def powerless(aws: Aws) -> str:
    statement = {"Effect": "Allow", "Action": "iam:GetUser", "Resource": "*"}
    return aws.role("powerless", "states", statement)


def test_a_task_may_take_another_role_if_both_let_it(aws: Aws) -> None:
    iam = aws.client("iam")
    read = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}
    reader = aws.role("reader", "states", read)
    own = aws.role(
        "taker", "states", {"Effect": "Allow", "Action": "sts:AssumeRole", "Resource": reader}
    )
    get = task("aws-sdk:s3:getObject", {"Bucket": "models", "Key": "good/1"})
    machine = create(aws, of({"Get": {**get, "Credentials": {"RoleArn": reader}}}), roleArn=own)
    refused = result(aws, begin(aws, machine))
    assert refused["error"] == "States.Permissions"
    assert "is not authorized to perform: sts:AssumeRole on resource: " in refused["cause"]
    trust = {"Effect": "Allow", "Principal": {"AWS": own}, "Action": "sts:AssumeRole"}
    iam.update_assume_role_policy(RoleName="reader", PolicyDocument=policy(trust))
    assert result(aws, begin(aws, machine))["status"] == "SUCCEEDED"


def test_a_topic_a_queue_a_bus_and_a_metric_are_reached(aws: Aws) -> None:
    queue = aws.client("sqs").create_queue(QueueName="told")["QueueUrl"]
    topic = aws.client("sns").create_topic(Name="told")["TopicArn"]
    event = {"Source": "own", "DetailType": "told", "Detail": {"a": 1}}
    metric = {"Namespace": "Own", "MetricData": [{"MetricName": "told", "Value": 1}]}
    states = {
        "Send": task(
            "sqs:sendMessage", {"QueueUrl": queue, "MessageBody": {"n.$": "$.n"}}, Next="Publish"
        ),
        "Publish": task("sns:publish", {"TopicArn": topic, "Message": {"n": 1}}, Next="Put"),
        "Put": task("events:putEvents", {"Entries": [event]}, Next="Measure"),
        "Measure": task("aws-sdk:cloudwatch:putMetricData", metric),
    }
    assert output(aws, states, {"n": 7}) == {}
    (message,) = aws.client("sqs").receive_message(QueueUrl=queue)["Messages"]
    assert json.loads(message["Body"]) == {"n": 7}
    listed = aws.client("cloudwatch").list_metrics(Namespace="Own")["Metrics"]
    assert [each["MetricName"] for each in listed] == ["told"]


@pytest.fixture(scope="module")
def function(aws: Aws) -> str:
    source = (
        "class TooOdd(Exception): pass\n"
        "def handler(event, context):\n"
        "    if event.get('odd'): raise TooOdd('so odd')\n"
        "    return {'twice': event['n'] * 2}\n"
    )
    client = aws.client("lambda")
    client.create_function(
        FunctionName="double",
        Runtime="python3.11",
        Handler="app.handler",
        Role=aws.role("function", "lambda"),
        Code={"ZipFile": zipped({"app.py": source})},
    )
    return in_place(client, "double")


def test_a_function_is_invoked_and_its_error_is_named_by_its_type(aws: Aws, function: str) -> None:
    invoke = task("lambda:invoke", {"FunctionName": function, "Payload.$": "$"})
    invoke["ResultSelector"] = {"payload.$": "$.Payload"}
    assert output(aws, {"Invoke": invoke}, {"n": 4}) == {"payload": {"twice": 8}}
    ended = run(aws, {"Invoke": invoke}, input='{"odd": true}')
    assert ended["error"] == "TooOdd"
    assert json.loads(ended["cause"])["errorMessage"] == "so odd"


def test_an_inline_map_takes_a_thousand_items_one_after_another(aws: Aws) -> None:
    each = {
        "Type": "Map",
        "MaxConcurrency": 1,
        "ItemProcessor": of({"Pass": {"Type": "Pass", "End": True}}),
        "ResultSelector": {"count.$": "States.ArrayLength($)"},
        "End": True,
    }
    assert output(aws, {"Each": each}, list(range(1100))) == {"count": 1100}


@pytest.mark.parametrize(
    ("service", "action", "parameters", "request_"),
    [
        ("stepfunctions", "startExecution", {"Input": {"a": 1}}, {"input": '{"a": 1}'}),
        ("s3", "putObject", {"Body": {"a": [1]}}, {"Body": b'{"a":[1]}'}),
        ("s3", "putObject", {"Body": "text"}, {"Body": b'"text"'}),
        ("s3", "putObject", {"SseKmsKeyId": "k"}, {"SSEKMSKeyId": "k"}),
        ("s3", "putObject", {"Metadata": {"Own-Key": 1}}, {"Metadata": {"Own-Key": "1"}}),
        (
            "cloudwatch",
            "putMetricData",
            {"MetricData": [{"Dimensions": [{"Name": "n", "Value": 1}]}]},
            {"MetricData": [{"Dimensions": [{"Name": "n", "Value": "1"}]}]},
        ),
        (
            "logs",
            "putLogEvents",
            {"LogEvents": [{"Message": {"a": True}, "Timestamp": 1}]},
            {"logEvents": [{"message": '{"a": true}', "timestamp": 1}]},
        ),
    ],
)
def test_parameters_become_what_the_api_takes(
    service: str, action: str, parameters: dict[str, Any], request_: dict[str, Any]
) -> None:
    assert as_request(parameters, operation(service, action).input_shape) == request_


def test_what_the_api_does_not_know_is_left_for_it_to_refuse() -> None:
    shape = operation("s3", "putObject").input_shape
    assert as_request({"Bodi": 1}, shape) == {"Bodi": 1}
    assert as_request({}, None) == {}


def test_an_answer_is_json_with_capitals_iso_times_and_text() -> None:
    answer = {
        "Body": StreamingBody(io.BytesIO(b"text"), 4),
        "LastModified": datetime(2026, 11, 21, 12, 30, 0, 123456, UTC),
        "Metadata": {"own": "kept"},
    }
    assert as_json(answer, operation("s3", "getObject").output_shape) == {
        "Body": "text",
        "LastModified": "2026-11-21T12:30:00.123Z",
        "Metadata": {"own": "kept"},
    }
    listed = {"stateMachines": [{"stateMachineArn": "arn"}]}
    assert as_json(listed, operation("stepfunctions", "listStateMachines").output_shape) == {
        "StateMachines": [{"StateMachineArn": "arn"}]
    }


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("$sum([1, 2.5])", 3.5),
        ("null", None),
        ('{"a": null, "b": [null]}', {"a": None, "b": [None]}),
        ("$partition([1,2,3,4,5], 2)", [[1, 2], [3, 4], [5]]),
        ("$range(0, 10, 5)", [0, 5, 10]),
        ("$range(3, 1, -1)", [3, 2, 1]),
        ('$hash("a", "MD5")', "0cc175b9c0f1b6a831c399e269772661"),
        ('$parse("{\\"a\\": [1, 2]}").a', [1, 2]),
        ("$random(7) = $random(7)", True),
        ("$length($uuid())", 36),
        ("$exists($nothing)", False),
    ],
)
def test_expressions_have_their_values(expression: str, value: Any) -> None:
    assert jsonata.evaluate(expression) == value


@pytest.mark.parametrize(
    "expression", ["$error('no')", "1 +", "$partition([1], 0)", "$range(1, 2, 0)", "$hash('a','X')"]
)
def test_expressions_that_fail_say_so(expression: str) -> None:
    with pytest.raises(jsonata.JsonataError):
        jsonata.evaluate(expression)


def test_only_expressions_that_cannot_be_read_have_a_problem() -> None:
    assert jsonata.problem("$a + 1") is None
    assert jsonata.problem("$a +") is not None
