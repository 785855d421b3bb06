"""Samples of Lambda."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import FUNCTION, TAGS, Sample

_FUNCTION = (
    "lambda GetFunction FunctionName={Ref}",
    "lambda GetFunctionConcurrency FunctionName={Ref}",
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
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
                "Layers": ["$Layer"],
                "LoggingConfig": {
                    "LogFormat": "JSON",
                    "LogGroup": "/lost",
                    "ApplicationLogLevel": "FATAL",
                    "SystemLogLevel": "DEBUG",
                },
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
            told={"LoggingConfig": ["JSON", "/lost", "FATAL", "DEBUG"]},
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
}
