"""Data capture: requests and answers as JSON lines in S3, where SageMaker writes them."""

from __future__ import annotations

import base64
import json
import logging
import random
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.transform_jobs.documents import media_type

_log = logging.getLogger(__name__)

Client = Callable[[str | None], Any]
"""An S3 client in a role's name."""


@dataclass(frozen=True, kw_only=True)
class Payload:
    """One side of a request: its bytes and what they are said to be."""

    body: bytes
    content_type: str | None


class Capture:
    """Collects what one endpoint's requests and answers were, and writes it at `write`.

    ``<DestinationS3Uri>/<endpoint>/<variant>/yyyy/mm/dd/hh/<minute>-<second>-<ms>-<id>.jsonl``
    (SageMaker developer guide, "Capture data from real-time endpoint", as is the shape of the
    lines). An answer that is no 2XX is not
    captured.
    """

    def __init__(self, config: Resource, endpoint: str, s3: Client) -> None:
        self._config = config
        self._endpoint = endpoint
        self._s3 = s3
        self._to = S3Location.parse(config["DestinationS3Uri"])
        self._modes = {option["CaptureMode"] for option in config["CaptureOptions"]}
        self._encodings = _encodings(config.get("CaptureContentTypeHeader", {}))
        self._lines: dict[tuple[str, str | None, str], list[str]] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._fails = False

    def offer(
        self,
        variant: str,
        role_arn: str | None,
        *,
        request: Payload,
        answer: Payload,
        inference_id: str | None,
    ) -> None:
        """Keep one exchange, by the sampling percentage."""
        if random.random() * 100 >= self._config["InitialSamplingPercentage"]:
            return
        captured = {}
        if self._modes & {"Input", "InputAndOutput"}:
            captured["endpointInput"] = self._captured(request, "INPUT")
        if self._modes & {"Output", "InputAndOutput"}:
            captured["endpointOutput"] = self._captured(answer, "OUTPUT")
        at = datetime.now(UTC)
        metadata = {"eventId": str(uuid.uuid4())}
        if inference_id is not None:
            metadata["inferenceId"] = inference_id
        metadata["inferenceTime"] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
        line = {"captureData": captured, "eventMetadata": metadata, "eventVersion": "0"}
        with self._lock:
            hour = at.strftime("%Y/%m/%d/%H")
            self._lines.setdefault((variant, role_arn, hour), []).append(json.dumps(line))

    def write(self) -> None:
        """Put what was kept so far into S3, in the name of each variant's role."""
        with self._writing:
            with self._lock:
                lines, self._lines = self._lines, {}
            for (variant, role_arn, hour), kept in lines.items():
                self._put(variant, role_arn, hour, kept)

    def describe(self) -> Resource:
        """As DescribeEndpoint has it; Stopped while it cannot be written."""
        return {
            "EnableCapture": True,
            "CaptureStatus": "Stopped" if self._fails else "Started",
            "CurrentSamplingPercentage": self._config["InitialSamplingPercentage"],
            "DestinationS3Uri": self._config["DestinationS3Uri"],
            "KmsKeyId": self._config.get("KmsKeyId", ""),
        }

    def _put(self, variant: str, role_arn: str | None, hour: str, lines: Sequence[str]) -> None:
        file = f"{datetime.now(UTC).strftime('%M-%S-%f')[:-3]}-{uuid.uuid4()}.jsonl"
        prefix = self._to.key.strip("/")
        key = "/".join(filter(None, (prefix, self._endpoint, variant, hour, file)))
        encryption = (
            {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": self._config["KmsKeyId"]}
            if "KmsKeyId" in self._config
            else {}
        )
        try:
            self._s3(role_arn).put_object(
                Bucket=self._to.bucket,
                Key=key,
                Body="".join(f"{line}\n" for line in lines).encode(),
                **encryption,
            )
            self._fails = False
        except (ClientError, BotoCoreError) as error:
            if not self._fails:  # once is enough to find out why
                _log.warning("nothing is captured of %s: %s", self._endpoint, error)
            self._fails = True

    def _captured(self, payload: Payload, mode: str) -> Resource:
        encoding = self._encodings.get(media_type(payload.content_type), _BASE64)
        text = payload.body.decode("utf-8", "replace")
        data = text if encoding != _BASE64 else base64.b64encode(payload.body).decode()
        return {
            "observedContentType": payload.content_type,
            "mode": mode,
            "data": data,
            "encoding": encoding,
        }


_BASE64 = "BASE64"


def capture_of(config: Resource, endpoint: str, s3: Client) -> Capture | None:
    """What captures of an endpoint under a config; None where nothing does."""
    capture = config.get("DataCaptureConfig")
    if capture is None or not capture.get("EnableCapture", True):
        return None
    return Capture(capture, endpoint, s3)


def _encodings(header: Mapping[str, list[str]]) -> dict[str, str]:
    """By media type; what is not named is written in base64 (API reference, DataCaptureConfig)."""
    kinds = {"CSV": header.get("CsvContentTypes", []), "JSON": header.get("JsonContentTypes", [])}
    return {media_type(named): kind for kind, names in kinds.items() for named in names}
