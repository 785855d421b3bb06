"""Samples of ECR."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import TAGS, Sample, document

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
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
                "RepositoryPolicyText": document(
                    Action="ecr:BatchGetImage", Principal={"AWS": "*"}
                ),
                "Tags": TAGS,
            },
            unread={"EmptyOnDelete": "the deletion goes by it"},
        ),
    ),
}
