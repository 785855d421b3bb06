"""What samples refer to."""

from __future__ import annotations

from typing import Any

from tests.local_aws.aws import IMAGE
from tests.local_aws.resources.samples.sample import FUNCTION, POLICY, TRUST, document


def _get(name: str, attribute: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [name, attribute]}


GROUND: dict[str, dict[str, Any]] = {
    "Role": {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": TRUST,
            "Policies": [
                {"PolicyName": "all", "PolicyDocument": document(Action="*", Resource="*")}
            ],
        },
    },
    "Managed": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": POLICY}},
    "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "ground"}},
    "Group": {"Type": "AWS::IAM::Group"},
    "Topic": {"Type": "AWS::SNS::Topic"},
    "Queue": {"Type": "AWS::SQS::Queue"},
    "Key": {
        "Type": "AWS::KMS::Key",
        "Properties": {
            "KeyPolicy": document(
                Action="kms:*",
                Resource="*",
                Principal={
                    "AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"},
                    "Service": {"Fn::Sub": "logs.${AWS::Region}.${AWS::URLSuffix}"},
                },
            )
        },
    },
    "Logs": {"Type": "AWS::Logs::LogGroup"},
    "Function": {
        "Type": "AWS::Lambda::Function",
        "Properties": {**FUNCTION, "Role": _get("Role", "Arn")},
    },
    "One": {"Type": "AWS::Lambda::Version", "Properties": {"FunctionName": {"Ref": "Function"}}},
    "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
    "Subnet": {
        "Type": "AWS::EC2::Subnet",
        "Properties": {"VpcId": {"Ref": "Vpc"}, "CidrBlock": "10.0.1.0/24"},
    },
    "Firewall": {
        "Type": "AWS::EC2::SecurityGroup",
        "Properties": {"GroupDescription": "ground", "VpcId": {"Ref": "Vpc"}},
    },
    "Workflow": {
        "Type": "AWS::StepFunctions::StateMachine",
        "Properties": {
            "RoleArn": _get("Role", "Arn"),
            "Definition": {"StartAt": "S", "States": {"S": {"Type": "Succeed"}}},
        },
    },
    "Model": {
        "Type": "AWS::SageMaker::Model",
        "Properties": {
            "ExecutionRoleArn": _get("Role", "Arn"),
            "PrimaryContainer": {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"},
        },
    },
    "Config": {
        "Type": "AWS::SageMaker::EndpointConfig",
        "Properties": {
            "ProductionVariants": [
                {
                    "VariantName": "one",
                    "ModelName": _get("Model", "ModelName"),
                    "InstanceType": "ml.m5.large",
                    "InitialInstanceCount": 1,
                }
            ]
        },
    },
    "Other": {
        "Type": "AWS::Lambda::Function",
        "Properties": {**FUNCTION, "Role": _get("Role", "Arn")},
    },
    "Packages": {
        "Type": "AWS::SageMaker::ModelPackageGroup",
        "Properties": {"ModelPackageGroupName": "ground"},
    },
    "Package": {
        "Type": "AWS::SageMaker::ModelPackage",
        "Properties": {
            "ModelPackageGroupName": _get("Packages", "ModelPackageGroupName"),
            "ModelApprovalStatus": "Approved",
            "InferenceSpecification": {
                "Containers": [{"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}],
                "SupportedContentTypes": ["text/csv"],
                "SupportedResponseMIMETypes": ["text/csv"],
            },
        },
    },
    "Target": {
        "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
        "Properties": {
            "ServiceNamespace": "sagemaker",
            "ResourceId": "endpoint/ground/variant/one",
            "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
            "MinCapacity": 1,
            "MaxCapacity": 2,
        },
    },
    "ComponentConfig": {
        "Type": "AWS::SageMaker::EndpointConfig",
        "Properties": {
            "ExecutionRoleArn": _get("Role", "Arn"),
            "ProductionVariants": [
                {
                    "VariantName": "one",
                    "InstanceType": "ml.m5.large",
                    "InitialInstanceCount": 1,
                }
            ],
        },
    },
    "Components": {
        "Type": "AWS::SageMaker::Endpoint",
        "Properties": {"EndpointConfigName": _get("ComponentConfig", "EndpointConfigName")},
    },
}
"""What samples refer to."""
