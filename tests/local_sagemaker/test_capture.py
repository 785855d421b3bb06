"""Data capture: what is written, where, in whose name."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.fleets.capture import Capture, Payload, capture_of
from tests.local_aws.aws import Aws, service_in, variant

CONFIG: dict[str, Any] = {
    "EnableCapture": True,
    "InitialSamplingPercentage": 100,
    "DestinationS3Uri": "s3://models/captured/",
    "CaptureOptions": [{"CaptureMode": "Input"}, {"CaptureMode": "Output"}],
    "CaptureContentTypeHeader": {
        "CsvContentTypes": ["text/csv"],
        "JsonContentTypes": ["application/json"],
    },
}


def config(aws: Aws, name: str, **capture: Any) -> None:
    if "m" not in [found["ModelName"] for found in aws.sagemaker.list_models()["Models"]]:
        aws.model("m")
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName=name,
        ProductionVariants=[variant("v", "m")],
        DataCaptureConfig={**CONFIG, **capture},
    )


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """Endpoint "c" that captures everything."""
    config(aws, "c")
    aws.endpoint("c", "c")
    yield
    aws.delete("c")


def captured(aws: Aws) -> dict[str, list[Any]]:
    service_in(aws.gateway, SageMaker).flush(instances=False)
    listed = aws.s3.list_objects_v2(Bucket="models", Prefix="captured/").get("Contents", [])
    return {
        entry["Key"]: [
            json.loads(line)
            for line in aws.s3.get_object(Bucket="models", Key=entry["Key"])["Body"].iter_lines()
        ]
        for entry in listed
    }


def test_lines_are_where_and_what_sagemaker_writes(aws: Aws) -> None:
    aws.ask("c", b"1,2", ContentType="text/csv", InferenceId="mine")
    aws.ask("c", b"\xff\x00", ContentType="application/x-image")
    files = captured(aws)
    name = r"captured/c/v/\d{4}/\d\d/\d\d/\d\d/\d\d-\d\d-\d{3}-[0-9a-f-]{36}\.jsonl"
    assert all(re.fullmatch(name, key) for key in files)
    # In one file, or in two where the first was written before the second came.
    first, second = (line for key in sorted(files) for line in files[key])
    assert first["captureData"] == {
        "endpointInput": {
            "observedContentType": "text/csv",
            "mode": "INPUT",
            "data": "1,2",
            "encoding": "CSV",
        },
        "endpointOutput": {
            "observedContentType": "text/csv",
            "mode": "OUTPUT",
            "data": "2,1",
            "encoding": "CSV",
        },
    }
    assert first["eventVersion"] == "0"
    assert first["eventMetadata"]["inferenceId"] == "mine"
    assert set(second["eventMetadata"]) == {"eventId", "inferenceTime"}
    data = second["captureData"]["endpointInput"]
    assert (base64.b64decode(data["data"]), data["encoding"]) == (b"\xff\x00", "BASE64")


def test_the_endpoint_tells_that_it_captures(aws: Aws) -> None:
    assert aws.sagemaker.describe_endpoint(EndpointName="c")["DataCaptureConfig"] == {
        "EnableCapture": True,
        "CaptureStatus": "Started",
        "CurrentSamplingPercentage": 100,
        "DestinationS3Uri": "s3://models/captured/",
        "KmsKeyId": "",
    }


def test_an_update_keeps_the_capture_or_not_as_it_is_told(aws: Aws) -> None:
    config(aws, "other", InitialSamplingPercentage=7, EnableCapture=False)

    def update(**more: Any) -> Any:
        aws.sagemaker.update_endpoint(
            EndpointName="c", EndpointConfigName="other", RetainAllVariantProperties=True, **more
        )
        return aws.settled("c")["DataCaptureConfig"]

    assert update()["CurrentSamplingPercentage"] == 100
    own = [{"VariantPropertyType": "DataCaptureConfig"}]
    switched_off = update(ExcludeRetainedVariantProperties=own)
    assert switched_off["CurrentSamplingPercentage"] == 7
    assert (switched_off["EnableCapture"], switched_off["CaptureStatus"]) == (False, "Stopped")
    aws.sagemaker.update_endpoint(EndpointName="c", EndpointConfigName="c")
    aws.settled("c")


def test_a_bucket_that_cannot_be_written_stops_the_capture_not_the_endpoint(aws: Aws) -> None:
    config(aws, "nowhere", DestinationS3Uri="s3://nowhere-at-all/x")
    aws.endpoint("nowhere", "nowhere")
    assert aws.ask("nowhere", b"ab") == b"ba"
    service_in(aws.gateway, SageMaker).flush(instances=False)
    described = aws.sagemaker.describe_endpoint(EndpointName="nowhere")
    assert described["DataCaptureConfig"]["CaptureStatus"] == "Stopped"
    aws.delete("nowhere")


class Bucket:
    """S3 for one capture: the lines that were put."""

    def __init__(self) -> None:
        self.lines: list[Any] = []
        self.parameters: list[Any] = []

    def put_object(self, *, Body: bytes, **more: Any) -> None:
        self.lines += map(json.loads, Body.splitlines())
        self.parameters.append(more)


def offered(number: int, **capture: Any) -> Bucket:
    bucket = Bucket()
    found = capture_of({"DataCaptureConfig": {**CONFIG, **capture}}, "e", lambda role: bucket)
    assert isinstance(found, Capture)
    for _ in range(number):
        payload = Payload(body=b"x", content_type=None)
        found.offer("v", None, request=payload, answer=payload, inference_id=None)
    found.write()
    return bucket


@pytest.mark.parametrize(("percent", "least", "most"), [(0, 0, 0), (100, 500, 500), (50, 150, 350)])
def test_as_many_are_captured_as_are_asked_for(percent: int, least: int, most: int) -> None:
    assert least <= len(offered(500, InitialSamplingPercentage=percent).lines) <= most


@pytest.mark.parametrize(
    ("modes", "kept"),
    [
        (["Input"], {"endpointInput"}),
        (["Output"], {"endpointOutput"}),
        (["InputAndOutput"], {"endpointInput", "endpointOutput"}),
    ],
)
def test_only_the_sides_that_are_asked_for_are_kept(modes: list[str], kept: set[str]) -> None:
    options = [{"CaptureMode": mode} for mode in modes]
    (line,) = offered(1, CaptureOptions=options).lines
    assert set(line["captureData"]) == kept


@pytest.mark.parametrize("prefix", ["s3://b", "s3://b/", "s3://b/a/b", "s3://b/a/b/"])
def test_no_key_has_a_double_slash(prefix: str) -> None:
    (put,) = offered(1, DestinationS3Uri=prefix, KmsKeyId="alias/mine").parameters
    assert "//" not in put["Key"]
    assert not put["Key"].startswith("/")
    assert put["Key"].startswith(prefix.removeprefix("s3://b").strip("/"))
    assert (put["ServerSideEncryption"], put["SSEKMSKeyId"]) == ("aws:kms", "alias/mine")


def test_no_capture_is_made_where_none_is_asked_for() -> None:
    assert capture_of({}, "e", lambda role: Path()) is None
    switched_off = {"DataCaptureConfig": {**CONFIG, "EnableCapture": False}}
    assert capture_of(switched_off, "e", lambda role: Path()) is None
