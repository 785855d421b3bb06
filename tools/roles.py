"""Roles as users write them: who may assume one, and what a model's may do."""

from __future__ import annotations

from typing import Any

VERSION = "2012-10-17"

MODEL_POLICY: dict[str, Any] = {
    "Version": VERSION,
    "Statement": [
        {
            "Effect": "Allow",
            "Action": ["s3:GetObject", "s3:PutObject", "s3:ListBucket"],
            "Resource": ["arn:aws:s3:::models", "arn:aws:s3:::models/*"],
        },
        {
            "Effect": "Allow",
            "Action": [
                "ecr:GetAuthorizationToken",
                "ecr:BatchCheckLayerAvailability",
                "ecr:GetDownloadUrlForLayer",
                "ecr:BatchGetImage",
                "logs:CreateLogGroup",
                "logs:CreateLogStream",
                "logs:DescribeLogStreams",
                "logs:PutLogEvents",
                "cloudwatch:PutMetricData",
            ],
            "Resource": "*",
        },
    ],
}
"""What SageMaker asks of a model's execution role, for archives and data in the bucket "models"
(docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-roles.html)."""


def trust(service: str) -> dict[str, Any]:
    """Lets one of AWS's services assume a role: ``trust("sagemaker")``."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": f"{service}.amazonaws.com"},
        "Action": "sts:AssumeRole",
    }
    return {"Version": VERSION, "Statement": [statement]}
