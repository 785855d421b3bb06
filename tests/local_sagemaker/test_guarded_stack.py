"""A stack whose endpoint has guardrails: an update that SageMaker undoes fails the stack."""

from __future__ import annotations

from typing import Any

import pytest

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import IMAGE, Aws, eventually
from tests.local_aws.load import Load
from tests.local_aws.services.cloudformation.templates import get_att, resource
from tests.local_aws.stacks import Deployments

ROLE = "arn:aws:iam::123456789012:role/model"


@pytest.fixture(scope="module")
def settings() -> Settings:
    return Settings(time_scale=60)


def template(version: str, environment: dict[str, str], count: int) -> dict[str, Any]:
    """The endpoint "guarded" with a canary, over a model and config of this version."""
    config = get_att(f"Config{version}", "EndpointConfigName")
    dimensions = {"EndpointName": "guarded", "VariantName": "v", "EndpointConfigName": config}
    resources = {
        f"Model{version}": resource(
            "SageMaker::Model",
            ExecutionRoleArn=ROLE,
            PrimaryContainer={
                "Image": IMAGE,
                "ModelDataUrl": "s3://models/model.tar.gz",
                "Environment": environment,
            },
        ),
        f"Config{version}": resource(
            "SageMaker::EndpointConfig",
            ProductionVariants=[
                {
                    "VariantName": "v",
                    "ModelName": get_att(f"Model{version}", "ModelName"),
                    "InstanceType": "ml.m5.large",
                    "InitialInstanceCount": count,
                    "InitialVariantWeight": 1,
                }
            ],
        ),
        "Errors": resource(
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
        "Endpoint": resource(
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
    return {"Resources": resources}


def test_a_canary_is_judged_by_its_own_errors_and_not_by_those_of_what_it_replaces(
    aws: Aws,
) -> None:
    stacks = Deployments(aws.client("cloudformation"))
    made = stacks.create("guarded", template("Broken", {"FAILS": "1"}, 1))
    assert made["StackStatus"] == "CREATE_COMPLETE"
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="guarded",
        DesiredWeightsAndCapacities=[{"VariantName": "v", "DesiredInstanceCount": 3}],
    )
    with Load(aws, "guarded", per_second=30) as load:
        eventually(lambda: load.failures)
        updated = stacks.update("guarded", template("One", {"VERSION": "one"}, 1))
        assert updated["StackStatus"] == "UPDATE_COMPLETE"
        described = aws.sagemaker.describe_endpoint(EndpointName="guarded")
        assert described["ProductionVariants"][0]["CurrentInstanceCount"] == 3, "retained"
        serving = described["EndpointConfigName"]
        bad = stacks.update("guarded", template("Bad", {"VERSION": "bad", "FAILS": "11"}, 1))
        assert bad["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert b"bad" in load.answers, "the canary answered ten of eleven requests"
    reason = stacks.reason("guarded", "UPDATE_FAILED", "Endpoint")
    assert 'CloudWatch alarm "guarded-errors-' in reason
    assert "is in ALARM state" in reason
    described = aws.sagemaker.describe_endpoint(EndpointName="guarded")
    assert (described["EndpointStatus"], described["EndpointConfigName"]) == ("InService", serving)
    assert aws.ask("guarded", b"which") == b"one"
    stacks.delete("guarded")
    assert aws.status()["endpoints"] == []
