"""What is refused before anything is made: by logical id, all problems at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    TRUST,
    get_att,
    parameter,
    ref,
    resource,
    template,
)

ALARM = "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:broken"
ALARM_TYPE = "AWS::CloudWatch::Alarm"


def function(**properties: Any) -> dict[str, Any]:
    """A function of two lines, but for what is given."""
    code = {"ZipFile": "def handler(event, context):\n    return 1"}
    role = "arn:aws:iam::123456789012:role/function"
    given = {"Runtime": "python3.12", "Handler": "index.handler", "Role": role, "Code": code}
    return resource("Lambda::Function", **{**given, **properties})


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        (template(Job=resource("SageMaker::TransformJob")),
         [r"Unrecognized resource types: \[AWS::SageMaker::TransformJob\] \(Job\)"]),
        (template(Farm=resource("DeadlineCloud::Farm"), Net=resource("MSK::Cluster")),
         ["Farm", "Net"]),
        (template(Domain=resource("SageMaker::Domain")),
         [r"validation failed for resource Domain with message: #: required key \[AuthMode\]",
          r"resource Domain with message: #: required key \[DomainName\] not found"]),
        (
            template(
                Policy=resource(
                    "ApplicationAutoScaling::ScalingPolicy",
                    PolicyName="p",
                    PolicyType="TargetTrackingScaling",
                    ResourceId="endpoint/e/variant/v",
                )
            ),
            [
                "Resource Policy: .* ServiceNamespace, ScalableDimension lacking; specify either "
                "ScalingTargetId, or all of ResourceId, ScalableDimension and ServiceNamespace"
            ],
        ),
        (template(Fn={"Type": "Custom::Thing"}, Too=resource("CloudFormation::CustomResource")),
         [r"resource Fn with message: #: required key \[ServiceToken\]", "resource Too"]),
        (template(Fn=function(Runtime="ruby3.4"), Im=function(PackageType="Image")),
         ["Resource Fn: .*Runtime is ruby3.4; it runs Python and Node.js only",
          "Resource Im: .*runs no container images"]),
        ({"Mappings": {"Java": {"eu-west-1": {"value": "java21"}}},
          **template(Fn=function(Runtime={"Fn::FindInMap": ["Java", ref("AWS::Region"), "value"]},
          CodeSigningConfigArn="arn:aws:lambda:eu-west-1:123456789012:csc:c-1",
          SnapStart={"ApplyOn": "PublishedVersions"}))},
         ["Runtime is java21", r"no code signing \(CodeSigning", "it has no SnapStart"]),
        (template(Open=resource("Lambda::ResourcePolicy", PolicyDocument={}),
          Held=resource("CloudFormation::WaitCondition")),
         ["Resource Open: the local AWS cannot deploy AWS::Lambda::ResourcePolicy",
          "Resource Held: the local AWS cannot deploy AWS::CloudFormation::WaitCondition"]),
        (template(B=resource("S3::Bucket", ReplicationConfiguration={"Role": "r", "Rules": []})),
         ["Resource B: .* does not carry out ReplicationConfiguration of AWS::S3::Bucket"]),
        (template(Topic=resource("SNS::Topic", Nam="x"), E=resource("SageMaker::Endpoint")),
         [r"for resource Topic with message: #: extraneous key \[Nam\]",
          r"for resource E with message: #: required key \[EndpointConfigName\] not found"]),
        (template(A=parameter(ref("Nobody")), B=parameter(get_att("No2", "Arn"), "No3")),
         [r"dependencies \[Nobody, No2, No3\] in the Resources block of the template"]),
        (template({"Out": ref("Nobody")}, A=parameter()),
         [r"Template format error: .* \[Nobody\] in the Outputs block of the template"]),
        (template(A=parameter(ref("B")), B=parameter(ref("A")), C=parameter()),
         [r"Circular dependency between resources: \[A, B\]"]),
        (template({"Out": ref("AWS::NoValue")}, A=parameter()),
         ["Output Out is malformed. The Value .* must evaluate to a String"]),
        (template(A={**parameter(), "Condition": "Never"}),
         ["Unresolved condition dependency Never in the Resources block of the template"]),
        (template(A=parameter({"Fn::If": ["Never", "1", "2"]})),
         ["unresolved condition dependency Never in Fn::If$"]),
        (template(A=parameter({"Fn::Magic": 1})), ["Fn::Magic in Resources/A is not a function"]),
        ({**template(A=parameter()), "Transform": "AWS::Serverless-2016-10-31"},
         ["Transform AWS::Serverless-2016-10-31 cannot be deployed on the local AWS"]),
        (template(A={**parameter(), "DeletionPolicy": "Snapshot"}),
         ["Resource A: DeletionPolicy is 'Snapshot'"]),
        (template(A={**parameter(), "DeletionPolicy": {"Fn::Join": ["", ["Sn", "ap"]]}},
          B={**parameter(), "UpdateReplacePolicy": ref("AWS::Region")}),
         ["A: DeletionPolicy is 'Snap'", "B: UpdateReplacePolicy is 'eu-west-1'"]),
        (template(A={**parameter(), "DeletionPolicy": ref("B")}, B=parameter()),
         [r"Unresolved resource dependencies \[B\]"]),
        (template(A={**parameter(), "CreationPolicy": {}}),
         ["Resource A: CreationPolicy is no attribute of AWS::SSM::Parameter"]),
        ({"Parameters": {"V": {"Type": "String", "Default": "3"}},
          "Rules": {"Version": {"Assertions": [{"Assert": {"Fn::Not": [{"Fn::Contains": [["1", "3"],
          ref("V")]}]}, "AssertDescription": "version 6 is required"}]}},
          **template(A=parameter())}, ["Rule Version failed: version 6 is required"]),
        ({"Conditions": {"No": {"Fn::Equals": [get_att("A", "Type"), "x"]}},
          **template(A=parameter(), B={**parameter(), "Condition": "No"})},
         ["Cannot reference resources in the Conditions block of the template"]),
        ({"Conditions": {"No": {"Fn::Equals": [1, 2]}}, **template(A=parameter(ref("B")),
          B={**parameter(), "Condition": "No"})},
         [r"Template format error: .* dependencies \[B\] in the Resources block"]),
        ({"Conditions": {"No": {"Fn::Equals": [1, 2]}}, **template({"Out": ref("B")}, A=parameter(),
          B={**parameter(), "Condition": "No"})},
         [r": Unresolved resource dependencies \[B\] in the Outputs block of the template"]),
    ],
)  # fmt: skip
def test_what_cannot_be_deployed_is_refused_by_name(
    aws: Aws, body: dict[str, Any], messages: list[str]
) -> None:
    for operation in (_create, _plan):
        with pytest.raises(ClientError) as refusal:
            operation(aws, body)
        error = refusal.value.response["Error"]
        assert error["Code"] == "ValidationError"
        for message in messages:
            assert refusal.match(message)
    with pytest.raises(ClientError, match="does not exist"):
        aws.stack("refused")


def _create(aws: Aws, body: dict[str, Any]) -> None:
    aws.create("refused", body)


def _plan(aws: Aws, body: dict[str, Any]) -> None:
    aws.cloudformation.create_change_set(
        StackName="refused",
        ChangeSetName="plan",
        ChangeSetType="CREATE",
        TemplateBody=json.dumps(body),
        Capabilities=["CAPABILITY_IAM"],
        DisableValidation=True,
    )


def test_early_validation_fails_a_change_set_and_says_why_by_resource(aws: Aws) -> None:
    body = template(
        Topic=resource("SNS::Topic", Nam="x", DisplayName={"a": 1}),
        E=resource("SageMaker::Endpoint"),
        Fine=parameter(),
    )
    client = aws.cloudformation
    planned = {"StackName": "validated", "ChangeSetName": "plan"}

    aws.begin("create_change_set", "validated", body, ChangeSetName="plan", ChangeSetType="CREATE")

    shown = client.describe_change_set(**planned)
    assert (shown["Status"], shown["ExecutionStatus"]) == ("FAILED", "UNAVAILABLE")
    assert "[AWS::EarlyValidation::PropertyValidation]" in shown["StatusReason"]
    found = client.describe_events(**planned, Filters={"FailedEvents": True})["OperationEvents"]
    assert {(each["EventType"], each["ValidationFailureMode"]) for each in found} == {
        ("VALIDATION_ERROR", "FAIL")
    }
    assert {(each["ValidationPath"], each["ValidationStatusReason"]) for each in found} >= {
        ("/Resources/E/Properties", "Required property [EndpointConfigName] not found"),
        ("/Resources/Topic/Properties", "extraneous key [Nam] is not permitted"),
    }
    assert client.describe_events(ChangeSetName=shown["ChangeSetId"])["OperationEvents"] == found
    with pytest.raises(ClientError, match="cannot be executed in its current status of"):
        client.execute_change_set(**planned)
    client.delete_stack(StackName="validated")


def test_what_is_not_deployed_need_not_be_deployable(aws: Aws) -> None:
    body = {
        "Conditions": {"No": {"Fn::Equals": [1, 2]}},
        **template(A=parameter(), D={**resource("SageMaker::Domain"), "Condition": "No"}),
    }

    assert aws.create("part", body)["StackStatus"] == "CREATE_COMPLETE"


@pytest.mark.parametrize(
    ("properties", "capability"),
    [({}, "CAPABILITY_IAM"), ({"RoleName": "named"}, "CAPABILITY_NAMED_IAM")],
)
def test_iam_must_be_acknowledged(aws: Aws, properties: dict[str, Any], capability: str) -> None:
    body = template(Role=resource("IAM::Role", AssumeRolePolicyDocument=TRUST, **properties))

    with pytest.raises(ClientError, match=rf"Requires capabilities : \[{capability}\]"):
        aws.cloudformation.create_stack(StackName="iam", TemplateBody=json.dumps(body))


def test_a_transform_must_be_acknowledged_unless_it_is_reviewed(aws: Aws) -> None:
    """A change set shows what becomes of the template (LocalStack's suite)."""
    body = json.dumps({"Transform": "AWS::LanguageExtensions", "Resources": {"A": parameter()}})

    with pytest.raises(ClientError, match=r"Requires capabilities : \[CAPABILITY_AUTO_EXPAND\]"):
        aws.cloudformation.create_stack(StackName="expands", TemplateBody=body)
    aws.cloudformation.create_change_set(
        StackName="expands", ChangeSetName="plan", ChangeSetType="CREATE", TemplateBody=body
    )


@pytest.mark.parametrize("name", ["has_underscore", "1st", "a" * 129])
def test_a_stack_name_is_checked(aws: Aws, name: str) -> None:
    with pytest.raises(ClientError, match="at 'stackName' failed to satisfy constraint"):
        aws.create(name, template(A=parameter()))


def test_a_body_that_is_too_large_is_refused(aws: Aws) -> None:
    with pytest.raises(ClientError, match=r"at 'templateBody' .* less than or equal to 51200"):
        aws.create("large", template(A=parameter("x" * 51_200)))


@pytest.mark.parametrize(
    "options",
    [
        {"StackPolicyBody": "{}"},
        {"TimeoutInMinutes": 1},
        {"RollbackConfiguration": {"RollbackTriggers": [{"Arn": ALARM, "Type": ALARM_TYPE}]}},
    ],
)
def test_options_that_would_have_no_effect_are_refused(aws: Aws, options: dict[str, Any]) -> None:
    with pytest.raises(ClientError, match="is not supported by the local AWS"):
        aws.create("options", template(A=parameter()), **options)


def test_an_action_that_is_not_there_says_so(aws: Aws) -> None:
    with pytest.raises(ClientError, match="does not offer ListTypeRegistrations of cloudformation"):
        aws.cloudformation.list_type_registrations()


@pytest.mark.parametrize(
    ("trigger", "message"),
    [
        ({"Arn": ALARM, "Type": "AWS::SNS::Topic"}, "Rollback Trigger Type not supported"),
        (
            {"Arn": ALARM.replace("alarm:", ""), "Type": ALARM_TYPE},
            "RelativeId of a Rollback Trigger's ARN is incorrect",
        ),
    ],
)
def test_a_malformed_rollback_trigger_is_refused_in_aws_words(
    aws: Aws, trigger: dict[str, str], message: str
) -> None:
    with pytest.raises(ClientError, match=message):
        aws.create(
            "triggered",
            template(A=parameter()),
            RollbackConfiguration={"RollbackTriggers": [trigger]},
        )
