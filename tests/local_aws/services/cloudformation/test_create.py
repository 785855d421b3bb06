from __future__ import annotations

import pytest
from botocore.exceptions import ClientError

from local_aws.services.ssm.resources import SsmParameter
from tests.local_aws.aws import eventually
from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    broken,
    endpoint,
    get_att,
    parameter,
    ref,
    resource,
    template,
)


def test_resources_are_made_in_the_order_of_their_references(aws: Aws) -> None:
    stack = aws.create(
        "order",
        template(
            {"Last": ref("C")},
            C=parameter(get_att("B", "Value"), Name="/order/c"),
            B=parameter({"Fn::Sub": "from ${A}"}, Name="/order/b"),
            A=parameter(Name="/order/a"),
        ),
    )

    assert stack["StackStatus"] == "CREATE_COMPLETE"
    assert aws.outputs("order") == {"Last": "/order/c"}
    made = [name for name, status in aws.history("order") if status == "CREATE_COMPLETE"]
    assert made == ["A", "B", "C", "order"]
    value = aws.value("/order/c")
    assert value == "from /order/a"


def test_the_history_reads_as_awss(aws: Aws) -> None:
    aws.create("history", template(A=parameter()))

    events = aws.events("history")
    assert [
        (event["LogicalResourceId"], event["ResourceStatus"], event.get("ResourceStatusReason"))
        for event in events
    ] == [
        ("history", "CREATE_IN_PROGRESS", "User Initiated"),
        ("A", "CREATE_IN_PROGRESS", None),
        ("A", "CREATE_IN_PROGRESS", "Resource creation Initiated"),
        ("A", "CREATE_COMPLETE", None),
        ("history", "CREATE_COMPLETE", None),
    ]
    times = [event["Timestamp"] for event in events]
    assert times == sorted(set(times))
    assert len({event["OperationId"] for event in events}) == 1


def test_a_failed_create_leaves_nothing(aws: Aws) -> None:
    stack = aws.create(
        "failing",
        template(
            Bucket=resource("S3::Bucket", BucketName="failing-bucket"),
            Parameter=parameter(Name="/failing"),
            Role=broken("Bucket", "Parameter"),
            Never=parameter(ref("Role")),
        ),
    )

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert aws.physical_ids("failing") == {}
    buckets = [bucket["Name"] for bucket in aws.client("s3").list_buckets()["Buckets"]]
    assert "failing-bucket" not in buckets
    assert aws.client("ssm").get_parameters(Names=["/failing"])["Parameters"] == []
    reason = aws.reason("failing", "CREATE_FAILED", "Role")
    assert "policy/none does not exist" in reason
    assert "HandlerErrorCode: NotFound" in reason
    assert aws.reason("failing", "ROLLBACK_IN_PROGRESS", "failing") == (
        "The following resource(s) failed to create: [Role]. Rollback requested by user."
    )
    assert "Never" not in dict(aws.history("failing"))


def test_a_failed_endpoint_fails_the_create_with_its_reason(aws: Aws) -> None:
    stack = aws.create("endpoint-failing", endpoint("BrokenConfig"))

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    reason = aws.reason("endpoint-failing", "CREATE_FAILED", "Endpoint")
    assert "did not pass the ping health check" in reason
    assert "HandlerErrorCode: NotStabilized" in reason
    with pytest.raises(ClientError, match="Could not find endpoint"):
        aws.client("sagemaker").describe_endpoint(EndpointName="digits")


def test_a_failure_cancels_what_is_being_waited_for(aws: Aws) -> None:
    slow = endpoint()
    slow["Resources"]["Role2"] = broken()
    slow["Resources"]["Role2"]["DependsOn"] = ["Config"]
    with aws.endpoints.held:
        stack_id = aws.begin("create_stack", "cancelling", slow)
        eventually(lambda: ("Endpoint", "CREATE_FAILED") in aws.history("cancelling"))

    stack = aws.done(stack_id)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    reason = aws.reason("cancelling", "CREATE_FAILED", "Endpoint")
    assert reason == "Resource creation cancelled"


def test_nothing_is_rolled_back_when_rollback_is_disabled(aws: Aws) -> None:
    stack = aws.create(
        "kept", template(A=parameter(Name="/kept"), B=broken("A")), DisableRollback=True
    )

    assert stack["StackStatus"] == "CREATE_FAILED"
    assert stack["StackStatusReason"] == "The following resource(s) failed to create: [B]. "
    assert aws.physical_ids("kept")["A"] == "/kept"

    aws.cloudformation.rollback_stack(StackName="kept")

    assert aws.done(stack["StackId"])["StackStatus"] == "ROLLBACK_COMPLETE"
    assert aws.client("ssm").get_parameters(Names=["/kept"])["Parameters"] == []


def test_a_create_that_failed_can_be_mended_by_an_update(aws: Aws) -> None:
    aws.create("mended", template(A=parameter(), B=broken("A")), OnFailure="DO_NOTHING")

    stack = aws.update("mended", template(A=parameter(), B=parameter()))

    assert stack["StackStatus"] == "UPDATE_COMPLETE"


def test_a_failed_create_is_deleted_when_asked_for(aws: Aws) -> None:
    stack = aws.create("gone", template(A=parameter(), B=broken("A")), OnFailure="DELETE")

    assert stack["StackStatus"] == "DELETE_COMPLETE"
    with pytest.raises(ClientError, match="Stack with id gone does not exist"):
        aws.stack("gone")


@pytest.mark.parametrize(("policy", "left"), [("Retain", True), ("RetainExceptOnCreate", False)])
def test_deletion_policies_hold_in_a_rollback(aws: Aws, policy: str, left: bool) -> None:
    name = f"/retained/{policy}"
    kept = {**parameter(Name=name), "DeletionPolicy": policy}

    aws.create(f"retained-{policy}", template(A=kept, B=broken("A")))

    found = aws.client("ssm").get_parameters(Names=[name])["Parameters"]
    assert bool(found) is left


def test_a_stack_exists_once(aws: Aws) -> None:
    aws.create("once", template(A=parameter()))

    with pytest.raises(ClientError, match=r"Stack \[once\] already exists") as refusal:
        aws.create("once", template(A=parameter()))
    assert refusal.value.response["Error"]["Code"] == "AlreadyExistsException"


def test_conditions_decide_what_is_made(aws: Aws) -> None:
    body = {
        "Parameters": {"Stage": {"Type": "String", "Default": "dev"}},
        "Conditions": {"Prod": {"Fn::Equals": [ref("Stage"), "prod"]}},
        "Resources": {
            "A": parameter({"Fn::If": ["Prod", "big", "small"]}, Name="/conditional"),
            "B": {**parameter(), "Condition": "Prod"},
        },
        "Outputs": {"B": {"Condition": "Prod", "Value": ref("B")}},
    }

    aws.create("conditional", body)

    assert list(aws.physical_ids("conditional")) == ["A"]
    assert aws.outputs("conditional") == {}

    aws.update(
        "conditional", body, Parameters=[{"ParameterKey": "Stage", "ParameterValue": "prod"}]
    )

    assert sorted(aws.physical_ids("conditional")) == ["A", "B"]
    assert aws.value("/conditional") == "big"


def test_dynamic_references_are_resolved_and_not_kept(aws: Aws) -> None:
    aws.client("ssm").put_parameter(Name="/secret", Value="s3cret", Type="SecureString")

    aws.create("dynamic", template(A=parameter("is {{resolve:ssm-secure:/secret}}", Name="/dyn")))

    assert aws.value("/dyn") == "is s3cret"
    assert "s3cret" not in str(aws.kept("dynamic"))


def test_an_attribute_with_a_dynamic_reference_is_what_the_reference_names(aws: Aws) -> None:
    """AWS answers Fn::GetAtt with the resource's own value (recorded by LocalStack's suite)."""
    ssm = aws.client("ssm")
    ssm.put_parameter(Name="/who", Value="world", Type="String")
    shouts = parameter({"Fn::Sub": "${Greets.Value}!"}, Name="/shouts")
    body = template(
        {"Said": get_att("Greets", "Value")},
        Greets=parameter("hello {{resolve:ssm:/who}}", Name="/greets"),
        Shouts=shouts,
    )

    aws.create("greeting", body)

    assert aws.outputs("greeting") == {"Said": "hello world"}
    assert ssm.get_parameter(Name="/shouts")["Parameter"]["Value"] == "hello world!"

    body["Resources"]["Greets"] = parameter("bye {{resolve:ssm:/who}}", Name="/greets")
    aws.update("greeting", body)

    assert aws.outputs("greeting") == {"Said": "bye world"}
    assert ssm.get_parameter(Name="/shouts")["Parameter"]["Value"] == "bye world!"


def test_an_attribute_that_a_type_does_not_have_fails_the_stack_before_anything_is_made(
    aws: Aws,
) -> None:
    """AWS takes the template and rolls back (recorded by LocalStack's suite, 2023)."""
    body = template({"Out": get_att("A", "Nope")}, A=parameter())

    stack = aws.create("no-attribute", body)

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert {logical_id for logical_id, _ in aws.history("no-attribute")} == {"no-attribute"}
    assert (
        "[Error] /Outputs/Out/Value/Fn::GetAtt: Resource type AWS::SSM::Parameter does not support "
        "attribute {Nope}. Rollback requested by user."
    ) in [event.get("ResourceStatusReason") for event in aws.events("no-attribute")]


@pytest.mark.parametrize(("stage", "left"), [("prod", True), ("dev", False)])
def test_a_function_chooses_the_deletion_policy(aws: Aws, stage: str, left: bool) -> None:
    """Recorded by LocalStack's suite, 2026, in a template without a transform."""
    body = {
        "Parameters": {"Stage": {"Type": "String"}},
        "Conditions": {"Prod": {"Fn::Equals": [ref("Stage"), "prod"]}},
        **template(
            A={
                **parameter(Name=f"/kept-in/{stage}"),
                "DeletionPolicy": {"Fn::If": ["Prod", "Retain", "Delete"]},
                "UpdateReplacePolicy": {"Fn::If": ["Prod", "Retain", ref("AWS::NoValue")]},
            }
        ),
    }
    given = [{"ParameterKey": "Stage", "ParameterValue": stage}]
    aws.create(f"kept-in-{stage}", body, Parameters=given)

    aws.delete(f"kept-in-{stage}")

    found = aws.client("ssm").get_parameters(Names=[f"/kept-in/{stage}"])["Parameters"]
    assert bool(found) is left


def test_a_secret_is_resolved_by_its_json_key(aws: Aws) -> None:
    aws.client("secretsmanager").create_secret(Name="db", SecretString='{"password": "hunter2"}')

    aws.create(
        "secret",
        template(A=parameter("{{resolve:secretsmanager:db:SecretString:password}}", Name="/pw")),
    )

    assert aws.value("/pw") == "hunter2"


def test_a_dynamic_reference_that_leads_nowhere_fails_its_resource(aws: Aws) -> None:
    stack = aws.create("nowhere", template(A=parameter("{{resolve:ssm:/nowhere}}")))

    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "/nowhere not found" in aws.reason("nowhere", "CREATE_FAILED")


def test_stack_tags_reach_what_can_be_tagged(aws: Aws) -> None:
    aws.create(
        "tagged",
        template(
            Topic=resource("SNS::Topic", Tags=[{"Key": "team", "Value": "own"}]),
            Parameter=parameter(Name="/tagged"),
        ),
        Tags=[{"Key": "team", "Value": "search"}, {"Key": "stage", "Value": "dev"}],
    )

    arn = aws.physical_ids("tagged")["Topic"]
    tags = aws.client("sns").list_tags_for_resource(ResourceArn=arn)["Tags"]
    assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "own", "stage": "dev"}
    tags = aws.client("ssm").list_tags_for_resource(ResourceType="Parameter", ResourceId="/tagged")[
        "TagList"
    ]
    assert {tag["Key"]: tag["Value"] for tag in tags} == {"team": "search", "stage": "dev"}


def test_the_log_has_where_a_resource_broke(
    aws: Aws, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def breaks(*_: object) -> str:
        raise KeyError("absent")

    monkeypatch.setattr(SsmParameter, "create", breaks)
    stack = aws.create("inside", template(A=parameter(Name="/inside/a")))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "in breaks\n" in caplog.text
    assert "\nKeyError: 'absent'\n" in caplog.text
