"""Keeping what an endpoint is asked and what it answers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec


class CapturedRequests(Spec):
    """What is kept of requests and answers, wherever it goes."""

    sampling_percent: Annotated[int, Aws("InitialSamplingPercentage")]
    """Percentage of the requests that is kept, 0 to 100."""

    capture: Annotated[list[Literal["Input", "Output"]], Aws("CaptureOptions[].CaptureMode")] = (
        Field(default=["Input", "Output"])
    )
    """The parts that are kept: the request, the answer, or both."""

    json_content_types: Annotated[list[str], Aws("CaptureContentTypeHeader.")] = Field(
        default=["application/json"]
    )
    """Content types kept as JSON."""

    csv_content_types: Annotated[list[str], Aws("CaptureContentTypeHeader.")] = Field(
        default=["text/csv"]
    )
    """Content types kept as text; those in neither list are kept in base64."""


class DataCapture(CapturedRequests):
    """Requests and answers as JSON lines in the environment's bucket, encrypted with its key.

    They lie below ``<prefix>/<endpoint>/<variant>/<year>/<month>/<day>/<hour>/``.
    """

    prefix: Annotated[str | None, Aws("DestinationS3Uri")] = None
    """Where in the bucket, without a slash at either end; left out: ``<model>/captured``."""
