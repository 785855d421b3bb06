"""What an environment file says of batch jobs, in the words of CreateTransformJob."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.batch_transform import BatchTransformSettings


def transform_settings(
    spec: BatchTransformSettings,
    *,
    model_name: str,
    work: str,
    reports: str,
    requests_alone: bool | None = False,
    is_batching: bool = False,
    output_key: str | None = None,
    volume_key: str | None = None,
) -> dict[str, Any]:
    """What the pipeline's function is told of every execution; an execution lays its own over it.

    ``work`` is where what is between lies, ``reports`` where locks, quarantines and reports do,
    both ``s3://…/``; the keys are ARNs. ``requests_alone`` and ``is_batching`` are `Model`'s.
    """
    return {
        "work": work,
        "reports": reports,
        # As words: CDK leaves out what is null.
        "requests_alone": {True: "always", None: "perhaps", False: "never"}[requests_alone],
        "is_batching": is_batching,
        "input_type": spec.input_type,
        "job": transform_arguments(
            spec, model_name=model_name, output_key=output_key, volume_key=volume_key
        ),
        "limits": _given({name: getattr(spec, name) for name in _LIMITS}),
        "retries": spec.retries.model_dump(),
        **({"instance_types": spec.instance_types} if spec.instance_types else {}),
        "fail_on_quarantine": spec.fail_on_quarantine,
        **({"line_per_record": True} if spec.line_per_record else {}),
    }


_LIMITS = (
    *("max_objects_per_shard", "max_bytes_per_shard", "max_concurrent_jobs"),
    *("max_concurrent_executions", "max_input_objects", "max_input_bytes"),
)


def transform_arguments(
    spec: BatchTransformSettings,
    *,
    model_name: str,
    output_key: str | None = None,
    volume_key: str | None = None,
) -> dict[str, Any]:
    """CreateTransformJob's arguments but for a job's name, and where it reads and writes."""
    joined = {} if spec.join_source != "None" else {"join_source": None}
    made = aws_values(BatchTransformSettings, {**vars(spec), **joined})
    parts = {
        name: made.get(name, {})
        for name in ("TransformInput", "TransformOutput", "TransformResources")
    }
    parts["TransformOutput"] |= _given({"KmsKeyId": output_key})
    parts["TransformResources"] |= _given({"VolumeKmsKeyId": volume_key})
    tags = [{"Key": key, "Value": value} for key, value in spec.tags.items()]
    return {"ModelName": model_name, **parts, **made, **({"Tags": tags} if tags else {})}


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
