from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from local_aws.schemas import Schema, schema_of
from local_aws.template import Unknown


def _schema(type_name: str) -> Schema:
    schema = schema_of(type_name, "eu-west-1")
    assert schema is not None
    return schema


@pytest.mark.parametrize(
    ("type_name", "old", "new", "replacing"),
    [
        ("AWS::SageMaker::Model", {"Tags": []}, {"Tags": [{}]}, []),
        ("AWS::SageMaker::Model", {}, {"PrimaryContainer": {}}, ["PrimaryContainer"]),
        (
            "AWS::SageMaker::EndpointConfig",
            {"ProductionVariants": [{"InitialVariantWeight": 1}]},
            {"ProductionVariants": [{"InitialVariantWeight": 0}]},
            ["ProductionVariants"],
        ),
        ("AWS::SageMaker::Endpoint", {"EndpointConfigName": "a"}, {"EndpointConfigName": "b"}, []),
        ("AWS::SageMaker::Endpoint", {"EndpointName": "a"}, {}, ["EndpointName"]),
        ("AWS::S3::Bucket", {"BucketName": "a"}, {"BucketName": "b"}, ["BucketName"]),
        ("AWS::S3::Bucket", {}, {"VersioningConfiguration": {"Status": "Enabled"}}, []),
        ("AWS::SQS::Queue", {"FifoQueue": "true"}, {"FifoQueue": True}, []),
        ("AWS::IAM::Role", {"Path": "/a/"}, {"Path": Unknown()}, ["Path"]),
        (
            "AWS::ECR::Repository",
            {"EncryptionConfiguration": {"KmsKey": "a", "EncryptionType": "KMS"}},
            {"EncryptionConfiguration": {"KmsKey": "b", "EncryptionType": "KMS"}},
            ["EncryptionConfiguration", "EncryptionConfiguration/KmsKey"],
        ),
    ],
)
def test_create_only_properties_replace(
    type_name: str, old: dict[str, Any], new: dict[str, Any], replacing: list[str]
) -> None:
    assert ["/".join(path) for path in _schema(type_name).replacing(old, new)] == replacing


@pytest.mark.parametrize(
    ("type_name", "properties", "problems"),
    [
        ("AWS::SageMaker::Endpoint", {}, ["#: required key [EndpointConfigName] not found"]),
        (
            "AWS::SNS::Topic",
            {"Name": "x"},
            ["#: extraneous key [Name] is not permitted"],
        ),
        (
            "AWS::SageMaker::EndpointConfig",
            {"ProductionVariants": [{"VariantName": "a", "Weight": 1}]},
            ["#/ProductionVariants/0: extraneous key [Weight] is not permitted"],
        ),
        ("AWS::SNS::Topic", {"TopicArn": "x"}, []),
        ("AWS::IAM::Role", {"AssumeRolePolicyDocument": {"Anything": [{"Goes": 1}]}}, []),
        ("AWS::SageMaker::Model", {"PrimaryContainer": {"Environment": {"A": "b"}}}, []),
        ("AWS::S3::Bucket", {"VersioningConfiguration": {"Fn::If": ["A", {}, {}]}}, []),
    ],
)
def test_properties_are_judged_in_cloudformation_words(
    type_name: str, properties: dict[str, Any], problems: list[str]
) -> None:
    assert list(_schema(type_name).problems(properties)) == problems


def test_a_type_that_does_not_exist_has_no_schema() -> None:
    assert schema_of("AWS::SageMaker::TransformJob", "eu-west-1") is None


def test_tags_are_found_by_the_schema() -> None:
    assert _schema("AWS::SageMaker::Model").tag_property == "Tags"
    assert _schema("AWS::SSM::Parameter").tags_are_a_map
    assert not _schema("AWS::SageMaker::Model").tags_are_a_map
    assert _schema("AWS::KMS::Alias").tag_property is None


def test_cfn_lint_itself_is_not_imported() -> None:
    code = (
        "import sys; from local_aws.schemas import schema_of;"
        "assert schema_of('AWS::S3::Bucket', 'eu-west-1'); assert 'cfnlint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
