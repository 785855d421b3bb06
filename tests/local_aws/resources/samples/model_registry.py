"""Samples of SageMaker's model registry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.aws import IMAGE
from tests.local_aws.resources.samples.sample import TAGGED, TAGS, Sample

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


SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::SageMaker::ModelPackageGroup": (
        Sample(
            (
                "sagemaker DescribeModelPackageGroup ModelPackageGroupName=lost",
                TAGGED,
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
            ("sagemaker DescribeModelPackage ModelPackageName={Ref}", TAGGED),
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
}
