"""The objects that a transform job reads and writes in S3, in the name of its model's role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.transform_jobs.inputs import Input, list_inputs


class TransformObjects:
    """A job's inputs and outputs; botocore's errors pass."""

    def __init__(self, s3: Any, job: Resource) -> None:
        self._s3 = s3
        self._source = job["TransformInput"]["DataSource"]["S3DataSource"]
        output = job["TransformOutput"]
        self._place = S3Location.parse(output["S3OutputPath"])
        self._written_as = _written_as(output)

    def inputs(self) -> Iterator[Input]:
        """What is to be transformed; raises `InputRefused`."""
        return list_inputs(self._s3, self._source)

    def read(self, location: S3Location) -> bytes:
        """The whole object."""
        found = self._s3.get_object(Bucket=location.bucket, Key=location.key)
        body: bytes = found["Body"].read()
        return body

    def write(self, entry: Input, output: bytes) -> None:
        """Put the output of an input under the output path: ``<name>.out``."""
        prefix = self._place.key
        if prefix and not prefix.endswith("/"):
            prefix += "/"
        self._s3.put_object(
            Bucket=self._place.bucket,
            Key=f"{prefix}{entry.name}.out",
            Body=output,
            **self._written_as,
        )


def _written_as(output: Resource) -> dict[str, str]:
    content_type, key = output.get("Accept"), output.get("KmsKeyId")
    arguments = {} if content_type is None else {"ContentType": content_type}
    if key:
        arguments |= {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": key}
    return arguments
