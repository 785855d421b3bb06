"""The rules as a plugin of CDK's: errors stop the synthesis, acknowledged ones do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_ssm as ssm

from sagemaker_serving.infra import SageMakerChecks


def app_with(
    folder: Path, instance_type: str, *, region: str | None = "eu-west-1"
) -> tuple[cdk.App, sagemaker.CfnEndpointConfig]:
    """An app with one endpoint configuration, written by hand, judged by the plugin."""
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stack = cdk.Stack(app, "Stack", env=cdk.Environment(region=region))
    config = sagemaker.CfnEndpointConfig(
        stack,
        "Config",
        production_variants=[
            sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                variant_name="blue",
                model_name="model",
                instance_type=instance_type,
                initial_instance_count=1,
            )
        ],
    )
    cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
    return app, config


def report(folder: Path) -> list[dict[str, Any]]:
    path = folder / "cdk.out" / "validation-report.json"
    plugins = {one["pluginName"]: one for one in json.loads(path.read_text())["pluginReports"]}
    violations: list[dict[str, Any]] = plugins["SageMakerChecks"]["violations"]
    return violations


def test_an_error_stops_the_synthesis_and_names_construct_and_property(tmp_path: Path) -> None:
    app, _ = app_with(tmp_path, "ml.t3.medium")
    with pytest.raises(RuntimeError, match=r"ValidationFailed|Validation failed"):
        app.synth()
    (violation,) = report(tmp_path)
    assert violation["ruleName"] == "endpoint-instance-type"
    assert "'ml.t3.medium'; endpoints do not take it; use ml.t2.medium" in violation["description"]
    (place,) = violation["violatingConstructs"]
    assert place["constructPath"] == "Stack/Config"
    assert place["cloudFormationResource"]["propertyPaths"] == [
        "Properties/ProductionVariants/0/InstanceType"
    ]


def test_a_warning_is_reported_and_lets_the_synthesis_pass(tmp_path: Path) -> None:
    app, _ = app_with(tmp_path, "ml.p3.2xlarge")
    app.synth()
    assert {violation["severity"] for violation in report(tmp_path)} == {"warning"}


def test_what_is_acknowledged_does_not_stop_the_synthesis(tmp_path: Path) -> None:
    app, config = app_with(tmp_path, "ml.t3.medium")
    cdk.Validations.of(config).acknowledge(
        cdk.Acknowledgment(id="SageMakerChecks::endpoint-instance-type", reason="a test")
    )
    app.synth()


@pytest.mark.parametrize("at", ["", "Stage", "Stage/Stack", "Stage/Stack/Zipped"])
def test_what_is_acknowledged_by_an_id_that_a_rule_had_stays_so(at: str, tmp_path: Path) -> None:
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    stack = cdk.Stack(cdk.Stage(app, "Stage"), "Stack")
    model = sagemaker.CfnModel(
        stack,
        "Zipped",
        execution_role_arn="arn:aws:iam::111122223333:role/r",
        primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
            image="111122223333.dkr.ecr.eu-west-1.amazonaws.com/own:1",
            model_data_url="s3://bucket/model.zip",
        ),
    )
    cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
    (place,) = (each for each in model.node.scopes if each.node.path == at)
    cdk.Validations.of(place).acknowledge(
        cdk.Acknowledgment(id="SageMakerChecks::neo-archive", reason="a test")
    )
    app.synth()


def test_an_acknowledgement_is_of_one_rule_only(tmp_path: Path) -> None:
    app, config = app_with(tmp_path, "ml.t3.medium")
    cdk.Validations.of(config).acknowledge(
        cdk.Acknowledgment(id="SageMakerChecks::variant-count", reason="a test")
    )
    with pytest.raises(RuntimeError):
        app.synth()


def test_what_is_not_of_a_resource_is_named_at_its_stack_and_place(tmp_path: Path) -> None:
    app, config = app_with(tmp_path, "ml.m5.large")
    stack = cdk.Stack.of(config)
    cdk.CfnOutput(stack, "Name", value=cdk.Fn.get_att("Config", "Nmae").to_string())
    stack.template_options.metadata = {"SageMakerServing": {"acknowledge": {"unheard-of": "why"}}}
    config.cfn_options.metadata = {"SageMakerServing": {"acknowledge": {"unheard-of": "why"}}}
    with pytest.raises(RuntimeError):
        app.synth()
    told = {}
    for violation in report(tmp_path):
        (place,) = violation["violatingConstructs"]
        path = place.get("cloudFormationResource", {}).get("propertyPaths")
        told[violation["description"]] = (place["constructPath"], path)
    missing = "there is no rule 'unheard-of' to acknowledge; sagemaker-serving docs rules has them"
    acknowledged = "Metadata/SageMakerServing/acknowledge/unheard-of"
    attribute = "Outputs/Name/Value: AWS::SageMaker::EndpointConfig has no attribute 'Nmae'; "
    (output,) = (description for description in told if description.startswith(attribute))
    assert told == {
        f"{acknowledged}: {missing}": ("Stack", None),
        missing: ("Stack/Config", [acknowledged]),
        output: ("Stack", None),
    }


def test_a_stack_without_a_region_is_judged_without_the_rules_of_regions(tmp_path: Path) -> None:
    app, _ = app_with(tmp_path, "ml.trn1.2xlarge", region=None)
    app.synth()
    path = tmp_path / "cdk.out" / "validation-report.json"
    assert json.loads(path.read_text())["pluginReports"] == []


def test_what_the_cli_has_yet_to_look_up_is_not_judged(tmp_path: Path) -> None:
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    env = cdk.Environment(account="111122223333", region="eu-west-1")
    stack = cdk.Stack(app, "Stack", env=env)
    vpc = ec2.Vpc.from_lookup(stack, "Vpc", vpc_id="vpc-0a1b2c3d")
    group = ec2.SecurityGroup(stack, "Group", vpc=vpc)
    sagemaker.CfnModel(
        stack,
        "Model",
        execution_role_arn=ssm.StringParameter.value_from_lookup(stack, "/serving/role"),
        primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
            image=ssm.StringParameter.value_from_lookup(stack, "/serving/image"),
            model_data_url=f"s3://{ssm.StringParameter.value_from_lookup(stack, '/b')}/m.tar.gz",
        ),
        vpc_config=sagemaker.CfnModel.VpcConfigProperty(
            subnets=vpc.select_subnets().subnet_ids, security_group_ids=[group.security_group_id]
        ),
    )
    cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
    app.synth()
    path = tmp_path / "cdk.out" / "validation-report.json"
    plugins = {one["pluginName"] for one in json.loads(path.read_text())["pluginReports"]}
    assert "SageMakerChecks" not in plugins


def test_the_plugin_names_its_rules() -> None:
    app = cdk.App()
    assert "endpoint-instance-type" in SageMakerChecks(app).rule_ids
