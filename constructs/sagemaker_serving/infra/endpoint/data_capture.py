"""Data capture: what an endpoint is asked and answers, kept as JSON lines in S3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker

from sagemaker_serving.infra.storage.s3_prefix import S3Prefix


@dataclass(frozen=True, kw_only=True)
class DataCapture:
    """How much is kept, of what, and where to; encrypted with the bucket's key.

    ``sampling_percent`` is 0 to 100; ``capture`` holds "Input", "Output" or
    both. SageMaker writes below ``<destination>/<endpoint>/<variant>/``, and
    the destination has no slash of its own at its end: a double one stops Model
    Monitor from finding anything. Bodies of ``json_content_types`` and
    ``csv_content_types`` are kept as they are, all others in base64.
    Source: botocore DataCaptureConfig; SageMaker developer guide, "Capture
    data from real-time endpoint".
    """

    destination: S3Prefix
    sampling_percent: int
    capture: Sequence[str] = ("Input", "Output")
    json_content_types: Sequence[str] = ("application/json",)
    csv_content_types: Sequence[str] = ("text/csv",)

    @property
    def content(self) -> list[Any]:
        """What makes two of them different, as plain data that may hold tokens."""
        return [
            self.destination.uri,
            self.destination.key_arn,
            self.sampling_percent,
            list(self.capture),
            list(self.json_content_types),
            list(self.csv_content_types),
        ]

    def grant(self, grantee: iam.IGrantable) -> None:
        """Lets a model's role write what is captured, and nothing else."""
        self.destination.grant_write(grantee, of="Captured requests and answers")

    def rendered(self) -> sagemaker.CfnEndpointConfig.DataCaptureConfigProperty:
        """The configuration as CloudFormation takes it."""
        config = sagemaker.CfnEndpointConfig
        json, csv = list(self.json_content_types), list(self.csv_content_types)
        return config.DataCaptureConfigProperty(
            enable_capture=True,
            initial_sampling_percentage=self.sampling_percent,
            destination_s3_uri=self.destination.uri,
            kms_key_id=self.destination.key_arn,
            capture_options=[
                config.CaptureOptionProperty(capture_mode=mode) for mode in self.capture
            ],
            capture_content_type_header=config.CaptureContentTypeHeaderProperty(
                json_content_types=json if json else None, csv_content_types=csv if csv else None
            )
            if json or csv
            else None,
        )
