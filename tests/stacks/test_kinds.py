"""Every kind of endpoint of docs/kinds.md: from its file, and from the constructs beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Annotations, Match, Template
from cdk_nag import AwsSolutionsChecks, NIST80053R5Checks

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import check_environment, check_template, template_of
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage
from tests.stacks.kinds import KINDS, PAGE, ROOT, Kinds
from tests.today import TODAY

CONFIG = "AWS::SageMaker::EndpointConfig"
MODEL = "AWS::SageMaker::Model"
TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"


def test_the_examples_are_sound(kinds: Kinds) -> None:
    found = check_environment(kinds.file, today=TODAY)
    assert [str(problem) for problem in found if problem.severity is not Severity.NOTE] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_rules_find_nothing_in_the_template_itself(kinds: Kinds, kind: str) -> None:
    resources = kinds.template(kind).to_json()["Resources"]
    found = check_template(template_of(resources), "eu-west-1", today=TODAY)
    assert [str(problem) for problem in found] == []


@pytest.mark.parametrize("pack", [AwsSolutionsChecks, NIST80053R5Checks])
def test_scanners_have_nothing_unacknowledged(kinds: Kinds, pack: Any) -> None:
    violations = pack(kinds.app).validate_scope(kinds.stage).violations
    assert [violation.rule_name for violation in violations] == []


def test_an_update_is_taken_back_by_alarms_on_the_endpoints_own_metrics(kinds: Kinds) -> None:
    template = kinds.template("real-time")
    (endpoint,) = template.find_resources("AWS::SageMaker::Endpoint").values()
    deployment = endpoint["Properties"]["DeploymentConfig"]
    assert deployment["BlueGreenUpdatePolicy"] == {
        "TerminationWaitInSeconds": 120,
        "TrafficRoutingConfiguration": {
            "Type": "CANARY",
            "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 10},
            "WaitIntervalInSeconds": 300,
        },
    }
    alarms = deployment["AutoRollbackConfiguration"]["Alarms"]
    known = template.find_resources("AWS::CloudWatch::Alarm")
    assert 1 <= len(alarms) <= 10
    assert {alarm["AlarmName"]["Ref"] for alarm in alarms} <= set(known)
    (config,) = template.find_resources("AWS::SageMaker::EndpointConfig")
    for alarm in alarms:
        watched = known[alarm["AlarmName"]["Ref"]]["Properties"]["Dimensions"]
        assert config in str([each for each in watched if each["Name"] == "EndpointConfigName"])
    assert kinds.granted("real-time", "cloudwatch:DescribeAlarms")


def test_the_key_names_the_roles_in_the_files_order_at_every_synth(kinds: Kinds) -> None:
    (key,) = kinds.template("Storage").find_resources("AWS::KMS::Key").values()
    statements = key["Properties"]["KeyPolicy"]["Statement"]
    (let,) = (each["Condition"] for each in statements if "PrincipalArn" in str(each))
    named = re.findall(r":role/kinds-([a-z-]+)", json.dumps(let["ArnLike"]["aws:PrincipalArn"]))
    assert [f"kinds-{name}" for name in named] == [f"kinds-{kind}-"[:20] for kind in KINDS]


def test_no_stack_warns_of_a_key_whose_policy_the_storage_stack_makes(tmp_path: Path) -> None:
    path = tmp_path / "keyed.yaml"
    target = "{routing_targets: {t: {destinations: ['arn:aws:sagemaker:eu-west-1:1:endpoint/e']}}}"
    head = "name: keyed\nregion: eu-west-1\nstorage: {kms: true}\nmodels: {}\n"
    path.write_text(f"{head}routers: {{all: {target}}}\n")
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    stage = EnvironmentStage(app, read_environment(path).sound, folder=tmp_path)
    routers: Any = stage.node.find_child("Routers")
    assert Annotations.from_stack(routers).find_warning("*", Match.any_value()) == []


def test_scaling_keeps_its_counts_across_updates_and_nothing_else_is_kept(kinds: Kinds) -> None:
    kept = {"RetainAllVariantProperties": True}
    kinds.template("real-time").has_resource_properties("AWS::SageMaker::Endpoint", kept)
    (endpoint,) = kinds.template("shadow").find_resources("AWS::SageMaker::Endpoint").values()
    assert "RetainAllVariantProperties" not in endpoint["Properties"]


def test_the_role_may_write_what_is_captured_and_nothing_beside_it(kinds: Kinds) -> None:
    assert [below(resource) for resource in kinds.granted("shadow", "s3:PutObject")] == [
        "/shadow/captured/*"
    ]
    assert kinds.granted("multi-model", "s3:PutObject") == []


def test_asynchronous_answers_into_s3_and_tells_its_topics(kinds: Kinds) -> None:
    template = kinds.template("asynchronous")
    (topic,) = template.find_resources("AWS::SNS::Topic")
    pager = "arn:aws:sns:eu-west-1:111122223333:pager"
    template.has_resource_properties(
        CONFIG,
        {
            "AsyncInferenceConfig": {
                "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 4},
                "OutputConfig": {
                    "S3OutputPath": ends_with("/asynchronous/async/output"),
                    "S3FailurePath": ends_with("/asynchronous/async/failure"),
                    "KmsKeyId": Match.any_value(),
                    "NotificationConfig": {"SuccessTopic": {"Ref": topic}, "ErrorTopic": pager},
                },
            }
        },
    )
    assert kinds.granted("asynchronous", "sns:Publish") == [[pager, {"Ref": topic}]]
    written = [
        below(part) for parts in kinds.granted("asynchronous", "s3:PutObject") for part in parts
    ]
    assert written == ["/asynchronous/async/failure/*", "/asynchronous/async/output/*"]


def test_asynchronous_goes_to_zero_and_the_backlog_wakes_it(kinds: Kinds) -> None:
    template = kinds.template("asynchronous")
    template.has_resource_properties(TARGET, {"MinCapacity": 0, "MaxCapacity": 5})
    template.has_resource_properties(
        POLICY,
        {
            "TargetTrackingScalingPolicyConfiguration": {
                "TargetValue": 10,
                "CustomizedMetricSpecification": {
                    "MetricName": "ApproximateBacklogSizePerInstance",
                    "Dimensions": [{"Name": "EndpointName", "Value": "kinds-asynchronous"}],
                },
            }
        },
    )
    (step,) = (
        name
        for name, policy in template.find_resources(POLICY).items()
        if policy["Properties"]["PolicyType"] == "StepScaling"
    )
    template.has_resource_properties(
        "AWS::CloudWatch::Alarm",
        {
            "MetricName": "HasBacklogWithoutCapacity",
            "Dimensions": [{"Name": "EndpointName", "Value": "kinds-asynchronous"}],
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Threshold": 1,
            "AlarmActions": [{"Ref": step}],
        },
    )


def test_a_multi_model_container_may_list_and_read_its_prefix(kinds: Kinds) -> None:
    kinds.template("multi-model").has_resource_properties(
        MODEL,
        {
            "PrimaryContainer": {
                "Mode": "MultiModel",
                "ModelDataUrl": ends_with("/multi-model/models/"),
                "Environment": {"SAGEMAKER_SAFE_PORT_RANGE": "9000-9999"},
            }
        },
    )
    assert [below(one) for one in kinds.granted("multi-model", "s3:GetObject")] == [
        "/multi-model/models/*"
    ]
    assert len(kinds.granted("multi-model", "s3:ListBucket")) == 1


def test_archives_are_put_there_before_the_model_is_made(kinds: Kinds) -> None:
    template = kinds.template("multi-model")
    ((name, placed),) = template.find_resources("Custom::ModelArchives").items()
    assert placed["Properties"]["Prefix"] == "multi-model/models/"
    assert set(placed["Properties"]["Archives"]) == {"half.tar.gz", "other.tar.gz"}
    template.has_resource(MODEL, {"DependsOn": Match.array_with([name])})


def test_a_package_is_named_and_the_role_may_read_what_it_names(kinds: Kinds) -> None:
    (model,) = kinds.template("model-package").find_resources(MODEL).values()
    assert model["Properties"]["PrimaryContainer"] == {
        "ModelPackageName": "arn:aws:sagemaker:eu-west-1:111122223333:model-package/digits/3"
    }
    (archive,) = kinds.granted("model-package", "s3:GetObject")
    assert json.dumps(archive).endswith(':s3:::registered-models/digits/3/model.tar.gz"]]}')
    assert kinds.granted("model-package", "ecr:BatchGetImage")


def test_the_pages_constructs_are_synthesized(tmp_path: Path) -> None:
    (tmp_path / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))
    code = code.replace("cdk.App()", f"cdk.App(outdir={str(tmp_path / 'cdk.out')!r})")
    names: dict[str, Any] = {}
    exec(code.replace('"model"', repr(str(tmp_path / "model")), 1), names)
    stacks = [child for child in names["app"].node.children if isinstance(child, cdk.Stack)]
    assert len(stacks) == len(KINDS)
    for stack in stacks:
        resources = Template.from_stack(stack).to_json()["Resources"]
        found = check_template(template_of(resources), "eu-west-1", today=TODAY)
        assert [str(problem) for problem in found] == []


def ends_with(text: str) -> Any:
    """A join of a bucket's name and a path that ends in ``text``."""
    return {"Fn::Join": ["", Match.array_with([Match.string_like_regexp(f"{text}$")])]}


def below(resource: Any) -> str:
    """The last literal part of a joined ARN."""
    last = resource["Fn::Join"][1][-1]
    assert isinstance(last, str)
    return last
