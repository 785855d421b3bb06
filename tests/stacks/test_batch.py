"""What starts a model's batch pipeline, and who hears of its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Match, Template

from sagemaker_serving.spec import Environment
from stacks import EnvironmentStage
from tests.models import saved_model


def templates(folder: Path, *, monitored: bool = False, **batch: Any) -> dict[str, Template]:
    """The stacks of an environment with one model and its batch pipeline."""
    model = folder / "model" / "digits" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model())
    environment = Environment.model_validate(
        {
            "name": "trial",
            "region": "eu-west-1",
            "monitoring": {} if monitored else None,
            "models": {
                "digits": {
                    "artifact": "model",
                    "framework": "tensorflow",
                    "framework_version": "2.20",
                    "batch_transform": {"instance_type": "ml.m5.large", **batch},
                }
            },
        }
    )
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stage = EnvironmentStage(app, environment, folder=folder)
    return {
        name: Template.from_stack(stage.node.find_child(name))  # type: ignore[arg-type]
        for name in ("Storage", "digits")
    }


@pytest.mark.parametrize("begins", [{"schedule": "rate(1 day)"}, {"arrivals": "objects"}])
def test_the_bucket_tells_of_what_arrives_where_that_is_asked_for(
    tmp_path: Path, begins: dict[str, Any]
) -> None:
    told = {"EventBridgeConfiguration": {"EventBridgeEnabled": True}}
    templates(tmp_path, **begins)["Storage"].has_resource_properties(
        "AWS::S3::Bucket",
        {"NotificationConfiguration": told if "arrivals" in begins else Match.absent()},
    )


def test_what_is_between_goes_after_a_month_and_nothing_else_does(tmp_path: Path) -> None:
    rules = Match.array_with(
        [{"Prefix": "digits/batch/work/", "ExpirationInDays": 30, "Status": "Enabled"}]
    )
    found = templates(tmp_path)["Storage"]
    found.has_resource_properties("AWS::S3::Bucket", {"LifecycleConfiguration": {"Rules": rules}})
    (bucket,) = found.find_resources("AWS::S3::Bucket").values()
    every = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    assert [rule.get("Prefix") for rule in every if "ExpirationInDays" in rule] == [
        "digits/batch/work/"
    ]


def test_an_alarm_tells_of_executions_that_do_not_end_well(tmp_path: Path) -> None:
    found = templates(tmp_path, monitored=True)
    alarms = found["digits"].find_resources("AWS::CloudWatch::Alarm").values()
    (alarm,) = (each for each in alarms if "Metrics" in each["Properties"])
    asked = [
        each["MetricStat"]["Metric"]["MetricName"]
        for each in alarm["Properties"]["Metrics"]
        if "MetricStat" in each
    ]
    assert sorted(asked) == ["ExecutionsAborted", "ExecutionsFailed", "ExecutionsTimedOut"]
    (summed,) = (each for each in alarm["Properties"]["Metrics"] if "Expression" in each)
    assert summed["Expression"] == "FILL(failed, 0) + FILL(timedOut, 0) + FILL(aborted, 0)"
    looks = [alarm["Properties"][name] for name in ("DatapointsToAlarm", "EvaluationPeriods")]
    assert looks == [1, 2], "or one that is counted late would be missed"
    assert alarm["Properties"]["AlarmActions"]
    found["Storage"].resource_count_is("AWS::SNS::Topic", 1)
    templates(tmp_path / "unwatched")["digits"].resource_count_is("AWS::CloudWatch::Alarm", 0)


@pytest.mark.parametrize("topic", ["new", None])
def test_an_alarm_tells_of_ends_that_the_topic_could_not_be_told_of(
    tmp_path: Path, topic: str | None
) -> None:
    found = templates(tmp_path, monitored=True, notification_topic=topic)["digits"]
    alarms = found.find_resources("AWS::CloudWatch::Alarm").values()
    told = [each["Properties"] for each in alarms if "MetricName" in each["Properties"]]
    rules = found.find_resources("AWS::Events::Rule")
    assert [(each["MetricName"], each["Dimensions"]) for each in told] == [
        ("FailedInvocations", [{"Name": "RuleName", "Value": {"Ref": rule}}]) for rule in rules
    ]
    assert len(told) == (0 if topic is None else 1)


@pytest.mark.parametrize(
    ("topic", "made", "told"),
    [
        ("new", 1, True),
        (None, 0, False),
        ("arn:aws:sns:eu-west-1:111122223333:theirs", 0, True),
    ],
)
def test_a_topic_is_told_of_the_end(
    tmp_path: Path, topic: str | None, made: int, told: bool
) -> None:
    found = templates(tmp_path, notification_topic=topic)["digits"]
    found.resource_count_is("AWS::SNS::Topic", made)
    machines = json.dumps(found.find_resources("AWS::StepFunctions::StateMachine"))
    assert (":states:::sns:publish" in machines) is told
    found.resource_count_is("AWS::Events::Rule", int(told))
