"""The 31 templates that cfn-lint was tried on, of which it named 6, each with a verdict."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sagemaker_serving.errors import Severity
from tests.rules.template_cases import CAPTURE, ON_SERVERLESS, SERVERLESS, V0, canary, variant
from tests.rules.templates import IMAGE, problems, template

CONTAINER = "Model.PrimaryContainer"
ROUTING = "Endpoint.DeploymentConfig.BlueGreenUpdatePolicy.TrafficRoutingConfiguration"
ROLLING = "Endpoint.DeploymentConfig.RollingUpdatePolicy"
BATCH = {"MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 20}, "WaitIntervalInSeconds": 9}

LEGAL = ""
"""The verdict on a template that AWS takes; the reason stands beside it."""

TABLE: list[tuple[str, dict[str, Any], str]] = [
    # what was tried, the template, the rule that names it (or LEGAL)
    ("ml.t3.medium", {f"{V0}.InstanceType": "ml.t3.medium"}, "endpoint-instance-type"),
    ("ml.m7g.large", {f"{V0}.InstanceType": "ml.m7g.large"}, "endpoint-instance-type"),
    ("an accelerator", {f"{V0}.AcceleratorType": "ml.eia2.medium"}, "elastic-inference-ended"),
    (
        "eleven variants",
        {"Config.ProductionVariants": [variant(f"v{n}") for n in range(11)]},
        "variant-count",
    ),
    ("a compilation job", {"Neo:Type": "AWS::SageMaker::CompilationJob"}, "resource-type"),
    ("a transform job", {"Job:Type": "AWS::SageMaker::TransformJob"}, "resource-type"),
    (
        "ml.trn1 in eu-west-1",
        {f"{V0}.InstanceType": "ml.trn1.2xlarge"},
        "endpoint-instance-region",
    ),
    ("ml.p3", {f"{V0}.InstanceType": "ml.p3.2xlarge"}, "instance-retired"),
    ("no instance type", {f"{V0}.InstanceType": None}, "variant-complete"),
    ("no instance count", {f"{V0}.InitialInstanceCount": None}, "variant-complete"),
    ("serverless and instance", {f"{V0}.ServerlessConfig": SERVERLESS}, "variant-mixed"),
    (
        "1500 MB of memory",
        {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "MemorySizeInMB": 1500}},
        "serverless-memory",
    ),
    (
        "more provisioned than allowed",
        {**ON_SERVERLESS, f"{V0}.ServerlessConfig": {**SERVERLESS, "ProvisionedConcurrency": 9}},
        "serverless-concurrency",
    ),
    (
        "serverless with capture",
        {**ON_SERVERLESS, "Config.DataCaptureConfig": CAPTURE},
        "serverless-excludes",
    ),
    (
        "two variants of one name",
        {"Config.ProductionVariants": [variant("a"), variant("a")]},
        "variant-names-unique",
    ),
    (
        "a shadow beside two productions",
        {
            "Config.ProductionVariants": [variant("a"), variant("b")],
            "Config.ShadowProductionVariants": [variant("s")],
        },
        "shadow-variants",
    ),
    (
        "a canary without a size",
        {ROUTING: {"Type": "CANARY", "WaitIntervalInSeconds": 60}},
        "guardrail-traffic",
    ),
    (
        "a canary without a wait",
        {
            ROUTING: {
                "Type": "CANARY",
                "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 10},
            }
        },
        "guardrail-traffic",
    ),
    (
        "a canary of 90 %",
        {ROUTING: canary(CanarySize={"Type": "CAPACITY_PERCENT", "Value": 90})},
        "guardrail-step",
    ),
    ("blue/green and rolling", {ROUTING: canary(), ROLLING: BATCH}, "guardrail-one-policy"),
    (
        "a variable of 2000 characters",
        {f"{CONTAINER}.Environment": {"K": "x" * 2000}},
        "container-environment",
    ),
    ("a variable MY-KEY", {f"{CONTAINER}.Environment": {"MY-KEY": "1"}}, "container-environment"),
    (
        "101 variables",
        {f"{CONTAINER}.Environment": {f"K{n}": "" for n in range(101)}},
        "container-environment",
    ),
    ("no container", {CONTAINER: None}, "model-containers"),
    ("both kinds of container", {"Model.Containers": [{"Image": IMAGE}]}, "model-containers"),
    (
        "a model in a .zip",
        {f"{CONTAINER}.ModelDataUrl": "s3://bucket/model.zip"},
        "model-data-form",
    ),
    (
        "an image of another region",
        {f"{CONTAINER}.Image": IMAGE.replace("eu-west-1", "us-east-1")},
        "image-uri",
    ),
    (
        "arguments of a transform task",
        {"Job.MaxPayloadInMB": 500, "Job.BatchStrategy": "Multi", "Job.SplitTyp": "Line"},
        "transform-ranges",
    ),
    # Beside another variant a weight of 0 is a variant that waits for requests by its name.
    (
        "a weight of 0",
        {"Config.ProductionVariants": [variant("blue", InitialVariantWeight=0), variant("b")]},
        LEGAL,
    ),
    # CloudFormation writes numbers and truth values of an environment as text.
    ("a number in the environment", {f"{CONTAINER}.Environment": {"WORKERS": 2}}, LEGAL),
    # CreateModel doesn't require ExecutionRoleArn: public images and no data need no role.
    ("no role", {"Model.ExecutionRoleArn": None}, LEGAL),
]


def test_all_of_them_are_here() -> None:
    assert len(TABLE) == 31


@pytest.mark.parametrize(
    ("change", "verdict"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE]
)
def test_each_gets_its_verdict(change: dict[str, Any], verdict: str) -> None:
    found = {problem.rule for problem in problems(template(change))}
    assert (verdict in found) if verdict else (found == set())


def test_a_single_variant_of_weight_0_is_wrong() -> None:
    (problem,) = problems(template({f"{V0}.InitialVariantWeight": 0}))
    assert (problem.rule, problem.severity) == ("variant-weights", Severity.ERROR)


def test_every_argument_of_the_transform_task_is_named() -> None:
    change = {"Job.MaxPayloadInMB": 500, "Job.BatchStrategy": "Multi", "Job.SplitTyp": "Line"}
    said = json.dumps([problem.message for problem in problems(template(change))])
    for word in ("500", "'Multi'", "'SplitTyp'"):
        assert word in said
