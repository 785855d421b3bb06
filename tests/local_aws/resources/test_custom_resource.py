"""Custom resources: a function answers, fails, falls silent, crashes; the stack follows."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.services.cloudformation import queries
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import REGION, eventually, running
from tests.local_aws.functions import Stacks
from tests.local_aws.services.cloudformation.templates import get_att, ref, resource, template

SOURCE = """
import json, os, urllib.request

def handler(event, context):
    wanted = event["ResourceProperties"]
    with open(wanted["Record"], "a") as record:
        record.write(json.dumps(event) + "\\n")
    do = wanted.get(event["RequestType"], "SUCCESS")
    if do == "crash":
        os._exit(1)
    if do == "silence":
        return
    answer = {
        "Status": do,
        "Reason": "because",
        "PhysicalResourceId": wanted.get("Id", "one"),
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
        "Data": json.loads(wanted.get("Data", "{}")),
        **json.loads(wanted.get("Answer", "{}")),
    }
    body = wanted["Body"] if "Body" in wanted else json.dumps(answer)
    request = urllib.request.Request(event["ResponseURL"], body.encode(), method="PUT")
    urllib.request.urlopen(request).close()
"""


class Asked(Stacks):
    """Stacks whose resources are made by one function, which answers as it is told."""

    def __init__(self, gateway: Gateway, folder: Path) -> None:
        super().__init__(gateway)
        self.token = self.functions.create("provider", SOURCE)["FunctionArn"]
        self.context = gateway.context
        self.folder = folder

    def custom(self, name: str, **properties: Any) -> dict[str, Any]:
        return {
            "Type": "Custom::Thing",
            "Properties": {
                "ServiceToken": self.token,
                "Record": str(self.folder / name),
                "ServiceTimeout": 60,
                **properties,
            },
        }

    def asked(self, name: str) -> list[dict[str, Any]]:
        """The events that the function was given."""
        lines = (self.folder / name).read_text().splitlines()
        return [json.loads(line) for line in lines]

    def kinds(self, name: str) -> list[tuple[str, str | None]]:
        """What was asked for, and of which physical resource, in this order."""
        return [(each["RequestType"], each.get("PhysicalResourceId")) for each in self.asked(name)]


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    quick = Settings(time_scale=600)  # minutes pass between a function's attempts
    with running(tmp_path_factory.mktemp("aws"), settings=quick) as started:
        yield started


@pytest.fixture(scope="module")
def stacks(gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    return Asked(gateway, tmp_path_factory.mktemp("asked"))


def test_a_function_makes_the_resource_and_its_answer_is_referred_to(stacks: Asked) -> None:
    body = template(
        {
            "Id": ref("Thing"),
            "Flat": get_att("Thing", "Url"),
            "Deep": get_att("Thing", "Nested.Port"),
            "Param": ref("After"),
        },
        Thing=stacks.custom(
            "made",
            Data=json.dumps({"Url": "http://here", "Nested": {"Port": 80}}),
            Count=3,
            Yes=True,
        ),
        After=resource(
            "SSM::Parameter", Type="String", Name="after", Value=get_att("Thing", "Url")
        ),
    )
    stack = stacks.create("made", body)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    outputs = {"Id": "one", "Flat": "http://here", "Deep": "80", "Param": "after"}
    assert stacks.outputs("made") == outputs
    parameter = stacks.functions.client("ssm").get_parameter(Name="after")["Parameter"]
    assert parameter["Value"] == "http://here"

    (event,) = stacks.asked("made")
    url, request_id = event.pop("ResponseURL"), event.pop("RequestId")
    assert url.startswith(stacks.functions.url)
    assert len(request_id) == 36
    assert event.pop("ResourceProperties").items() >= {"Count": "3", "Yes": "true"}.items()
    assert event == {
        "RequestType": "Create",
        "ServiceToken": stacks.token,
        "StackId": stack["StackId"],
        "LogicalResourceId": "Thing",
        "ResourceType": "Custom::Thing",
    }
    assert stacks.delete("made")["StackStatus"] == "DELETE_COMPLETE"
    assert stacks.kinds("made")[-1] == ("Delete", "one")


def test_a_function_that_asks_for_its_own_stack_is_answered_at_once(
    stacks: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others are answered when the operation has ended, which waits for this function."""
    monkeypatch.setattr(queries, "HOLD_SECONDS", threading.TIMEOUT_MAX)
    role = stacks.functions.role("asking")
    allowed = {"Effect": "Allow", "Action": "cloudformation:DescribeStacks", "Resource": "*"}
    stacks.functions.client("iam").put_role_policy(
        RoleName="asking",
        PolicyName="ask",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [allowed]}),
    )
    asking = """
    import boto3
    cloudformation = boto3.client("cloudformation")
    (stack,) = cloudformation.describe_stacks(StackName=event["StackId"])["Stacks"]
    wanted["Data"] = json.dumps({"Status": stack["StackStatus"]})
    do = wanted"""
    source = SOURCE.replace("\n    do = wanted", asking)
    token = stacks.functions.create("asking", source, Role=role)["FunctionArn"]
    thing = stacks.custom("asking", ServiceToken=token)
    made = stacks.create("asking", template({"Status": get_att("Thing", "Status")}, Thing=thing))
    assert made["StackStatus"] == "CREATE_COMPLETE", stacks.reason("asking", "CREATE_FAILED")
    assert stacks.outputs("asking") == {"Status": "CREATE_IN_PROGRESS"}


def test_an_update_passes_the_old_properties_and_keeps_the_id(stacks: Asked) -> None:
    stacks.create("kept", template(Thing=stacks.custom("kept", Color="red")))
    stack = stacks.update("kept", template(Thing=stacks.custom("kept", Color="blue")))
    assert stack["StackStatus"] == "UPDATE_COMPLETE"
    assert stacks.kinds("kept") == [("Create", None), ("Update", "one")]
    update = stacks.asked("kept")[-1]
    assert update["OldResourceProperties"]["Color"] == "red"
    assert update["ResourceProperties"]["Color"] == "blue"
    with pytest.raises(ClientError, match="No updates are to be performed"):
        stacks.update("kept", template(Thing=stacks.custom("kept", Color="blue")))
    assert len(stacks.asked("kept")) == 2


def test_an_update_to_another_id_deletes_the_old_one_last(stacks: Asked) -> None:
    def body(identity: str) -> dict[str, Any]:
        after = resource("SSM::Parameter", Type="String", Name="moved", Value=ref("Thing"))
        return template(Thing=stacks.custom("moved", Id=identity), After=after)

    stacks.create("moved", body("one"))
    assert stacks.update("moved", body("two"))["StackStatus"] == "UPDATE_COMPLETE"
    assert stacks.kinds("moved") == [("Create", None), ("Update", "one"), ("Delete", "one")]
    assert stacks.asked("moved")[-1]["ResourceProperties"]["Id"] == "one"
    parameter = stacks.functions.client("ssm").get_parameter(Name="moved")["Parameter"]
    assert parameter["Value"] == "two"
    events = stacks.cloudformation.describe_stack_events(StackName="moved")["StackEvents"][::-1]
    history = [(event["LogicalResourceId"], event["ResourceStatus"]) for event in events]
    cleanup = history.index(("moved", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"))
    assert history.index(("After", "UPDATE_COMPLETE")) < cleanup
    assert history.index(("Thing", "DELETE_IN_PROGRESS")) > cleanup
    assert stacks.delete("moved")["StackStatus"] == "DELETE_COMPLETE"
    assert stacks.kinds("moved")[-1] == ("Delete", "two")


def test_a_failure_after_a_move_moves_back_and_deletes_the_new_one(stacks: Asked) -> None:
    stacks.create("back", template(Thing=stacks.custom("back", Id="one")))
    broken = resource("SSM::Parameter", "Thing", Type="String", Name="aws-reserved", Value="")
    stack = stacks.update("back", template(Thing=stacks.custom("back", Id="two"), Broken=broken))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.kinds("back") == [
        ("Create", None),
        ("Update", "one"),
        ("Update", "two"),
        ("Delete", "two"),
    ]
    assert stacks.asked("back")[2]["OldResourceProperties"]["Id"] == "two"


def test_an_update_that_fails_is_answered_with_the_old_properties(stacks: Asked) -> None:
    stacks.create("undone", template(Thing=stacks.custom("undone", Color="red")))
    stack = stacks.update(
        "undone", template(Thing=stacks.custom("undone", Color="blue", Update="FAILED"))
    )
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.kinds("undone") == [("Create", None), ("Update", "one"), ("Update", "one")]
    last = stacks.asked("undone")[-1]
    assert last["ResourceProperties"]["Color"] == "red"
    assert last["OldResourceProperties"]["Color"] == "blue"


def test_a_failed_create_names_the_reason_and_is_deleted_by_its_id(stacks: Asked) -> None:
    stack = stacks.create("failed", template(Thing=stacks.custom("failed", Create="FAILED")))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    request_id = stacks.asked("failed")[0]["RequestId"]
    assert stacks.reason("failed", "CREATE_FAILED") == (
        "Received response status [FAILED] from custom resource. Message returned: because "
        f"(RequestId: {request_id})"
    )
    assert stacks.kinds("failed") == [("Create", None), ("Delete", "one")]


def test_silence_ends_at_the_service_timeout(stacks: Asked) -> None:
    thing = stacks.custom("silent", Create="silence", ServiceTimeout=1)
    assert stacks.create("silent", template(Thing=thing))["StackStatus"] == "ROLLBACK_COMPLETE"
    create, delete = stacks.asked("silent")
    assert stacks.reason("silent", "CREATE_FAILED") == (
        "CloudFormation did not receive a response from your Custom Resource. Please check your "
        f"logs for requestId [{create['RequestId']}]. If you are using the Python cfn-response "
        "module, you may need to update your Lambda function code so that CloudFormation can "
        "attach the updated version."
    )
    assert create["ResourceProperties"]["ServiceTimeout"] == "1"
    assert delete["PhysicalResourceId"].startswith("silent-Thing-")


def test_a_crash_is_tried_three_times_and_then_said_at_once(stacks: Asked) -> None:
    thing = stacks.custom("crashed", Create="crash", ServiceTimeout=3600)
    stack = stacks.create("crashed", template(Thing=thing))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    kinds = [kind for kind, _ in stacks.kinds("crashed")]
    assert kinds == ["Create", "Create", "Create", "Delete"]
    reason = stacks.reason("crashed", "CREATE_FAILED")
    assert "did not receive a response from your Custom Resource" in reason
    assert "where AWS would wait 3600 seconds: provider: Runtime.ExitError" in reason


def test_a_delete_that_fails_keeps_the_stack(stacks: Asked) -> None:
    stacks.create("stuck", template(Thing=stacks.custom("stuck", Delete="FAILED")))
    assert stacks.delete("stuck")["StackStatus"] == "DELETE_FAILED"
    assert "because" in stacks.reason("stuck", "DELETE_FAILED")


ANSWERS = [
    ("no-json", {"Body": "thank you"}, "Invalid response object: it is not a JSON object"),
    ("no-id", {"Answer": '{"PhysicalResourceId": ""}'}, "Invalid PhysicalResourceId"),
    ("long-id", {"Id": "x" * 1025}, "Invalid PhysicalResourceId"),
    ("number-id", {"Answer": '{"PhysicalResourceId": 1}'}, "Invalid PhysicalResourceId"),
    ("status", {"Create": "DONE"}, "Invalid response object: Status is 'DONE'"),
    ("request", {"Answer": '{"RequestId": "x"}'}, "RequestId is not the request's"),
    ("stack", {"Answer": '{"StackId": "x"}'}, "StackId is not the request's"),
    ("data", {"Answer": '{"Data": ["x"]}'}, "Data is not an object"),
]


@pytest.mark.parametrize(("name", "properties", "message"), ANSWERS)
def test_an_answer_that_is_none_is_refused(
    stacks: Asked, name: str, properties: dict[str, Any], message: str
) -> None:
    thing = stacks.custom(name, **properties)
    stacks.create(f"refused-{name}", template(Thing=thing), OnFailure="DO_NOTHING")
    assert message in stacks.reason(f"refused-{name}", "CREATE_FAILED")


def test_4096_bytes_are_an_answer(stacks: Asked) -> None:
    plain = {
        "Status": "SUCCESS",
        "Reason": "because",
        "PhysicalResourceId": "one",
        "StackId": f"arn:aws:cloudformation:{REGION}:123456789012:stack/full/{'0' * 36}",
        "RequestId": "0" * 36,
        "LogicalResourceId": "Thing",
        "Data": {"x": ""},
    }
    filling = "x" * (4096 - len(json.dumps(plain)))
    thing = stacks.custom("full", Data=json.dumps({"x": filling}))
    assert stacks.create("full", template(Thing=thing))["StackStatus"] == "CREATE_COMPLETE"
    thing = stacks.custom("full", Data=json.dumps({"x": f"{filling}x"}))
    stacks.update("full", template(Thing=thing))
    assert stacks.reason("full", "UPDATE_FAILED") == "Response object is too long."


def test_an_attribute_that_the_answer_lacks_is_an_error(stacks: Asked) -> None:
    after = resource("SSM::Parameter", Type="String", Value=get_att("Thing", "Record"))
    body = template(Thing=stacks.custom("lacks"), After=after)
    assert stacks.create("lacks", body)["StackStatus"] == "ROLLBACK_COMPLETE"
    reason = stacks.reason("lacks", "CREATE_FAILED")
    assert "CustomResource attribute error: Vendor response doesn't contain Record key" in reason


def test_what_is_not_to_be_shown_is_masked_and_still_used(stacks: Asked) -> None:
    def body(secret: str) -> dict[str, Any]:
        data, answer = json.dumps({"Secret": secret}), '{"NoEcho": true}'
        value = {"Fn::Sub": "<${Thing.Secret}>"}
        return template(
            {"Secret": get_att("Thing", "Secret"), "Id": ref("Thing")},
            Thing=stacks.custom("secret", Data=data, Answer=answer),
            After=resource("SSM::Parameter", Type="String", Name="used", Value=value),
        )

    stacks.create("secret", body("hunter2"))
    assert stacks.outputs("secret") == {"Secret": "****", "Id": "one"}
    used = stacks.functions.client("ssm").get_parameter(Name="used")["Parameter"]["Value"]
    assert used == "<hunter2>"

    changed = body("hunter2")
    changed["Resources"]["After"]["Properties"]["Value"] = {"Fn::Sub": "${Thing.Secret}!"}
    stacks.cloudformation.create_change_set(
        StackName="secret", ChangeSetName="c", TemplateBody=json.dumps(changed)
    )
    shown = stacks.cloudformation.describe_change_set(
        StackName="secret", ChangeSetName="c", IncludePropertyValues=True
    )
    (change,) = [each["ResourceChange"] for each in shown["Changes"]]
    assert change["LogicalResourceId"] == "After"
    assert "hunter2" not in json.dumps(change)
    assert "****" in change["BeforeContext"]


def test_the_service_token_cannot_be_changed(stacks: Asked) -> None:
    other = stacks.functions.create("other-provider", SOURCE)["FunctionArn"]
    stacks.create("token", template(Thing=stacks.custom("token")))
    stack = stacks.update("token", template(Thing=stacks.custom("token", ServiceToken=other)))
    assert stack["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.reason("token", "UPDATE_FAILED") == "Modifying service token is not allowed."
    assert {kind for kind, _ in stacks.kinds("token")} == {"Create", "Update"}
    assert stacks.asked("token")[-1]["ServiceToken"] == stacks.token


def test_a_token_that_names_nothing_fails_and_leaves_nothing_to_delete(stacks: Asked) -> None:
    nobody = stacks.token.replace("provider", "nobody")
    body = template(Thing=stacks.custom("nobody", ServiceToken=nobody))
    assert stacks.create("nobody", body)["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "Function not found" in stacks.reason("nobody", "CREATE_FAILED")
    queue = stacks.custom("queue", ServiceToken="arn:aws:sqs:eu-west-1:123456789012:q")
    stacks.create("queue", template(Thing=queue))
    assert "Invalid service token" in stacks.reason("queue", "CREATE_FAILED")


def test_a_topic_is_a_service_token_too(stacks: Asked) -> None:
    sns = stacks.functions.client("sns")
    topic = sns.create_topic(Name="provider")["TopicArn"]
    source = SOURCE.replace(
        "def handler(event, context):",
        "def handler(notification, context):\n"
        '    event = json.loads(notification["Records"][0]["Sns"]["Message"])',
    )
    function = stacks.functions.create("by-topic", source)["FunctionArn"]
    stacks.functions.api.add_permission(
        FunctionName="by-topic",
        StatementId="sns",
        Action="lambda:InvokeFunction",
        Principal="sns.amazonaws.com",
        SourceArn=topic,
    )
    sns.subscribe(TopicArn=topic, Protocol="lambda", Endpoint=function)
    body = template(Thing=stacks.custom("topic", ServiceToken=topic))
    assert stacks.create("topic", body)["StackStatus"] == "CREATE_COMPLETE"
    assert stacks.kinds("topic") == [("Create", None)]


def test_a_stack_can_be_cancelled_while_nobody_answers(stacks: Asked) -> None:
    stacks.create("waits", template(Thing=stacks.custom("waits", Color="red")))
    silent = template(Thing=stacks.custom("waits", Color="blue", Update="silence"))
    stack_id = stacks.cloudformation.update_stack(
        StackName="waits", TemplateBody=json.dumps(silent)
    )["StackId"]
    eventually(lambda: len(stacks.asked("waits")) == 2)
    stacks.cloudformation.cancel_update_stack(StackName="waits")
    assert stacks.done(stack_id)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert stacks.asked("waits")[-1]["ResourceProperties"]["Color"] == "red"


def test_a_stack_can_be_deleted_while_nobody_answers(stacks: Asked) -> None:
    """As on AWS: what is under way is deleted too, and so is what was made before it."""
    body = template(
        Before=resource("SSM::Parameter", Type="String", Name="before", Value="v"),
        Thing={**stacks.custom("deleted", Create="silence"), "DependsOn": "Before"},
    )
    made = stacks.cloudformation.create_stack(StackName="deleted", TemplateBody=json.dumps(body))
    eventually(lambda: (stacks.folder / "deleted").exists())
    assert stacks.stack("deleted")["StackStatus"] == "CREATE_IN_PROGRESS"

    stacks.cloudformation.delete_stack(StackName="deleted")

    assert stacks.done(made["StackId"])["StackStatus"] == "DELETE_COMPLETE"
    assert [kind for kind, _ in stacks.kinds("deleted")] == ["Create", "Delete"]
    names = stacks.functions.client("ssm").get_parameters(Names=["before"])
    assert names["InvalidParameters"] == ["before"]


def test_an_address_takes_one_answer_and_only_by_put(stacks: Asked) -> None:
    with stacks.context.callbacks.open(stacks.functions.url) as callback:
        assert _send(callback.url, "POST") == 403
        assert _send(f"{callback.url}x", "PUT") == 403
        assert _send(callback.url, "PUT") == 200
        assert _send(callback.url, "PUT") == 403
        assert callback.body == b"{}"
    with stacks.context.callbacks.open(stacks.functions.url) as callback:
        pass
    assert _send(callback.url, "PUT") == 403


def _send(url: str, method: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, b"{}", method=method)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"Type": "Custom::Thing"}, r"resource Thing with message: .*\[ServiceToken\] not found"),
        (
            {"Type": "Custom::Thing", "Properties": {"ServiceToken": "t", "ServiceTimeout": 3601}},
            "Resource Thing: .*ServiceTimeout is 3601; it must be a whole number from 1 to 3600",
        ),
    ],
)
def test_what_cannot_be_asked_for_is_refused_beforehand(
    stacks: Asked, definition: dict[str, Any], message: str
) -> None:
    with pytest.raises(ClientError, match=message):
        stacks.create("refused", template(Thing=definition))


@pytest.mark.parametrize(
    ("name", "runtime", "source"),
    [
        (
            "inline-python",
            "python3.11",
            "import cfnresponse\ndef handler(event, context):\n"
            "    cfnresponse.send(event, context, cfnresponse.SUCCESS, {'Sum': 5}, 'sum')\n",
        ),
        (
            "inline-nodejs",
            "nodejs24.x",
            "const response = require('cfn-response');\nexports.handler = (event, context) =>\n"
            "  response.send(event, context, response.SUCCESS, {Sum: 5}, 'sum')\n",
        ),
        (
            "inline-callbacks",
            "nodejs22.x",
            "const response = require('cfn-response');\nexports.handler = (event, context) => {\n"
            "  response.send(event, context, response.SUCCESS, {Sum: 5}, 'sum') }\n",
        ),
    ],
)
def test_source_in_the_template_answers_by_cfnresponse(
    stacks: Asked, name: str, runtime: str, source: str
) -> None:
    stacks.functions.role(name)
    body = template(
        {"Sum": get_att("Thing", "Sum"), "Id": ref("Thing")},
        Provider=resource(
            "Lambda::Function",
            Runtime=runtime,
            Handler="index.handler",
            Role=f"arn:aws:iam::123456789012:role/{name}",
            Code={"ZipFile": source},
        ),
        Thing=resource("CloudFormation::CustomResource", ServiceToken=get_att("Provider", "Arn")),
    )
    assert stacks.create(name, body)["StackStatus"] == "CREATE_COMPLETE"
    assert stacks.outputs(name) == {"Sum": "5", "Id": "sum"}
    assert stacks.delete(name)["StackStatus"] == "DELETE_COMPLETE"
