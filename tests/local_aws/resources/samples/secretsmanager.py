"""Samples of Secrets Manager."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample
from tests.local_aws.services.cloudformation.templates import resource

_SECRET = (
    "secretsmanager DescribeSecret SecretId={Ref}",
    "secretsmanager GetSecretValue SecretId={Ref}",
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::SecretsManager::ResourcePolicy": (
        Sample(
            ("secretsmanager GetResourcePolicy SecretId={Id}",),
            {"SecretId": "$Secret", "ResourcePolicy": EVERYONE},
        ),
    ),
    "AWS::SecretsManager::Secret": (
        Sample(
            _SECRET,
            {
                "Name": "lost",
                "Description": "a property was lost",
                "KmsKeyId": "$Key.Arn",
                "SecretString": "found here",
                "Tags": TAGS,
            },
            needs=("SecretString",),
        ),
        Sample(
            _SECRET,
            {
                "GenerateSecretString": {
                    "ExcludeCharacters": "abc",
                    "ExcludeLowercase": True,
                    "ExcludeNumbers": True,
                    "ExcludePunctuation": True,
                    "ExcludeUppercase": False,
                    "GenerateStringKey": "password",
                    "IncludeSpace": True,
                    "PasswordLength": 23,
                    "RequireEachIncludedType": True,
                    "SecretStringTemplate": '{"username": "lost"}',
                }
            },
            needs=("GenerateSecretString",),
            told={"GenerateSecretString": []},
        ),
    ),
}

GROUND = {
    "Secret": resource("SecretsManager::Secret", SecretString='{"username": "ground"}'),
}
"""What they refer to."""
