"""What samples refer to."""

from __future__ import annotations

from typing import Any

from tests.local_aws.aws import IMAGE
from tests.local_aws.resources.samples.sample import FUNCTION, POLICY, TRUST, document
from tests.local_aws.services.cloudformation.templates import get_att, ref, resource

GROUND: dict[str, dict[str, Any]] = {
    "Role": resource(
        "IAM::Role",
        AssumeRolePolicyDocument=TRUST,
        Policies=[{"PolicyName": "all", "PolicyDocument": document(Action="*", Resource="*")}],
    ),
    "Managed": resource("IAM::ManagedPolicy", PolicyDocument=POLICY),
    "Bucket": resource("S3::Bucket", BucketName="ground"),
    "Group": resource("IAM::Group"),
    "Topic": resource("SNS::Topic"),
    "Queue": resource("SQS::Queue"),
    "Key": resource(
        "KMS::Key",
        KeyPolicy=document(
            Action="kms:*",
            Resource="*",
            Principal={
                "AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"},
                "Service": {"Fn::Sub": "logs.${AWS::Region}.${AWS::URLSuffix}"},
            },
        ),
    ),
    "Logs": resource("Logs::LogGroup"),
    "Function": resource("Lambda::Function", **FUNCTION, Role=get_att("Role", "Arn")),
    "One": resource("Lambda::Version", FunctionName=ref("Function")),
    "Vpc": resource("EC2::VPC", CidrBlock="10.0.0.0/16"),
    "Subnet": resource("EC2::Subnet", VpcId=ref("Vpc"), CidrBlock="10.0.1.0/24"),
    "Firewall": resource("EC2::SecurityGroup", GroupDescription="ground", VpcId=ref("Vpc")),
    "Workflow": resource(
        "StepFunctions::StateMachine",
        RoleArn=get_att("Role", "Arn"),
        Definition={"StartAt": "S", "States": {"S": {"Type": "Succeed"}}},
    ),
    "Model": resource(
        "SageMaker::Model",
        ExecutionRoleArn=get_att("Role", "Arn"),
        PrimaryContainer={"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"},
    ),
    "Config": resource(
        "SageMaker::EndpointConfig",
        ProductionVariants=[
            {
                "VariantName": "one",
                "ModelName": get_att("Model", "ModelName"),
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 1,
            }
        ],
    ),
    "Other": resource("Lambda::Function", **FUNCTION, Role=get_att("Role", "Arn")),
    "Packages": resource("SageMaker::ModelPackageGroup", ModelPackageGroupName="ground"),
    "Package": resource(
        "SageMaker::ModelPackage",
        ModelPackageGroupName=get_att("Packages", "ModelPackageGroupName"),
        ModelApprovalStatus="Approved",
        InferenceSpecification={
            "Containers": [{"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}],
            "SupportedContentTypes": ["text/csv"],
            "SupportedResponseMIMETypes": ["text/csv"],
        },
    ),
    "Target": resource(
        "ApplicationAutoScaling::ScalableTarget",
        ServiceNamespace="sagemaker",
        ResourceId="endpoint/ground/variant/one",
        ScalableDimension="sagemaker:variant:DesiredInstanceCount",
        MinCapacity=1,
        MaxCapacity=2,
    ),
    "ComponentConfig": resource(
        "SageMaker::EndpointConfig",
        ExecutionRoleArn=get_att("Role", "Arn"),
        ProductionVariants=[
            {
                "VariantName": "one",
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 1,
            }
        ],
    ),
    "Components": resource(
        "SageMaker::Endpoint", EndpointConfigName=get_att("ComponentConfig", "EndpointConfigName")
    ),
}
"""What samples refer to."""
