"""Transform jobs over the bucket of the tests, and what became of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count
from typing import Any

from tests.local_aws.aws import REGION, Aws, eventually

SEE_LOGS = "See job logs for more information"
_numbers = count(1)


def job(aws: Aws, source: str, **more: Any) -> str:
    """Start a job over ``s3://models/<source>`` with output under ``out/<its name>``."""
    name = f"job-{next(_numbers)}"
    parameters: dict[str, Any] = {
        "TransformJobName": name,
        "ModelName": "echo",
        "TransformInput": {
            "DataSource": {
                "S3DataSource": {"S3DataType": "S3Prefix", "S3Uri": f"s3://models/{source}"}
            },
            **more.pop("TransformInput", {}),
        },
        "TransformOutput": {
            "S3OutputPath": f"s3://models/out/{name}",
            **more.pop("TransformOutput", {}),
        },
        "TransformResources": {"InstanceType": "ml.m5.large", "InstanceCount": 1},
        **more,
    }
    aws.sagemaker.create_transform_job(**parameters)
    return name


def ended(aws: Aws, name: str) -> Any:
    def look() -> Any:
        described = aws.sagemaker.describe_transform_job(TransformJobName=name)
        status = described["TransformJobStatus"]
        return described if status in ("Completed", "Failed", "Stopped") else None

    return eventually(look)


def put(aws: Aws, files: Mapping[str, bytes]) -> None:
    for key, content in files.items():
        aws.s3.put_object(Bucket="models", Key=key, Body=content)


def outputs(aws: Aws, name: str) -> dict[str, bytes]:
    prefix = f"out/{name}/"
    listed = aws.s3.list_objects_v2(Bucket="models", Prefix=prefix).get("Contents", [])
    return {
        entry["Key"].removeprefix(prefix): aws.s3.get_object(Bucket="models", Key=entry["Key"])[
            "Body"
        ].read()
        for entry in listed
    }


def data_log(aws: Aws, name: str) -> list[str]:
    """What the job's data log says of objects, without its times."""
    logs = aws.gateway.context.state_dir / "logs" / "transform" / REGION
    lines = (logs / f"{name}.data.log").read_text().splitlines()
    said = [re.sub(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}:", "", line) for line in lines]
    assert all(line.startswith("[sagemaker logs]: ") for line in said)
    return [line.removeprefix("[sagemaker logs]: ") for line in said]
