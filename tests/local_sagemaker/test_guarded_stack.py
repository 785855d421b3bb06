"""A stack whose endpoint has guardrails: an update that SageMaker undoes fails the stack."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import IMAGE, Aws, eventually
from tests.local_aws.load import Load

ROLE = "arn:aws:iam::123456789012:role/model"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=60)


def template(version: str, environment: dict[str, str], count: int) -> str:
    """The endpoint "guarded" with a canary, over a model and config of this version."""
    config = _att(f"Config{version}", "EndpointConfigName")
    dimensions = {"EndpointName": "guarded", "VariantName": "v", "EndpointConfigName": config}
    resources = {
        f"Model{version}": _resource(
            "SageMaker::Model",
            ExecutionRoleArn=ROLE,
            PrimaryContainer={
                "Image": IMAGE,
                "ModelDataUrl": "s3://models/model.tar.gz",
                "Environment": environment,
            },
        ),
        f"Config{version}": _resource(
            "SageMaker::EndpointConfig",
            ProductionVariants=[
                {
                    "VariantName": "v",
                    "ModelName": _att(f"Model{version}", "ModelName"),
                    "InstanceType": "ml.m5.large",
                    "InitialInstanceCount": count,
                    "InitialVariantWeight": 1,
                }
            ],
        ),
        "Errors": _resource(
            "CloudWatch::Alarm",
            AlarmName={"Fn::Join": ["-", ["guarded", "errors", config]]},
            Namespace="AWS/SageMaker",
            MetricName="Invocation5XXErrors",
            Dimensions=[{"Name": name, "Value": value} for name, value in dimensions.items()],
            Statistic="Average",
            Period=60,
            EvaluationPeriods=1,
            Threshold=0.05,
            ComparisonOperator="GreaterThanOrEqualToThreshold",
            TreatMissingData="notBreaching",
        ),
        "Endpoint": _resource(
            "SageMaker::Endpoint",
            EndpointName="guarded",
            EndpointConfigName=config,
            RetainAllVariantProperties=True,
            DeploymentConfig={
                "BlueGreenUpdatePolicy": {
                    "TrafficRoutingConfiguration": {
                        "Type": "CANARY",
                        "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 50},
                        "WaitIntervalInSeconds": 300,
                    }
                },
                "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": {"Ref": "Errors"}}]},
            },
        ),
    }
    return json.dumps({"Resources": resources})


def _resource(kind: str, **properties: Any) -> dict[str, Any]:
    return {"Type": f"AWS::{kind}", "Properties": properties}


def _att(logical_id: str, attribute: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [logical_id, attribute]}


def settled(aws: Aws, stack_name: str = "guarded") -> Any:
    def look() -> Any:
        (stack,) = aws.client("cloudformation").describe_stacks(StackName=stack_name)["Stacks"]
        return None if stack["StackStatus"].endswith("IN_PROGRESS") else stack

    return eventually(look)


def test_a_canary_is_judged_by_its_own_errors_and_not_by_those_of_what_it_replaces(
    aws: Aws,
) -> None:
    cloudformation = aws.client("cloudformation")
    cloudformation.create_stack(
        StackName="guarded", TemplateBody=template("Broken", {"FAILS": "1"}, 1)
    )
    assert settled(aws)["StackStatus"] == "CREATE_COMPLETE"
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="guarded",
        DesiredWeightsAndCapacities=[{"VariantName": "v", "DesiredInstanceCount": 3}],
    )
    with Load(aws, "guarded", per_second=30) as load:
        eventually(lambda: load.failures)
        cloudformation.update_stack(
            StackName="guarded", TemplateBody=template("One", {"VERSION": "one"}, 1)
        )
        assert settled(aws)["StackStatus"] == "UPDATE_COMPLETE"
        described = aws.sagemaker.describe_endpoint(EndpointName="guarded")
        assert described["ProductionVariants"][0]["CurrentInstanceCount"] == 3, "retained"
        serving = described["EndpointConfigName"]
        cloudformation.update_stack(
            StackName="guarded",
            TemplateBody=template("Bad", {"VERSION": "bad", "FAILS": "11"}, 1),
        )
        assert settled(aws)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert b"bad" in load.answers, "the canary answered ten of eleven requests"
    events = cloudformation.describe_stack_events(StackName="guarded")["StackEvents"]
    reasons = [
        event.get("ResourceStatusReason", "")
        for event in events
        if (event["LogicalResourceId"], event["ResourceStatus"]) == ("Endpoint", "UPDATE_FAILED")
    ]
    assert 'CloudWatch alarm "guarded-errors-' in reasons[0]
    assert "is in ALARM state" in reasons[0]
    described = aws.sagemaker.describe_endpoint(EndpointName="guarded")
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", serving)
    assert aws.ask("guarded", b"which") == b"one"
    cloudformation.delete_stack(StackName="guarded")
    eventually(lambda: not aws.status()["endpoints"])


def test_a_registered_version_is_deployed_by_a_stack(aws: Aws) -> None:
    container = {
        "Image": IMAGE,
        "ModelDataUrl": "s3://models/model.tar.gz",
        "Environment": {"VERSION": "registered"},
    }
    resources = {
        "Group": _resource("SageMaker::ModelPackageGroup", ModelPackageGroupName="registered"),
        "Package": {
            **_resource(
                "SageMaker::ModelPackage",
                ModelPackageGroupName="registered",
                ModelApprovalStatus="Approved",
                InferenceSpecification={
                    "Containers": [container],
                    "SupportedContentTypes": ["text/csv"],
                    "SupportedResponseMIMETypes": ["text/csv"],
                },
            ),
            "DependsOn": "Group",
        },
        "Model": _resource(
            "SageMaker::Model",
            ExecutionRoleArn=ROLE,
            PrimaryContainer={"ModelPackageName": {"Ref": "Package"}},
        ),
    }
    cloudformation = aws.client("cloudformation")
    cloudformation.create_stack(
        StackName="registered", TemplateBody=json.dumps({"Resources": resources})
    )
    assert settled(aws, "registered")["StackStatus"] == "CREATE_COMPLETE"
    found = cloudformation.describe_stack_resource(
        StackName="registered", LogicalResourceId="Model"
    )["StackResourceDetail"]["PhysicalResourceId"]
    name = found.rpartition("/")[2]
    described = aws.sagemaker.describe_model(ModelName=name)["PrimaryContainer"]
    assert described["Environment"] == {"VERSION": "registered"}
    cloudformation.delete_stack(StackName="registered")

    def left() -> list[object]:
        groups: list[object] = aws.sagemaker.list_model_package_groups()[
            "ModelPackageGroupSummaryList"
        ]
        return groups

    eventually(lambda: not left())
