"""What an execution's input may say, beside where to read and write; checked as it starts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

LARGEST_JOB_BYTES = 32 * 1024
"""The most that a job's variables may take together: states carry them, and states end at
256 KiB (Step Functions developer guide, "Quotas")."""

BATCHING_SWITCH = "SAGEMAKER_TFS_ENABLE_BATCHING"

_MAX_FILTER = 63
_MAX_VARIABLES = 16
_DEFAULT_PAYLOAD_MB = 6
_MAX_MEGABYTES = 100


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field: where it goes in CreateTransformJob's arguments, and what it may be."""

    path: tuple[str, ...]
    check: Callable[[Any], str | None]


def _whole(least: int, most: int | None = None) -> Callable[[Any], str | None]:
    wanted = f"a whole number from {least}" + ("" if most is None else f" to {most}")

    def check(value: Any) -> str | None:
        fine = isinstance(value, int) and not isinstance(value, bool) and value >= least
        return None if fine and (most is None or value <= most) else wanted

    return check


def _one_of(*choices: str) -> Callable[[Any], str | None]:
    return lambda value: None if value in choices else f"one of {', '.join(choices)}"


def _text(value: Any) -> str | None:
    return None if isinstance(value, str) and 0 < len(value) <= 256 else "text of 1 to 256 letters"


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _filter(value: Any) -> str | None:
    fine = isinstance(value, str) and value.startswith("$") and len(value) <= _MAX_FILTER
    return None if fine else f"a JSONPath from $ of at most {_MAX_FILTER} letters"


def _variables(value: Any) -> str | None:
    if not isinstance(value, dict) or len(value) > _MAX_VARIABLES:
        return f"a mapping of at most {_MAX_VARIABLES} variables"
    if not all(isinstance(text, str) for text in value.values()):
        return "a mapping of names to texts"
    size = sum(len(f"{name}{text}".encode()) for name, text in value.items())
    return None if size <= LARGEST_JOB_BYTES else f"at most {LARGEST_JOB_BYTES} bytes in all"


JOB_FIELDS: Mapping[str, Field] = {
    "content_type": Field(path=("TransformInput", "ContentType"), check=_text),
    "compression_type": Field(
        path=("TransformInput", "CompressionType"), check=_one_of("None", "Gzip")
    ),
    "split_type": Field(
        path=("TransformInput", "SplitType"), check=_one_of("None", "Line", "RecordIO", "TFRecord")
    ),
    "accept": Field(path=("TransformOutput", "Accept"), check=_text),
    "assemble_with": Field(path=("TransformOutput", "AssembleWith"), check=_one_of("None", "Line")),
    "batch_strategy": Field(path=("BatchStrategy",), check=_one_of("MultiRecord", "SingleRecord")),
    "input_filter": Field(path=("DataProcessing", "InputFilter"), check=_filter),
    "output_filter": Field(path=("DataProcessing", "OutputFilter"), check=_filter),
    "join_source": Field(path=("DataProcessing", "JoinSource"), check=_one_of("Input", "None")),
    "max_payload_in_mb": Field(path=("MaxPayloadInMB",), check=_whole(0, _MAX_MEGABYTES)),
    "max_concurrent_transforms": Field(path=("MaxConcurrentTransforms",), check=_whole(0)),
    "instance_type": Field(path=("TransformResources", "InstanceType"), check=_text),
    "instance_count": Field(path=("TransformResources", "InstanceCount"), check=_whole(1)),
    "invocations_timeout_in_seconds": Field(
        path=("ModelClientConfig", "InvocationsTimeoutInSeconds"), check=_whole(1, 3600)
    ),
    "invocations_max_retries": Field(
        path=("ModelClientConfig", "InvocationsMaxRetries"), check=_whole(0, 3)
    ),
    "environment": Field(path=("Environment",), check=_variables),
}
"""Each field and its member of CreateTransformJob (botocore 1.44.5)."""

OTHER_FIELDS: Mapping[str, Callable[[Any], str | None]] = {
    "input_type": _one_of("S3Prefix", "ManifestFile"),
    "max_objects_per_shard": _whole(1, 100_000),
    "max_bytes_per_shard": _whole(1),
    "fail_on_quarantine": _flag,
    "retry_quarantined": _flag,
    "line_per_record": _flag,
}
"""What is the pipeline's own affair."""


def problems(given: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with each field by itself; fields that are unknown, too."""
    for name, value in given.items():
        check = JOB_FIELDS[name].check if name in JOB_FIELDS else OTHER_FIELDS.get(name)
        if check is None:
            known = ", ".join(("input", "output", *OTHER_FIELDS, *JOB_FIELDS))
            yield f"{name} is no field of an execution's input; there are {known}"
        elif (wanted := check(value)) is not None:
            yield f"{name} is {_shown(value)}; it must be {wanted}"


def merged(job: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """A job's arguments with an execution's fields laid over them; variables join by name.

    A batch_strategy of the pipeline's own is about the records of a split, and goes with it.
    """
    result = _copy(job)
    for name, field in JOB_FIELDS.items():
        if name not in given:
            continue
        *parents, last = field.path
        place = result
        for parent in parents:
            place = place.setdefault(parent, {})
        old = place.get(last)
        value = given[name]
        place[last] = {**old, **value} if isinstance(old, dict) else value
    if given.get("split_type") == "None" and "batch_strategy" not in given:
        result.pop("BatchStrategy", None)
    return result


def turn_batching_off(job: dict[str, Any]) -> None:
    """Let a job's payloads of many records be as large as they are.

    Such a payload is a batch already. TensorFlow Serving with batching on refuses a request of
    more instances than max_batch_size (enable_large_batch_splitting is off in the container's
    batching-config.cfg: tensorflow/serving 9d981c5, bundle_factory_util.h). A job's variables stand
    over its model's, as they do in AWS's own SDK where it runs jobs itself
    (aws/sagemaker-python-sdk a248126, local/entities.py); of SageMaker's service nobody says it.
    Should it not be so, payloads are cut until they are small enough. What
    the user says of the switch stands.
    """
    is_split = job.get("TransformInput", {}).get("SplitType", "None") != "None"
    if is_split and job.get("BatchStrategy", "MultiRecord") == "MultiRecord":
        job["Environment"] = {BATCHING_SWITCH: "false", **job.get("Environment", {})}


def contradictions(job: Mapping[str, Any], *, line_per_record: bool) -> Iterator[str]:
    """What does not fit together in a job's arguments, all fields being sound by themselves."""
    payload = job.get("MaxPayloadInMB", _DEFAULT_PAYLOAD_MB)
    concurrent = job.get("MaxConcurrentTransforms") or 1
    if payload * concurrent > _MAX_MEGABYTES:
        yield (
            f"max_payload_in_mb {payload} times max_concurrent_transforms {concurrent} is "
            f"{payload * concurrent} MB; a job takes {_MAX_MEGABYTES}"
        )
    source, output = job.get("TransformInput", {}), job.get("TransformOutput", {})
    split, assembled = source.get("SplitType", "None"), output.get("AssembleWith", "None")
    if line_per_record and split == "None":
        yield "line_per_record needs a split_type: Line, RecordIO or TFRecord"
    if "BatchStrategy" in job and split == "None":
        yield "batch_strategy needs a split_type: Line, RecordIO or TFRecord"
    if job.get("DataProcessing", {}).get("JoinSource", "None") == "Input" and split != assembled:
        yield (
            "join_source Input needs one split_type and assemble_with; they are "
            f"{split}, {assembled}"
        )
    variables = job.get("Environment", {})
    if (wanted := _variables(variables)) is not None:
        own = f", {BATCHING_SWITCH} among them" if BATCHING_SWITCH in variables else ""
        yield f"environment, joined with the pipeline's own, must be {wanted}{own}"


def _copy(value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _copy(inner) if isinstance(inner, Mapping) else inner for key, inner in value.items()
    }


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
