"""Routes that lead to a service of AWS, in the API's role."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.functions import Functions, trust
from tests.local_aws.web import ask


class Api:
    """An HTTP API with a role that may do all, and one that may do nothing."""

    def __init__(self, functions: Functions) -> None:
        self.client = functions.client
        self.api = functions.client("apigatewayv2")
        self.id = self.api.create_api(Name="services", ProtocolType="HTTP")["ApiId"]
        self.api.create_stage(ApiId=self.id, StageName="$default", AutoDeploy=True)
        self.url = f"{functions.url}/_aws/execute-api/{self.id}"
        self.roles = {name: self._role(name) for name in ("all", "nothing")}

    def lead(self, path: str, subtype: str, role: str = "all", **parameters: str) -> None:
        integration = self.api.create_integration(
            ApiId=self.id,
            IntegrationType="AWS_PROXY",
            IntegrationSubtype=subtype,
            PayloadFormatVersion="1.0",
            CredentialsArn=self.roles[role],
            RequestParameters=parameters,
        )["IntegrationId"]
        self.api.create_route(
            ApiId=self.id, RouteKey=f"POST {path}", Target=f"integrations/{integration}"
        )

    def post(self, path: str, body: Any, **headers: str) -> Any:
        return ask(f"{self.url}{path}", "POST", json.dumps(body), headers)

    def _role(self, name: str) -> str:
        iam = self.client("iam")
        document = json.dumps(trust("apigateway.amazonaws.com"))
        role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=document)["Role"]
        if name == "all":
            everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
            policy = json.dumps({"Version": "2012-10-17", "Statement": [everything]})
            iam.put_role_policy(RoleName=name, PolicyName="all", PolicyDocument=policy)
        return str(role["Arn"])


@pytest.fixture(scope="module")
def api(functions: Functions) -> Api:
    return Api(functions)


@pytest.fixture
def queue(api: Api) -> str:
    url: str = api.client("sqs").create_queue(QueueName="told")["QueueUrl"]
    return url


def test_a_message_is_sent_with_what_the_request_has(api: Api, queue: str) -> None:
    api.lead(
        *("/send/{who}", "SQS-SendMessage"),
        QueueUrl=queue,
        MessageBody="$request.body.order.items[1]",
        MessageAttributes='{"who": {"DataType": "String", "StringValue": "api"}}',
        DelaySeconds="0",
    )
    answer = api.post("/send/ada", {"order": {"items": ["one", {"two": 2}]}})
    assert answer.status == 200
    sqs = api.client("sqs")
    (message,) = sqs.receive_message(QueueUrl=queue, MessageAttributeNames=["All"])["Messages"]
    assert answer.json["MessageId"] == message["MessageId"]
    assert json.loads(message["Body"]) == {"two": 2}
    assert message["MessageAttributes"]["who"]["StringValue"] == "api"


def test_an_execution_begins_with_the_body_and_its_answer_is_awaited(
    api: Api, functions: Functions
) -> None:
    role = functions.client("iam").create_role(
        RoleName="machine", AssumeRolePolicyDocument=json.dumps(trust("states.amazonaws.com"))
    )["Role"]["Arn"]
    definition = {"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}}
    machine = functions.client("stepfunctions").create_state_machine(
        name="quick", definition=json.dumps(definition), roleArn=role, type="EXPRESS"
    )["stateMachineArn"]
    api.lead(
        *("/run", "StepFunctions-StartSyncExecution"),
        StateMachineArn=machine,
        Input="$request.body",
        Name="$request.header.x-name",
    )
    answer = api.post("/run", {"n": 1}, **{"X-Name": "first"}).json
    assert (answer["status"], answer["name"]) == ("SUCCEEDED", "first")
    assert json.loads(answer["output"]) == {"n": 1}
    assert isinstance(answer["startDate"], float)


def test_an_event_is_put_on_the_bus(api: Api, queue: str) -> None:
    api.lead(
        *("/event/{kind}", "EventBridge-PutEvents"),
        Detail="$request.body",
        DetailType="$request.path.kind",
        Source="$context.stage",
    )
    answer = api.post("/event/ordered", {"n": 1})
    assert answer.json["FailedEntryCount"] == 0
    assert answer.json["Entries"][0]["EventId"]


def test_a_role_that_may_not_is_refused_as_the_service_does(api: Api, queue: str) -> None:
    api.lead("/denied", "SQS-PurgeQueue", "nothing", QueueUrl=queue)
    answer = api.post("/denied", {})
    assert answer.status == 403
    assert "is not authorized to perform: sqs:PurgeQueue" in answer.json["message"]


def test_what_the_service_refuses_has_its_status(api: Api, queue: str) -> None:
    api.lead("/gone", "SQS-PurgeQueue", QueueUrl=f"{queue}-gone")
    assert api.post("/gone", {}).status == 400


def test_an_integration_that_lacks_what_it_needs_is_refused(api: Api, queue: str) -> None:
    with pytest.raises(ClientError, match="needs the RequestParameters MessageBody"):
        api.lead("/less", "SQS-SendMessage", QueueUrl=queue)
