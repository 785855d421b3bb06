"""Run by the construct libraries' own Python: synthesizes one of these apps.

``construct_apps.py APP OUTDIR FACTS``: FACTS are JSON: ``account``, ``region``, ``stack``, and what
the app reads. A ``role_arn`` of null is a role of the pattern's own making.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import aws_cdk as cdk
import aws_cdk.aws_sagemaker_alpha as alpha
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_solutions_constructs.aws_apigateway_sagemakerendpoint import (
    ApiGatewayToSageMakerEndpoint,
)
from aws_solutions_constructs.aws_lambda_sagemakerendpoint import LambdaToSagemakerEndpoint


def lambda_pattern(stack: cdk.Stack, facts: dict[str, Any]) -> None:
    """A function that asks the endpoint named in its environment."""
    model: dict[str, Any] = {
        "primaryContainer": {"image": facts["image"], "modelDataUrl": facts["model_data_url"]}
    }
    if facts["role_arn"] is not None:
        model["executionRoleArn"] = facts["role_arn"]
    pattern = LambdaToSagemakerEndpoint(
        stack,
        "Pattern",
        model_props=model,
        lambda_function_props=lambda_.FunctionProps(
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_asset(facts["code"]),
        ),
    )
    cdk.CfnOutput(stack, "Function", value=pattern.lambda_function.function_name)


def api_pattern(stack: cdk.Stack, facts: dict[str, Any]) -> None:
    """A REST API that turns a path into a request of an endpoint that is there."""
    pattern = ApiGatewayToSageMakerEndpoint(
        stack,
        "Pattern",
        endpoint_name=facts["endpoint"],
        resource_path="{number}",
        request_mapping_template='{"instances": [$input.params("number")]}',
    )
    cdk.CfnOutput(stack, "Url", value=pattern.api_gateway.url)


def alpha_scaling(stack: cdk.Stack, facts: dict[str, Any]) -> None:
    """An endpoint of aws-sagemaker-alpha whose variant scales by its invocations."""
    bucket = s3.Bucket.from_bucket_name(stack, "Models", facts["bucket"])
    model = alpha.Model(
        stack,
        "Model",
        containers=[
            alpha.ContainerDefinition(
                image=alpha.ContainerImage.from_dlc("tensorflow-inference", "2.19-cpu"),
                model_data=alpha.ModelData.from_bucket(bucket, facts["key"]),
            )
        ],
    )
    config = alpha.EndpointConfig(
        stack,
        "Config",
        instance_production_variants=[
            alpha.InstanceProductionVariantProps(
                variant_name="only", model=model, instance_type=alpha.InstanceType.M5_LARGE
            )
        ],
    )
    endpoint = alpha.Endpoint(
        stack, "Endpoint", endpoint_name=facts["endpoint"], endpoint_config=config
    )
    count = endpoint.find_instance_production_variant("only").auto_scale_instance_count(
        max_capacity=3
    )
    count.scale_on_invocations("Invocations", max_requests_per_second=30)


if __name__ == "__main__":
    name, outdir, given = sys.argv[1:]
    facts = json.loads(given)
    app = cdk.App(outdir=outdir)
    where = cdk.Environment(account=facts["account"], region=facts["region"])
    globals()[name](cdk.Stack(app, facts["stack"], env=where), facts)
    app.synth()
