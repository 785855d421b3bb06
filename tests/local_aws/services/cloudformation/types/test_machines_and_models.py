"""State machines, SageMaker's tags and scalable targets: made, changed in place, deleted."""

from __future__ import annotations

import json

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
from tests.local_aws.services.cloudformation.types.changes import changed_to, tags_of
from tools.roles import trust


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
        Tags=tags_of("a=1"),
    )
    outputs = {"Name": get_att("Machine", "Name"), "Arn": ref("Machine")}
    aws.create("machine", template(outputs, Role=role, Machine=machine))

    arn = aws.outputs("machine")["Arn"]
    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "one"
    assert found["name"] == aws.outputs("machine")["Name"]

    changed = changed_to(machine, DefinitionSubstitutions={"what": "two"}, Tags=tags_of("a=2"))
    aws.update("machine", template(outputs, Role=role, Machine=changed))

    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "two"
    tags = states.list_tags_for_resource(resourceArn=arn)["tags"]
    assert tags == [{"key": "a", "value": "2"}]

    written = changed_to(machine, DefinitionString=None, Definition=definition)
    aws.update("machine", template(outputs, Role=role, Machine=written))

    found = states.describe_state_machine(stateMachineArn=arn)
    assert json.loads(found["definition"])["States"]["P"]["Result"] == "one"
    aws.delete("machine")
    with pytest.raises(ClientError, match="StateMachineDoesNotExist"):
        states.describe_state_machine(stateMachineArn=arn)


def test_sagemaker_tags_change_in_place(aws: Aws) -> None:
    sagemaker = aws.client("sagemaker")
    role = resource("IAM::Role", AssumeRolePolicyDocument=TRUST)
    model = resource(
        "SageMaker::Model",
        ExecutionRoleArn=get_att("Role", "Arn"),
        PrimaryContainer={"Image": "i", "Environment": {"COUNT": 1, "ON": True}},
        Tags=tags_of("a=1", "b=2"),
    )
    aws.create("model", template({"Name": get_att("Model", "ModelName")}, Role=role, Model=model))
    arn = aws.physical_ids("model")["Model"]
    found = sagemaker.describe_model(ModelName=aws.outputs("model")["Name"])
    assert found["ModelArn"] == arn
    assert found["PrimaryContainer"]["Environment"] == {"COUNT": "1", "ON": "true"}

    changed = changed_to(model, Tags=tags_of("b=2", "c=3"))
    aws.update("model", template({"Name": get_att("Model", "ModelName")}, Role=role, Model=changed))

    assert aws.physical_ids("model")["Model"] == arn
    assert sagemaker.list_tags(ResourceArn=arn)["Tags"] == tags_of("b=2", "c=3")
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

    changed = changed_to(target, MinCapacity=0, ScheduledActions=[])
    aws.update("scaling", template(Target=changed, Policy=policy))

    left = scaling.describe_scheduled_actions(ServiceNamespace="sagemaker")["ScheduledActions"]
    assert left == []
    (found,) = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]
    assert found["MinCapacity"] == 0
    assert aws.delete("scaling")["StackStatus"] == "DELETE_COMPLETE"
    assert scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"] == []
