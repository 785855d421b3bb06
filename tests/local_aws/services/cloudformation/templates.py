"""Small templates that tests of the engine deploy."""

from __future__ import annotations

from typing import Any

TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": "sagemaker.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    ],
}


def template(outputs: dict[str, Any] | None = None, **resources: dict[str, Any]) -> dict[str, Any]:
    """A template of these resources; outputs are values by key."""
    shown = {key: {"Value": value} for key, value in (outputs or {}).items()}
    return {"Resources": resources, "Outputs": shown}


def resource(type_name: str, *needs: str, **properties: Any) -> dict[str, Any]:
    """One resource of ``AWS::<type_name>`` that depends on ``needs``."""
    return {"Type": f"AWS::{type_name}", "Properties": properties, "DependsOn": list(needs)}


def parameter(value: Any = "1", *needs: str, **properties: Any) -> dict[str, Any]:
    """An SSM parameter: the quickest resource there is."""
    return resource("SSM::Parameter", *needs, Type="String", Value=value, **properties)


def broken(*needs: str) -> dict[str, Any]:
    """A role that cannot be made: its managed policy does not exist."""
    return resource(
        "IAM::Role",
        *needs,
        AssumeRolePolicyDocument=TRUST,
        ManagedPolicyArns=["arn:aws:iam::123456789012:policy/none"],
    )


def ref(name: str) -> dict[str, str]:
    """``{"Ref": name}``."""
    return {"Ref": name}


def get_att(name: str, attribute: str) -> dict[str, list[str]]:
    """``{"Fn::GetAtt": [name, attribute]}``."""
    return {"Fn::GetAtt": [name, attribute]}


def endpoint(
    config_prefix: str = "Config", weight: float = 1, model: str = "one"
) -> dict[str, Any]:
    """A role, a model, its configuration and an endpoint of a stable name."""
    config: dict[str, Any] = {
        "ProductionVariants": [
            {
                "VariantName": "blue",
                "ModelName": get_att("Model", "ModelName"),
                "InitialInstanceCount": 1,
                "InstanceType": "ml.m5.large",
                "InitialVariantWeight": weight,
            }
        ]
    }
    if config_prefix != "Config":
        config["EndpointConfigName"] = config_prefix
    return template(
        {
            "Model": get_att("Model", "ModelName"),
            "Config": get_att("Config", "EndpointConfigName"),
            "Endpoint": get_att("Endpoint", "EndpointName"),
        },
        Role=resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
        Model=resource(
            "SageMaker::Model",
            ExecutionRoleArn=get_att("Role", "Arn"),
            PrimaryContainer={
                "Image": "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19",
                "ModelDataUrl": f"s3://models/{model}.tar.gz",
                "Environment": {"SAGEMAKER_TFS_ENABLE_BATCHING": "true"},
            },
        ),
        Config=resource("SageMaker::EndpointConfig", **config),
        Endpoint=resource(
            "SageMaker::Endpoint",
            EndpointName="digits",
            EndpointConfigName=get_att("Config", "EndpointConfigName"),
        ),
    )
