"""Data capture: what an endpoint is asked and answers, kept as JSON lines in S3."""

from __future__ import annotations

from typing import Any

from aws_cdk import aws_iam as iam

from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.fields import Unjudged, given_fields
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.data_capture import CapturedRequests


class DataCapture(Unjudged, CapturedRequests):
    """How much is kept, of what, and where to; encrypted with the bucket's key.

    SageMaker writes below ``<destination>/<endpoint>/<variant>/``, and the destination has no slash
    of its own at its end: a double one stops Model Monitor from finding anything. All other fields
    are what an environment file says of data capture. Source: botocore DataCaptureConfig;
    SageMaker developer guide, "Capture data from real-time endpoint".
    """

    destination: S3Prefix

    @property
    def content(self) -> list[Any]:
        """What makes two of them different, as plain data that may hold tokens."""
        place = self.destination
        return [place.uri, place.key_arn, *given_fields(self, CapturedRequests, but=4)]

    def grant(self, grantee: iam.IGrantable) -> None:
        """Lets a model's role write what is captured, and nothing else."""
        self.destination.grant_write(grantee, of="Captured requests and answers")

    @property
    def members(self) -> dict[str, Any]:
        """The configuration as SageMaker's CreateEndpointConfig takes it."""
        key = self.destination.key_arn
        return {
            **aws_values(CapturedRequests, vars(self)),
            "EnableCapture": True,
            "DestinationS3Uri": self.destination.uri,
            **({} if key is None else {"KmsKeyId": key}),
        }
