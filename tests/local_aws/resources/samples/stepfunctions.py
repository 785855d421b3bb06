"""Samples of Step Functions."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import TAGS, Sample

PASS = {"StartAt": "P", "States": {"P": {"Type": "Pass", "Comment": "here", "End": True}}}

_MACHINE = (
    "stepfunctions DescribeStateMachine stateMachineArn={Ref}",
    "stepfunctions ListTagsForResource resourceArn={Ref}",
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
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
        Sample(_MACHINE,
         {"RoleArn": "$Role.Arn", "DefinitionString": json.dumps(PASS).replace("here", "${what}"),
          "DefinitionSubstitutions": {"what": "found"}}, needs=("DefinitionString",),
         told={"DefinitionString": {**PASS, "States": {"P": {"Comment": "found"}}}}),
        Sample(_MACHINE,
         {"RoleArn": "$Role.Arn", "DefinitionS3Location": {"Bucket": "texts", "Key": "pass.json"}},
         needs=("DefinitionS3Location",),
         unread={"DefinitionS3Location": "what lies there is the definition"}),
    ),
}  # fmt: skip
