"""A sample of every property of every type that the local AWS deploys, and what reads it back.

``$Name`` and ``$Name.Attribute`` stand for what `GROUND` gives; ``{Ref}`` and ``{Attribute}`` in a
read for the resource's own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.local_aws.aws import IMAGE, REGION
from tests.local_aws.resources.made import made_in


@dataclass(frozen=True)
class Sample:
    """One resource: ``reads`` are calls, as ``service Operation Argument={Ref}``.

    ``needs`` are properties that a resource cannot do without beside those that its schema says;
    ``told`` has what the calls say of a property in other words than its value;
    ``unread`` those that no call tells, each with what it does.
    """

    reads: tuple[str, ...]
    properties: Mapping[str, Any]
    needs: tuple[str, ...] = ()
    told: Mapping[str, Any] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)


def _document(**statement: Any) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **statement}]}


POLICY = _document(Action="s3:GetObject", Resource="*")
OTHER_POLICY = _document(Action="s3:PutObject", Resource="*")
TRUST = _document(
    Action="sts:AssumeRole",
    Principal={
        "Service": [
            f"{name}.amazonaws.com" for name in ("sagemaker", "lambda", "states", "events", "sns")
        ]
    },
)
EVERYONE = _document(Action="*", Resource="*", Principal={"AWS": "*"})
TAGS = [{"Key": "team", "Value": "lost and found"}]
CODE = {"ZipFile": "def handler(event, context):\n    return 1\n"}
PASS = {"StartAt": "P", "States": {"P": {"Type": "Pass", "Comment": "here", "End": True}}}
FUNCTION = {"Runtime": "python3.11", "Handler": "index.handler", "Code": CODE}


def _get(name: str, attribute: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [name, attribute]}


GROUND: dict[str, dict[str, Any]] = {
    "Role": {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "AssumeRolePolicyDocument": TRUST,
            "Policies": [
                {"PolicyName": "all", "PolicyDocument": _document(Action="*", Resource="*")}
            ],
        },
    },
    "Managed": {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": POLICY}},
    "Bucket": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": "ground"}},
    "Topic": {"Type": "AWS::SNS::Topic"},
    "Queue": {"Type": "AWS::SQS::Queue"},
    "Key": {"Type": "AWS::KMS::Key"},
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

_TARGET = {
    "ServiceNamespace": "sagemaker",
    "ResourceId": "endpoint/lost/variant/one",
    "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
}
_METRIC = {"Namespace": "Lost", "MetricName": "Properties"}
_ALARM = {"EvaluationPeriods": 7, "ComparisonOperator": "LessThanThreshold", "Threshold": 41.5}
_DIMENSIONS = [{"Name": "Place", "Value": "shelf"}]
_VPC = {"SecurityGroupIds": ["$Firewall.GroupId"], "Subnets": ["$Subnet"]}
_TARGETS = "application-autoscaling Describe{} ServiceNamespace=sagemaker".format
_ALARMS = (
    "cloudwatch DescribeAlarms AlarmNames=[{Ref}]",
    "cloudwatch ListTagsForResource ResourceARN={Arn}",
)
_TOPIC = (
    "sns GetTopicAttributes TopicArn={Ref}",
    "sns ListTagsForResource ResourceArn={Ref}",
    "sns ListSubscriptionsByTopic TopicArn={Ref}",
)
_INDEX = {
    "IndexName": "by-one",
    "KeySchema": [
        {"AttributeName": "one", "KeyType": "HASH"},
        {"AttributeName": "two", "KeyType": "RANGE"},
    ],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["beside"]},
}
_TABLE = {
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "N"} for name in ("one", "two")
    ],
    "KeySchema": _INDEX["KeySchema"],
}
_SUBSCRIPTION = ("sns GetSubscriptionAttributes SubscriptionArn={Ref}",)
_QUEUE = (
    "sqs GetQueueAttributes QueueUrl={Ref} AttributeNames=[All]",
    "sqs ListQueueTags QueueUrl={Ref}",
)
_FUNCTION = (
    "lambda GetFunction FunctionName={Ref}",
    "lambda GetFunctionConcurrency FunctionName={Ref}",
)
_MACHINE = (
    "stepfunctions DescribeStateMachine stateMachineArn={Ref}",
    "stepfunctions ListTagsForResource resourceArn={Ref}",
)
_TAGGED = "sagemaker ListTags ResourceArn={Ref}"
_ENDPOINT = ("sagemaker DescribeEndpoint EndpointName={EndpointName}", _TAGGED)
_CONFIG = ("sagemaker DescribeEndpointConfig EndpointConfigName={EndpointConfigName}", _TAGGED)
_MODEL = ("sagemaker DescribeModel ModelName={ModelName}", _TAGGED)
_COMPONENT = (
    "sagemaker DescribeInferenceComponent InferenceComponentName={InferenceComponentName}",
    _TAGGED,
)
_CONTAINER = {
    "ContainerHostname": "first",
    "Environment": {"FOUND": "here"},
    "Image": IMAGE,
    "ImageConfig": {
        "RepositoryAccessMode": "Vpc",
        "RepositoryAuthConfig": {"RepositoryCredentialsProviderArn": "$Function.Arn"},
    },
    "ModelDataUrl": "s3://models/model.tar.gz",
}
_VARIANT = {
    "VariantName": "blue",
    "ModelName": "$Model.ModelName",
    "InstanceType": "ml.m5.xlarge",
    "InitialInstanceCount": 3,
    "InitialVariantWeight": 0.25,
    "VolumeSizeInGB": 33,
    "ModelDataDownloadTimeoutInSeconds": 601,
    "ContainerStartupHealthCheckTimeoutInSeconds": 602,
    "EnableSSMAccess": True,
    "CoreDumpConfig": {"DestinationS3Uri": "s3://ground/dumps", "KmsKeyId": "$Key"},
    "InferenceAmiVersion": "al2-ami-sagemaker-inference-gpu-2",
    "RoutingConfig": {
        "RoutingStrategy": "PREFIX_AWARE",
        "PrefixAwareRoutingConfig": {"ConcurrencyThreshold": 19, "PrefixLength": 1999},
    },
    "ManagedInstanceScaling": {
        "Status": "ENABLED",
        "MinInstanceCount": 2,
        "MaxInstanceCount": 9,
        "ScaleInPolicy": {
            "CooldownInMinutes": 27,
            "MaximumStepSize": 29,
            "Strategy": "CONSOLIDATION",
        },
    },
    "VariantInstanceProvisionTimeoutInSeconds": 603,
    "CapacityReservationConfig": {
        "CapacityReservationPreference": "capacity-reservations-only",
        "MlReservationArn": "arn:aws:sagemaker:eu-west-1:123456789012:training-plan/lost",
    },
}
_REPORT = {
    "ContentDigest": "sha256:" + "1" * 64,
    "ContentType": "application/json",
    "S3Uri": "s3://ground/r",
}


_PACKAGED = {
    "ContainerHostname": "first",
    "Environment": {"FOUND": "here"},
    "Framework": "TENSORFLOW",
    "FrameworkVersion": "2.19",
    "Image": IMAGE,
    "ImageDigest": "sha256:" + "1" * 64,
    "ModelDataUrl": "s3://models/model.tar.gz",
    "ModelInput": {"DataInputConfig": '{"x": [1]}'},
    "NearestModelName": "resnet50",
}


def _report(*names: str) -> dict[str, Any]:
    return {name: {**_REPORT, "S3Uri": f"s3://ground/{name}"} for name in names}


SAMPLES: dict[str, tuple[Sample, ...]] = {
    "AWS::ApplicationAutoScaling::ScalableTarget": (
        Sample(
            (
                _TARGETS("ScalableTargets"),
                _TARGETS("ScheduledActions"),
                "application-autoscaling ListTagsForResource ResourceARN={ScalableTargetARN}",
            ),
            {
                **_TARGET,
                "MinCapacity": 3,
                "MaxCapacity": 17,
                "RoleARN": "$Role.Arn",
                "ScheduledActions": [
                    {
                        "ScheduledActionName": "morning",
                        "Schedule": "cron(0 8 * * ? *)",
                        "Timezone": "Europe/Berlin",
                        "StartTime": "2030-01-01T00:00:00Z",
                        "EndTime": "2031-01-01T00:00:00Z",
                        "ScalableTargetAction": {"MinCapacity": 5, "MaxCapacity": 19},
                    }
                ],
                "SuspendedState": {
                    "DynamicScalingInSuspended": True,
                    "DynamicScalingOutSuspended": True,
                    "ScheduledScalingSuspended": True,
                },
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::ApplicationAutoScaling::ScalingPolicy": (
        Sample(
            (_TARGETS("ScalingPolicies"),),
            {
                **_TARGET,
                "ResourceId": "endpoint/ground/variant/one",
                "PolicyName": "steps",
                "PolicyType": "StepScaling",
                "StepScalingPolicyConfiguration": {
                    "AdjustmentType": "ExactCapacity",
                    "Cooldown": 123,
                    "MetricAggregationType": "Maximum",
                    "MinAdjustmentMagnitude": 29,
                    "StepAdjustments": [
                        {
                            "MetricIntervalLowerBound": 11,
                            "MetricIntervalUpperBound": 31,
                            "ScalingAdjustment": 13,
                        },
                    ],
                },
            },
            needs=(*_TARGET, "StepScalingPolicyConfiguration"),
        ),
        Sample(
            (_TARGETS("ScalingPolicies"),),
            {
                "ScalingTargetId": "$Target",
                "PolicyName": "tracks",
                "PolicyType": "TargetTrackingScaling",
                "TargetTrackingScalingPolicyConfiguration": {
                    "CustomizedMetricSpecification": {
                        **_METRIC,
                        "Dimensions": _DIMENSIONS,
                        "Statistic": "Maximum",
                        "Unit": "Count",
                    },
                    "DisableScaleIn": True,
                    "ScaleInCooldown": 121,
                    "ScaleOutCooldown": 122,
                    "TargetValue": 71,
                },
            },
            needs=("ScalingTargetId", "TargetTrackingScalingPolicyConfiguration"),
            told={"ScalingTargetId": "endpoint/ground/variant/one"},
        ),
        Sample(
            (_TARGETS("ScalingPolicies"),),
            {
                "ScalingTargetId": "$Target",
                "PolicyName": "predefined",
                "PolicyType": "TargetTrackingScaling",
                "TargetTrackingScalingPolicyConfiguration": {
                    "PredefinedMetricSpecification": {
                        "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance",
                        "ResourceLabel": "a label",
                    },
                    "TargetValue": 72,
                },
            },
            needs=("ScalingTargetId", "TargetTrackingScalingPolicyConfiguration"),
            told={"ScalingTargetId": "endpoint/ground/variant/one"},
        ),
        Sample(
            (_TARGETS("ScalingPolicies"),),
            {
                "ScalingTargetId": "$Target",
                "PolicyName": "calculated",
                "PolicyType": "TargetTrackingScaling",
                "TargetTrackingScalingPolicyConfiguration": {
                    "CustomizedMetricSpecification": {
                        "Metrics": [
                            made_in(
                                "AWS::ApplicationAutoScaling::ScalingPolicy",
                                "TargetTrackingScalingPolicyConfiguration"
                                ".CustomizedMetricSpecification.Metrics",
                                Unit="Terabits",
                            )
                        ],
                    },
                    "TargetValue": 73,
                },
            },
            needs=("ScalingTargetId", "TargetTrackingScalingPolicyConfiguration"),
            told={"ScalingTargetId": "endpoint/ground/variant/one"},
        ),
    ),
    "AWS::CDK::Metadata": (
        Sample(
            (),
            {"Analytics": "v2:deflate64:x", "Modules": "one"},
            unread={"Analytics": "AWS counts the CDK's users", "Modules": "as Analytics"},
        ),
    ),
    "AWS::CloudFormation::WaitConditionHandle": (Sample((), {}),),
    "AWS::CloudWatch::Alarm": (
        Sample(
            _ALARMS,
            {
                **_METRIC,
                **_ALARM,
                "AlarmName": "lost",
                "AlarmDescription": "a property was lost",
                "ActionsEnabled": False,
                "AlarmActions": ["$Topic"],
                "OKActions": ["$Topic"],
                "InsufficientDataActions": ["$Topic"],
                "DatapointsToAlarm": 5,
                "Dimensions": _DIMENSIONS,
                "EvaluateLowSampleCountPercentile": "ignore",
                "ExtendedStatistic": "p93.5",
                "Period": 240,
                "TreatMissingData": "breaching",
                "Unit": "Megabytes",
                "Tags": TAGS,
            },
            needs=(*_METRIC, *_ALARM, "ExtendedStatistic", "Period", "AlarmName"),
        ),
        Sample(
            _ALARMS,
            {**_METRIC, **_ALARM, "Statistic": "SampleCount", "Period": 60},
            needs=(*_METRIC, *_ALARM, "Statistic", "Period"),
        ),
        Sample(
            _ALARMS,
            {
                "EvaluationPeriods": 7,
                "ComparisonOperator": "LessThanLowerOrGreaterThanUpperThreshold",
                "ThresholdMetricId": "band",
                "Metrics": [
                    {
                        "Id": "band",
                        "Expression": "ANOMALY_DETECTION_BAND(m, 2)",
                        "Label": "a band",
                        "Period": 180,
                    },
                    {
                        "Id": "m",
                        "ReturnData": True,
                        "MetricStat": {
                            "Metric": {**_METRIC, "Dimensions": _DIMENSIONS},
                            "Period": 120,
                            "Stat": "Maximum",
                            "Unit": "Terabits",
                        },
                    },
                ],
            },
            needs=("EvaluationPeriods", "ComparisonOperator", "ThresholdMetricId", "Metrics"),
        ),
    ),
    "AWS::CloudWatch::Dashboard": (
        Sample(
            (
                "cloudwatch GetDashboard DashboardName={Ref}",
                "cloudwatch ListTagsForResource "
                "ResourceARN=arn:aws:cloudwatch::123456789012:dashboard/{Ref}",
            ),
            {"DashboardName": "lost", "DashboardBody": json.dumps({"widgets": []}), "Tags": TAGS},
        ),
    ),
    "AWS::DynamoDB::Table": (
        Sample(
            (
                "dynamodb DescribeTable TableName={Ref}",
                "dynamodb ListTagsOfResource ResourceArn={Arn}",
                "dynamodb DescribeTimeToLive TableName={Ref}",
                "dynamodb DescribeContinuousBackups TableName={Ref}",
                "dynamodb GetResourcePolicy ResourceArn={Arn}",
            ),
            {
                "TableName": "lost",
                **_TABLE,
                "BillingMode": "PROVISIONED",
                "PointInTimeRecoverySpecification": {
                    "PointInTimeRecoveryEnabled": True,
                    "RecoveryPeriodInDays": 13,
                },
                "ProvisionedThroughput": {"ReadCapacityUnits": 37, "WriteCapacityUnits": 39},
                "ResourcePolicy": {"PolicyDocument": POLICY},
                "SSESpecification": {
                    "KMSMasterKeyId": "$Key.Arn",
                    "SSEEnabled": True,
                    "SSEType": "KMS",
                },
                "StreamSpecification": {"StreamViewType": "KEYS_ONLY"},
                "TableClass": "STANDARD_INFREQUENT_ACCESS",
                "Tags": TAGS,
                "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
                "WarmThroughput": {"ReadUnitsPerSecond": 41, "WriteUnitsPerSecond": 43},
                "LocalSecondaryIndexes": [_INDEX],
                "GlobalSecondaryIndexes": [
                    {
                        **_INDEX,
                        "IndexName": "by-two",
                        "ProvisionedThroughput": {
                            "ReadCapacityUnits": 47,
                            "WriteCapacityUnits": 49,
                        },
                        "WarmThroughput": {"ReadUnitsPerSecond": 51, "WriteUnitsPerSecond": 53},
                    }
                ],
            },
            needs=("AttributeDefinitions", "BillingMode", "ProvisionedThroughput"),
            told={
                "BillingMode": [],
                "PointInTimeRecoverySpecification": ["enabled", 13],
                "SSESpecification": ["enabled", "KMS"],
                "TimeToLiveSpecification": ["until", "enabled"],
            },
            unread={
                "DeletionProtectionEnabled": "a table that has it could not be deleted",
            },
        ),
        Sample(
            ("dynamodb DescribeTable TableName={Ref}",),
            {
                **_TABLE,
                "BillingMode": "PAY_PER_REQUEST",
                "OnDemandThroughput": {"MaxReadRequestUnits": 57, "MaxWriteRequestUnits": 59},
            },
            needs=("AttributeDefinitions", "BillingMode"),
        ),
    ),
    "AWS::EC2::SecurityGroup": (
        Sample(
            ("ec2 DescribeSecurityGroups GroupIds=[{Ref}]",),
            {
                "GroupName": "lost",
                "GroupDescription": "a property was lost",
                "VpcId": "$Vpc",
                "SecurityGroupIngress": [
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 41,
                        "ToPort": 43,
                        "CidrIp": "10.1.2.0/24",
                        "Description": "comes in",
                    },
                    {
                        "IpProtocol": "udp",
                        "FromPort": 47,
                        "ToPort": 49,
                        "CidrIpv6": "2001:db8::/32",
                    },
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 51,
                        "ToPort": 53,
                        "SourceSecurityGroupId": "$Firewall.GroupId",
                        "SourceSecurityGroupOwnerId": "123456789012",
                    },
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 57,
                        "ToPort": 59,
                        "SourcePrefixListId": "pl-0123",
                    },
                ],
                "SecurityGroupEgress": [
                    {
                        "IpProtocol": "udp",
                        "FromPort": 61,
                        "ToPort": 63,
                        "CidrIp": "10.3.4.0/24",
                        "Description": "goes out",
                    },
                    {
                        "IpProtocol": "tcp",
                        "FromPort": 67,
                        "ToPort": 69,
                        "CidrIpv6": "2001:db9::/32",
                    },
                    {
                        "IpProtocol": "udp",
                        "FromPort": 71,
                        "ToPort": 73,
                        "DestinationSecurityGroupId": "$Firewall.GroupId",
                    },
                    {
                        "IpProtocol": "udp",
                        "FromPort": 77,
                        "ToPort": 79,
                        "DestinationPrefixListId": "pl-0456",
                    },
                ],
                "Tags": TAGS,
            },
            needs=("VpcId",),
        ),
    ),
    "AWS::EC2::Subnet": (
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[{Ref}]",),
            {
                "VpcId": "$Vpc",
                "CidrBlock": "10.0.7.0/24",
                "AvailabilityZone": "eu-west-1c",
                "MapPublicIpOnLaunch": True,
                "Tags": TAGS,
            },
            needs=("CidrBlock", "AvailabilityZone"),
        ),
        Sample(
            ("ec2 DescribeSubnets SubnetIds=[{Ref}]",),
            {"VpcId": "$Vpc", "CidrBlock": "10.0.8.0/24", "AvailabilityZoneId": "euw1-az1"},
            needs=("CidrBlock", "AvailabilityZoneId"),
        ),
    ),
    "AWS::EC2::VPC": (
        Sample(
            (
                "ec2 DescribeVpcs VpcIds=[{Ref}]",
                "ec2 DescribeVpcAttribute VpcId={Ref} Attribute=enableDnsHostnames",
            ),
            {
                "CidrBlock": "10.7.0.0/16",
                "InstanceTenancy": "dedicated",
                "EnableDnsHostnames": True,
                "Tags": TAGS,
            },
            needs=("CidrBlock",),
        ),
        Sample(
            (
                "ec2 DescribeVpcs VpcIds=[{Ref}]",
                "ec2 DescribeVpcAttribute VpcId={Ref} Attribute=enableDnsSupport",
            ),
            {"CidrBlock": "10.7.0.0/16", "EnableDnsSupport": False},
            needs=("CidrBlock",),
        ),
    ),
    "AWS::ECR::Repository": (
        Sample(
            (
                "ecr DescribeRepositories repositoryNames=[{Ref}]",
                "ecr GetRepositoryPolicy repositoryName={Ref}",
                "ecr GetLifecyclePolicy repositoryName={Ref}",
                "ecr ListTagsForResource resourceArn={Arn}",
            ),
            {
                "RepositoryName": "lost",
                "EmptyOnDelete": True,
                "EncryptionConfiguration": {"EncryptionType": "KMS", "KmsKey": "$Key.Arn"},
                "ImageScanningConfiguration": {"ScanOnPush": True},
                "ImageTagMutability": "IMMUTABLE_WITH_EXCLUSION",
                "ImageTagMutabilityExclusionFilters": [
                    {
                        "ImageTagMutabilityExclusionFilterType": "WILDCARD",
                        "ImageTagMutabilityExclusionFilterValue": "latest*",
                    }
                ],
                "LifecyclePolicy": {
                    "RegistryId": "123456789012",
                    "LifecyclePolicyText": json.dumps(
                        {
                            "rules": [
                                {
                                    "rulePriority": 1,
                                    "selection": {
                                        "tagStatus": "untagged",
                                        "countType": "imageCountMoreThan",
                                        "countNumber": 11,
                                    },
                                    "action": {"type": "expire"},
                                }
                            ]
                        }
                    ),
                },
                "RepositoryPolicyText": _document(
                    Action="ecr:BatchGetImage", Principal={"AWS": "*"}
                ),
                "Tags": TAGS,
            },
            unread={"EmptyOnDelete": "the deletion goes by it"},
        ),
    ),
    "AWS::Events::EventBus": (
        Sample(
            (
                "events DescribeEventBus Name={Ref}",
                "events ListTagsForResource ResourceARN={Arn}",
            ),
            {
                "Name": "lost",
                "DeadLetterConfig": {"Arn": "$Queue.Arn"},
                "Description": "a property was lost",
                "KmsKeyIdentifier": "$Key",
                "Policy": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Sid": "lost",
                            "Effect": "Allow",
                            "Principal": {"AWS": "*"},
                            "Action": "events:PutEvents",
                            "Resource": "*",
                        }
                    ],
                },
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::Events::Rule": (
        Sample(
            (
                "events DescribeRule Name={RuleName}",
                "events ListTargetsByRule Rule={RuleName}",
                "events ListTagsForResource ResourceARN={Arn}",
            ),
            {
                "Name": "lost",
                "Description": "a property was lost",
                "EventBusName": "default",
                "EventPattern": {"source": ["lost.and.found"]},
                "RoleArn": "$Role.Arn",
                "ScheduleExpression": "rate(17 minutes)",
                "State": "DISABLED",
                "Tags": TAGS,
                "Targets": [
                    {
                        "Id": "queue",
                        "Arn": "$Queue.Arn",
                        "DeadLetterConfig": {"Arn": "$Queue.Arn"},
                        "InputPath": "$.detail",
                        "RetryPolicy": {
                            "MaximumEventAgeInSeconds": 61,
                            "MaximumRetryAttempts": 43,
                        },
                        "SqsParameters": {"MessageGroupId": "lost"},
                        "RoleArn": "$Role.Arn",
                    },
                    {
                        "Id": "function",
                        "Arn": "$Function.Arn",
                        "InputTransformer": {
                            "InputPathsMap": {"found": "$.detail.found"},
                            "InputTemplate": '"it is <found>"',
                        },
                    },
                    {"Id": "other", "Arn": "$Function.Arn", "Input": '"fixed"'},
                    {
                        "Id": "rest",
                        "Arn": "$Role.Arn",
                        **{
                            name: made_in(
                                "AWS::Events::Rule",
                                f"Targets.{name}",
                                AssignPublicIp="DISABLED",
                                SecretManagerArn=(
                                    f"arn:aws:secretsmanager:{REGION}:123456789012:secret:lost-a1b2"
                                ),
                                PlacementStrategies=None,
                                TagList=None,
                            )
                            for name in (
                                *("AppSyncParameters", "BatchParameters", "EcsParameters"),
                                *("HttpParameters", "KinesisParameters", "RedshiftDataParameters"),
                                *("RunCommandParameters", "SageMakerPipelineParameters"),
                            )
                        },
                    },
                ],
            },
            needs=("ScheduleExpression", "EventBusName"),
        ),
    ),
    "AWS::IAM::Group": (
        Sample(
            (
                "iam GetGroup GroupName={Ref}",
                "iam ListAttachedGroupPolicies GroupName={Ref}",
                "iam GetGroupPolicy GroupName={Ref} PolicyName=within",
            ),
            {
                "GroupName": "lost",
                "ManagedPolicyArns": ["$Managed"],
                "Path": "/lost/",
                "Policies": [{"PolicyName": "within", "PolicyDocument": OTHER_POLICY}],
            },
        ),
    ),
    "AWS::IAM::ManagedPolicy": (
        Sample(
            (
                "iam GetPolicy PolicyArn={Ref}",
                "iam GetPolicyVersion PolicyArn={Ref} VersionId=v1",
                "iam ListEntitiesForPolicy PolicyArn={Ref}",
            ),
            {
                "Description": "a property was lost",
                "ManagedPolicyName": "lost",
                "Path": "/lost/",
                "PolicyDocument": POLICY,
                "Roles": ["$Role"],
                "Users": ["ground"],
                "Groups": ["ground"],
            },
            needs=("Roles",),
        ),
    ),
    "AWS::IAM::Policy": (
        Sample(
            (
                "iam GetRolePolicy RoleName=$Role PolicyName=lost",
                "iam GetUserPolicy UserName=ground PolicyName=lost",
                "iam GetGroupPolicy GroupName=ground PolicyName=lost",
            ),
            {
                "PolicyName": "lost",
                "PolicyDocument": POLICY,
                "Roles": ["$Role"],
                "Users": ["ground"],
                "Groups": ["ground"],
            },
            needs=("Roles",),
        ),
    ),
    "AWS::IAM::Role": (
        Sample(
            (
                "iam GetRole RoleName={Ref}",
                "iam ListAttachedRolePolicies RoleName={Ref}",
                "iam GetRolePolicy RoleName={Ref} PolicyName=within",
            ),
            {
                "RoleName": "lost",
                "AssumeRolePolicyDocument": TRUST,
                "Description": "a property was lost",
                "ManagedPolicyArns": ["$Managed"],
                "MaxSessionDuration": 7201,
                "Path": "/lost/",
                "PermissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
                "Policies": [{"PolicyName": "within", "PolicyDocument": OTHER_POLICY}],
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::IAM::User": (
        Sample(
            (
                "iam GetUser UserName={Ref}",
                "iam ListAttachedUserPolicies UserName={Ref}",
                "iam GetUserPolicy UserName={Ref} PolicyName=within",
                "iam ListGroupsForUser UserName={Ref}",
                "iam GetLoginProfile UserName={Ref}",
                "iam ListUserTags UserName={Ref}",
            ),
            {
                "UserName": "lost",
                "Groups": ["ground"],
                "LoginProfile": {"Password": "a-Pass-word-1", "PasswordResetRequired": False},
                "ManagedPolicyArns": ["$Managed"],
                "Path": "/lost/",
                "PermissionsBoundary": "arn:aws:iam::aws:policy/ReadOnlyAccess",
                "Policies": [{"PolicyName": "within", "PolicyDocument": OTHER_POLICY}],
                "Tags": TAGS,
            },
            unread={
                "LoginProfile": "no answer has a password; who may use it, GetLoginProfile says"
            },
        ),
    ),
    "AWS::KMS::Alias": (
        Sample(
            ("kms DescribeKey KeyId={Ref}", "kms ListAliases KeyId=$Key"),
            {"AliasName": "alias/lost", "TargetKeyId": "$Key"},
        ),
    ),
    "AWS::KMS::Key": (
        Sample(
            (
                "kms DescribeKey KeyId={Ref}",
                "kms GetKeyPolicy KeyId={Ref} PolicyName=default",
                "kms GetKeyRotationStatus KeyId={Ref}",
                "kms ListResourceTags KeyId={Ref}",
            ),
            {
                "Description": "a property was lost",
                "BypassPolicyLockoutSafetyCheck": True,
                "EnableKeyRotation": True,
                "KeyPolicy": {**EVERYONE, "Id": "found"},
                "KeySpec": "SYMMETRIC_DEFAULT",
                "KeyUsage": "ENCRYPT_DECRYPT",
                "MultiRegion": True,
                "Origin": "AWS_KMS",
                "PendingWindowInDays": 8,
                "Tags": TAGS,
            },
            needs=("KeySpec", "KeyUsage", "Origin"),
            told={"KeyPolicy": "found"},
            unread={
                "PendingWindowInDays": "the deletion goes by it",
                "BypassPolicyLockoutSafetyCheck": "the call goes by it",
            },
        ),
        Sample(("kms DescribeKey KeyId={Ref}",), {"Enabled": False}),
        Sample(
            ("kms DescribeKey KeyId={Ref}",),
            {"KeySpec": "ECC_NIST_P384", "KeyUsage": "SIGN_VERIFY"},
        ),
        Sample(("kms DescribeKey KeyId={Ref}",), {"Origin": "EXTERNAL"}),
    ),
    "AWS::Kinesis::Stream": (
        Sample(
            (
                "kinesis DescribeStream StreamName={Ref}",
                "kinesis ListTagsForStream StreamName={Ref}",
            ),
            {
                "Name": "lost",
                "RetentionPeriodHours": 37,
                "ShardCount": 3,
                "StreamEncryption": {"EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"},
                "DesiredShardLevelMetrics": ["OutgoingBytes"],
                "Tags": TAGS,
            },
            told={"ShardCount": "shardid-000000000002"},
        ),
        Sample(
            ("kinesis DescribeStreamSummary StreamName={Ref}",),
            {"StreamModeDetails": {"StreamMode": "ON_DEMAND"}},
        ),
    ),
    "AWS::Lambda::Alias": (
        Sample(
            ("lambda GetAlias FunctionName=$Function Name=live",),
            {
                "FunctionName": "$Function",
                "FunctionVersion": "$One.Version",
                "Name": "live",
                "Description": "a property was lost",
            },
        ),
    ),
    "AWS::Lambda::EventInvokeConfig": (
        Sample(
            ("lambda GetFunctionEventInvokeConfig FunctionName=$Function Qualifier=$LATEST",),
            {
                "FunctionName": "$Function",
                "Qualifier": "$LATEST",
                "DestinationConfig": {
                    "OnFailure": {"Destination": "$Queue.Arn"},
                    "OnSuccess": {"Destination": "$Topic"},
                },
                "MaximumEventAgeInSeconds": 61,
                "MaximumRetryAttempts": 1,
            },
            needs=("MaximumRetryAttempts",),
        ),
    ),
    "AWS::Lambda::Function": (
        Sample(
            _FUNCTION,
            {
                **FUNCTION,
                "Role": "$Role.Arn",
                "FunctionName": "lost",
                "Architectures": ["arm64"],
                "DeadLetterConfig": {"TargetArn": "$Queue.Arn"},
                "Description": "a property was lost",
                "Environment": {"Variables": {"FOUND": "here"}},
                "EphemeralStorage": {"Size": 513},
                "KmsKeyArn": "$Key.Arn",
                "LoggingConfig": {"LogFormat": "Text", "LogGroup": "/lost"},
                "MemorySize": 131,
                "PackageType": "Zip",
                "ReservedConcurrentExecutions": 4,
                "Tags": TAGS,
                "SnapStart": {"ApplyOn": "None"},
                "Timeout": 71,
                "TracingConfig": {"Mode": "Active"},
                "VpcConfig": {
                    "SecurityGroupIds": ["$Firewall.GroupId"],
                    "SubnetIds": ["$Subnet"],
                    "Ipv6AllowedForDualStack": True,
                },
            },
            needs=("Runtime", "Handler"),
            told={"LoggingConfig": "/lost"},
            unread={
                "Code": "the zip that is made of it",
                "PackageType": "there is no other",
                "SnapStart": "there is no other",
            },
        ),
    ),
    "AWS::Lambda::Permission": (
        Sample(
            ("lambda GetPolicy FunctionName=$Function",),
            {
                "FunctionName": "$Function.Arn",
                "Action": "lambda:InvokeFunction",
                "Principal": "s3.amazonaws.com",
                "SourceAccount": "123456789012",
                "SourceArn": "arn:aws:s3:::ground",
                "PrincipalOrgID": "o-0123456789",
                "EventSourceToken": "a-token-of-alexa",
            },
        ),
    ),
    "AWS::Lambda::Version": (
        Sample(
            ("lambda GetFunctionConfiguration FunctionName={Ref}",),
            {
                "FunctionName": "$Other",
                "Description": "a property was lost",
            },
            unread={"CodeSha256": "the call goes by it"},
        ),
    ),
    "AWS::Logs::LogGroup": (
        Sample(
            (
                "logs DescribeLogGroups logGroupNamePrefix={Ref}",
                "logs ListTagsForResource resourceArn={logGroupArn}",
            ),
            {
                "LogGroupName": "/lost",
                "KmsKeyId": "$Key.Arn",
                "RetentionInDays": 731,
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::S3::Bucket": (
        Sample(
            tuple(
                f"s3 Get{what} Bucket={{Ref}}"
                for what in (
                    *("BucketCors", "BucketEncryption", "BucketLifecycleConfiguration"),
                    *("BucketLogging", "BucketOwnershipControls", "BucketTagging"),
                    *("BucketVersioning", "ObjectLockConfiguration", "PublicAccessBlock"),
                )
            ),
            {
                "BucketName": "lost",
                "BucketEncryption": {
                    "ServerSideEncryptionConfiguration": [
                        {
                            "BucketKeyEnabled": True,
                            "ServerSideEncryptionByDefault": {
                                "KMSMasterKeyID": "$Key.Arn",
                                "SSEAlgorithm": "aws:kms",
                            },
                        }
                    ]
                },
                "CorsConfiguration": {
                    "CorsRules": [
                        {
                            "AllowedHeaders": ["x-lost"],
                            "AllowedMethods": ["PUT"],
                            "AllowedOrigins": ["https://lost.example"],
                            "ExposedHeaders": ["x-found"],
                            "Id": "cors",
                            "MaxAge": 61,
                        }
                    ]
                },
                "LifecycleConfiguration": {
                    "Rules": [
                        {
                            "Id": "days",
                            "Status": "Enabled",
                            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 3},
                            "ExpirationInDays": 401,
                            "NoncurrentVersionExpiration": {
                                "NoncurrentDays": 402,
                            },
                            "NoncurrentVersionTransitions": [
                                {
                                    "NewerNoncurrentVersions": 5,
                                    "StorageClass": "GLACIER",
                                    "TransitionInDays": 44,
                                }
                            ],
                            "Prefix": "lost/",
                            "TagFilters": TAGS,
                            "Transitions": [
                                {"StorageClass": "STANDARD_IA", "TransitionInDays": 45},
                            ],
                        },
                        {
                            "Id": "dates",
                            "Status": "Disabled",
                            "ExpirationDate": "2031-01-01T00:00:00Z",
                            "NoncurrentVersionExpirationInDays": 403,
                            "NoncurrentVersionTransition": {
                                "NewerNoncurrentVersions": 8,
                                "StorageClass": "ONEZONE_IA",
                                "TransitionInDays": 46,
                            },
                            "Transition": {
                                "StorageClass": "DEEP_ARCHIVE",
                                "TransitionDate": "2030-01-01T00:00:00Z",
                            },
                        },
                        {
                            "Id": "the other way",
                            "Status": "Disabled",
                            "Transition": {
                                "StorageClass": "INTELLIGENT_TIERING",
                                "TransitionInDays": 47,
                            },
                        },
                        {
                            "Id": "and again",
                            "Status": "Disabled",
                            "Transitions": [
                                {
                                    "StorageClass": "GLACIER_IR",
                                    "TransitionDate": "2029-01-01T00:00:00Z",
                                }
                            ],
                        },
                        {"Id": "markers", "Status": "Enabled", "ExpiredObjectDeleteMarker": True},
                    ],
                },
                "LoggingConfiguration": {
                    "DestinationBucketName": "texts",
                    "LogFilePrefix": "logs/",
                },
                "ObjectLockEnabled": True,
                "OwnershipControls": {"Rules": [{"ObjectOwnership": "ObjectWriter"}]},
                "PublicAccessBlockConfiguration": {
                    "BlockPublicAcls": True,
                    "BlockPublicPolicy": True,
                    "IgnorePublicAcls": True,
                    "RestrictPublicBuckets": True,
                },
                "Tags": TAGS,
                "VersioningConfiguration": {"Status": "Enabled"},
            },
        ),
        Sample(
            ("s3 GetBucketAcl Bucket={Ref}",),
            {"AccessControl": "PublicRead"},
            told={"AccessControl": ["READ", "http://acs.amazonaws.com/groups/global/AllUsers"]},
        ),
    ),
    "AWS::S3::BucketPolicy": (
        Sample(
            ("s3 GetBucketPolicy Bucket=policed",),
            {
                "Bucket": "policed",
                "PolicyDocument": _document(
                    Action="s3:GetObject", Resource="arn:aws:s3:::policed/*", Principal={"AWS": "*"}
                ),
            },
        ),
    ),
    "AWS::SNS::Subscription": (
        Sample(
            _SUBSCRIPTION,
            {
                "TopicArn": "$Topic",
                "Protocol": "sqs",
                "Endpoint": "$Queue.Arn",
                "DeliveryPolicy": {"healthyRetryPolicy": {"numRetries": 11}},
                "FilterPolicy": {"found": ["here"]},
                "FilterPolicyScope": "MessageBody",
                "RawMessageDelivery": True,
                "RedrivePolicy": {"deadLetterTargetArn": "$Queue.Arn"},
                "SubscriptionRoleArn": "$Role.Arn",
            },
            needs=("Endpoint",),
        ),
    ),
    "AWS::SNS::Topic": (
        Sample(
            _TOPIC,
            {
                "TopicName": "lost",
                "DisplayName": "a property was lost",
                "KmsMasterKeyId": "$Key",
                "SignatureVersion": "2",
                "Subscription": [{"Protocol": "sqs", "Endpoint": "$Queue.Arn"}],
                "Tags": TAGS,
                "TracingConfig": "Active",
            },
        ),
        Sample(
            _TOPIC,
            {
                "TopicName": "lost.fifo",
                "FifoTopic": True,
                "ArchivePolicy": {"MessageRetentionPeriod": "37"},
                "ContentBasedDeduplication": True,
                "FifoThroughputScope": "MessageGroup",
            },
            needs=("TopicName", "FifoTopic"),
        ),
    ),
    "AWS::SNS::TopicPolicy": (
        Sample(
            ("sns GetTopicAttributes TopicArn=$Topic",),
            {"PolicyDocument": EVERYONE, "Topics": ["$Topic"]},
        ),
    ),
    "AWS::SQS::Queue": (
        Sample(
            _QUEUE,
            {
                "QueueName": "lost",
                "DelaySeconds": 11,
                "KmsDataKeyReusePeriodSeconds": 611,
                "KmsMasterKeyId": "$Key",
                "MaximumMessageSize": 2049,
                "MessageRetentionPeriod": 3601,
                "ReceiveMessageWaitTimeSeconds": 13,
                "RedrivePolicy": {"deadLetterTargetArn": "$Queue.Arn", "maxReceiveCount": 17},
                "Tags": TAGS,
                "VisibilityTimeout": 47,
            },
        ),
        Sample(
            _QUEUE,
            {
                "QueueName": "lost.fifo",
                "FifoQueue": True,
                "ContentBasedDeduplication": True,
                "DeduplicationScope": "messageGroup",
                "FifoThroughputLimit": "perMessageGroupId",
            },
            needs=("QueueName", "FifoQueue"),
        ),
        Sample(_QUEUE, {"SqsManagedSseEnabled": False}),
    ),
    "AWS::SQS::QueuePolicy": (
        Sample(
            ("sqs GetQueueAttributes QueueUrl=$Queue AttributeNames=[Policy]",),
            {"PolicyDocument": EVERYONE, "Queues": ["$Queue"]},
        ),
    ),
    "AWS::SSM::Parameter": (
        Sample(
            (
                "ssm GetParameter Name={Ref}",
                "ssm DescribeParameters",
                "ssm ListTagsForResource ResourceType=Parameter ResourceId={Ref}",
            ),
            {
                "Name": "lost",
                "Value": "found here",
                "Type": "StringList",
                "AllowedPattern": "^found.*",
                "DataType": "text",
                "Description": "a property was lost",
                "Tags": {"team": "lost and found"},
                "Tier": "Advanced",
            },
            needs=("DataType",),
        ),
    ),
    "AWS::SageMaker::Endpoint": (
        Sample(
            _ENDPOINT,
            {
                "EndpointConfigName": "$Config.EndpointConfigName",
                "EndpointName": "lost",
                "DeploymentConfig": {
                    "AutoRollbackConfiguration": {"Alarms": [{"AlarmName": "lost"}]},
                    "BlueGreenUpdatePolicy": {
                        "MaximumExecutionTimeoutInSeconds": 601,
                        "TerminationWaitInSeconds": 61,
                        "TrafficRoutingConfiguration": {
                            "Type": "LINEAR",
                            "LinearStepSize": {"Type": "CAPACITY_PERCENT", "Value": 37},
                            "WaitIntervalInSeconds": 67,
                        },
                    },
                },
                "ExcludeRetainedVariantProperties": [
                    {"VariantPropertyType": "DesiredInstanceCount"}
                ],
                "RetainAllVariantProperties": True,
                "RetainDeploymentConfig": True,
                "Tags": TAGS,
            },
            unread={
                "ExcludeRetainedVariantProperties": "an update goes by it",
                "RetainAllVariantProperties": "an update goes by it",
                "RetainDeploymentConfig": "an update goes by it",
            },
        ),
        Sample(
            _ENDPOINT,
            {
                "EndpointConfigName": "$Config.EndpointConfigName",
                "DeploymentConfig": {
                    "BlueGreenUpdatePolicy": {
                        "TrafficRoutingConfiguration": {
                            "Type": "CANARY",
                            "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 37},
                            "WaitIntervalInSeconds": 67,
                        },
                    },
                },
            },
        ),
        Sample(
            _ENDPOINT,
            {
                "EndpointConfigName": "$Config.EndpointConfigName",
                "DeploymentConfig": {
                    "RollingUpdatePolicy": {
                        "MaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 41},
                        "MaximumExecutionTimeoutInSeconds": 607,
                        "RollbackMaximumBatchSize": {"Type": "CAPACITY_PERCENT", "Value": 53},
                        "WaitIntervalInSeconds": 67,
                    },
                },
            },
        ),
    ),
    "AWS::SageMaker::EndpointConfig": (
        Sample(
            _CONFIG,
            {
                "EndpointConfigName": "lost",
                "ProductionVariants": [_VARIANT],
                "ShadowProductionVariants": [{**_VARIANT, "VariantName": "shade"}],
                "DataCaptureConfig": {
                    "CaptureContentTypeHeader": {
                        "CsvContentTypes": ["text/lost"],
                        "JsonContentTypes": ["application/lost"],
                    },
                    "CaptureOptions": [{"CaptureMode": "InputAndOutput"}],
                    "DestinationS3Uri": "s3://ground/capture",
                    "EnableCapture": True,
                    "InitialSamplingPercentage": 37,
                    "KmsKeyId": "$Key",
                },
                "KmsKeyId": "$Key",
                "EnableNetworkIsolation": True,
                "ExecutionRoleArn": "$Role.Arn",
                "MetricsConfig": {
                    "EnableEnhancedMetrics": True,
                    "EnableDetailedObservability": True,
                    "MetricPublishFrequencyInSeconds": 120,
                },
                "Tags": TAGS,
                "VpcConfig": _VPC,
            },
            unread={"ShadowProductionVariants.ServerlessConfig": "SageMaker refuses it"},
        ),
        Sample(
            _CONFIG,
            {
                "ProductionVariants": [
                    {
                        "VariantName": "serverless",
                        "ModelName": "$Model.ModelName",
                        "ServerlessConfig": {
                            "MaxConcurrency": 17,
                            "MemorySizeInMB": 3072,
                            "ProvisionedConcurrency": 13,
                        },
                    }
                ]
            },
        ),
        Sample(
            _CONFIG,
            {
                "ProductionVariants": [
                    {
                        "VariantName": "later",
                        "ModelName": "$Model.ModelName",
                        "InstanceType": "ml.m5.xlarge",
                        "InitialInstanceCount": 1,
                    }
                ],
                "AsyncInferenceConfig": {
                    "ClientConfig": {"MaxConcurrentInvocationsPerInstance": 7},
                    "OutputConfig": {
                        "KmsKeyId": "$Key",
                        "NotificationConfig": {
                            "ErrorTopic": "$Topic",
                            "SuccessTopic": "$Topic",
                            "IncludeInferenceResponseIn": ["SUCCESS_NOTIFICATION_TOPIC"],
                        },
                        "S3FailurePath": "s3://ground/failures",
                        "S3OutputPath": "s3://ground/answers",
                    },
                },
            },
        ),
    ),
    "AWS::SageMaker::InferenceComponent": (
        Sample(
            _COMPONENT,
            {
                "InferenceComponentName": "lost",
                "EndpointName": "$Components.EndpointName",
                "VariantName": "one",
                "RuntimeConfig": {"CopyCount": 2},
                "DeploymentConfig": made_in(
                    "AWS::SageMaker::InferenceComponent", "DeploymentConfig"
                ),
                "Specification": {
                    "ComputeResourceRequirements": {
                        "MaxMemoryRequiredInMb": 4099,
                        "MinMemoryRequiredInMb": 1031,
                        "NumberOfCpuCoresRequired": 0.75,
                        "NumberOfAcceleratorDevicesRequired": 1,
                    },
                    "Container": {
                        "ArtifactUrl": "s3://models/model.tar.gz",
                        "Environment": {"FOUND": "here"},
                        "Image": IMAGE,
                        "ContainerMetricsConfig": {
                            "MetricsEndpoints": [
                                {
                                    "MetricPublishFrequencyInSeconds": 120,
                                    "MetricsEndpointPath": "/lost",
                                }
                            ]
                        },
                    },
                    "SchedulingConfig": {
                        "PlacementStrategy": "BINPACK",
                        "AvailabilityZoneBalance": {
                            "EnforcementMode": "PERMISSIVE",
                            "MaxImbalance": 3,
                        },
                    },
                    "StartupParameters": {
                        "ContainerStartupHealthCheckTimeoutInSeconds": 601,
                        "ModelDataDownloadTimeoutInSeconds": 602,
                    },
                },
                "Tags": TAGS,
            },
            needs=("VariantName", "RuntimeConfig", "Specification"),
            unread={"DeploymentConfig": "an update goes by it"},
        ),
        Sample(
            _COMPONENT,
            {
                "EndpointName": "$Components.EndpointName",
                "VariantName": "one",
                "RuntimeConfig": {"CopyCount": 1},
                "Specification": {
                    "ModelName": "$Model.ModelName",
                    "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 1031},
                },
            },
            needs=("VariantName", "RuntimeConfig", "Specification"),
        ),
    ),
    "AWS::SageMaker::Model": (
        Sample(
            _MODEL,
            {
                "ModelName": "lost",
                "ExecutionRoleArn": "$Role.Arn",
                "PrimaryContainer": {
                    **_CONTAINER,
                    "Mode": "MultiModel",
                    "MultiModelConfig": {"ModelCacheSetting": "Disabled"},
                    "ModelDataUrl": "s3://models/",
                },
                "EnableNetworkIsolation": True,
                "Tags": TAGS,
                "VpcConfig": _VPC,
            },
            needs=("ExecutionRoleArn", "PrimaryContainer"),
        ),
        Sample(
            _MODEL,
            {
                "ExecutionRoleArn": "$Role.Arn",
                "Containers": [
                    {
                        **_CONTAINER,
                        "Mode": "SingleModel",
                        "MultiModelConfig": {"ModelCacheSetting": "Disabled"},
                    },
                    {"ModelPackageName": "$Package"},
                ],
                "InferenceExecutionConfig": {"Mode": "Serial"},
            },
            needs=("ExecutionRoleArn", "Containers"),
        ),
        Sample(
            _MODEL,
            {
                "ExecutionRoleArn": "$Role.Arn",
                "PrimaryContainer": {"ModelPackageName": "$Package"},
            },
            needs=("ExecutionRoleArn", "PrimaryContainer"),
        ),
    ),
    "AWS::SageMaker::ModelPackageGroup": (
        Sample(
            (
                "sagemaker DescribeModelPackageGroup ModelPackageGroupName=lost",
                _TAGGED,
            ),
            {
                "ModelPackageGroupName": "lost",
                "ModelPackageGroupDescription": "a property was lost",
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::SageMaker::ModelPackage": (
        Sample(
            ("sagemaker DescribeModelPackage ModelPackageName={Ref}", _TAGGED),
            {
                "ModelPackageGroupName": "$Packages.ModelPackageGroupName",
                "ModelPackageDescription": "a property was lost",
                "ModelApprovalStatus": "Approved",
                "InferenceSpecification": {
                    "Containers": [_PACKAGED],
                    "SupportedContentTypes": ["text/lost"],
                    "SupportedResponseMIMETypes": ["text/found"],
                    "SupportedRealtimeInferenceInstanceTypes": ["ml.m5.xlarge"],
                    "SupportedTransformInstanceTypes": ["ml.m5.2xlarge"],
                },
                "AdditionalInferenceSpecifications": [
                    {
                        "Name": "other",
                        "Description": "another way",
                        "Containers": [
                            _PACKAGED,
                            {
                                "Image": IMAGE,
                                "ModelDataSource": {
                                    "S3DataSource": {
                                        "CompressionType": "Gzip",
                                        "ModelAccessConfig": {"AcceptEula": True},
                                        "S3DataType": "S3Object",
                                        "S3Uri": "s3://models/other.tar.gz",
                                    }
                                },
                            },
                        ],
                        "SupportedContentTypes": ["text/additional"],
                        "SupportedResponseMIMETypes": ["text/more"],
                        "SupportedRealtimeInferenceInstanceTypes": ["ml.m5.4xlarge"],
                        "SupportedTransformInstanceTypes": ["ml.m5.12xlarge"],
                    }
                ],
                "CustomerMetadataProperties": {"shelf": "nine"},
                "Domain": "COMPUTER_VISION",
                "Task": "OBJECT_DETECTION",
                "SamplePayloadUrl": "s3://ground/payload.tar.gz",
                "DriftCheckBaselines": {
                    "Bias": _report(
                        "ConfigFile", "PostTrainingConstraints", "PreTrainingConstraints"
                    ),
                    "Explainability": _report("ConfigFile", "Constraints"),
                    "ModelDataQuality": _report("Constraints", "Statistics"),
                    "ModelQuality": _report("Constraints", "Statistics"),
                },
                "ModelMetrics": {
                    "Bias": _report("PostTrainingReport", "PreTrainingReport", "Report"),
                    "Explainability": _report("Report"),
                    "ModelDataQuality": _report("Constraints", "Statistics"),
                    "ModelQuality": _report("Constraints", "Statistics"),
                },
                "MetadataProperties": {
                    "CommitId": "0a1b2c",
                    "GeneratedBy": "hand",
                    "ProjectId": "p-lost",
                    "Repository": "https://lost.example/repository",
                },
                "ModelCard": {"ModelCardContent": '{"a": "card"}', "ModelCardStatus": "Approved"},
                "SecurityConfig": {"KmsKeyId": "$Key"},
                "SkipModelValidation": "All",
                "SourceUri": "s3://ground/source",
                "Tags": TAGS,
                "ClientToken": "a-token-of-mine",
            },
            needs=("ModelPackageGroupName", "InferenceSpecification"),
            unread={"ClientToken": "the call goes by it"},
        ),
        Sample(
            ("sagemaker DescribeModelPackage ModelPackageName={Ref}",),
            {
                "ModelPackageName": "lost-alone",
                "CertifyForMarketplace": True,
                "InferenceSpecification": {
                    "Containers": [{"Image": IMAGE}],
                    "SupportedContentTypes": ["text/lost"],
                    "SupportedResponseMIMETypes": ["text/found"],
                },
            },
            needs=("ModelPackageName", "InferenceSpecification"),
        ),
    ),
    "AWS::StepFunctions::StateMachine": (
        Sample(
            _MACHINE,
            {
                "RoleArn": "$Role.Arn",
                "StateMachineName": "lost",
                "StateMachineType": "EXPRESS",
                "Definition": PASS,
                "DefinitionSubstitutions": {"nothing": "here"},
                "EncryptionConfiguration": {
                    "Type": "CUSTOMER_MANAGED_KMS_KEY",
                    "KmsKeyId": "$Key",
                    "KmsDataKeyReusePeriodSeconds": 61,
                },
                "LoggingConfiguration": {
                    "Destinations": [{"CloudWatchLogsLogGroup": {"LogGroupArn": "$Logs.Arn"}}],
                    "IncludeExecutionData": True,
                    "Level": "ERROR",
                },
                "TracingConfiguration": {"Enabled": True},
                "Tags": TAGS,
            },
            needs=("Definition",),
            unread={"DefinitionSubstitutions": "the definition has its values"},
        ),
        Sample(
            _MACHINE,
            {
                "RoleArn": "$Role.Arn",
                "DefinitionString": json.dumps(PASS).replace("here", "${what}"),
                "DefinitionSubstitutions": {"what": "found"},
            },
            needs=("DefinitionString",),
            told={"DefinitionString": {**PASS, "States": {"P": {"Comment": "found"}}}},
        ),
        Sample(
            _MACHINE,
            {
                "RoleArn": "$Role.Arn",
                "DefinitionS3Location": {"Bucket": "texts", "Key": "pass.json"},
            },
            needs=("DefinitionS3Location",),
            unread={"DefinitionS3Location": "what lies there is the definition"},
        ),
    ),
}
