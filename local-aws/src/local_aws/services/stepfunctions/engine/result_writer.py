"""What a Distributed Map leaves in S3: ``manifest.json`` and the results by status.

https://docs.aws.amazon.com/step-functions/latest/dg/input-output-resultwriter.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from local_aws.clock import iso
from local_aws.services.stepfunctions.engine.map_run import Child, MapRun

_STATUSES = ("FAILED", "PENDING", "SUCCEEDED")
_FILES = {"PENDING": "PENDING", "SUCCEEDED": "SUCCEEDED"}
"""The file a child's status belongs to; every other status is FAILED's."""


def export(s3: Any, run: MapRun, parameters: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
    """Write the results; the state's output says where.

    ``<Prefix>/<uuid of the Map Run>/`` gets ``SUCCEEDED_0.json``, ``FAILED_0.json`` and
    ``PENDING_0.json``, each if there are such children, and ``manifest.json``. AWS begins a
    new file at 5 GB; here there is one of each. Raises botocore's ClientError.
    """
    bucket, prefix = parameters["Bucket"], parameters.get("Prefix", "")
    folder = f"{prefix}{'' if prefix == '' or prefix.endswith('/') else '/'}{run.uuid}/"
    ending = "jsonl" if config.get("OutputType") == "JSONL" else "json"
    files: dict[str, list[dict[str, Any]]] = {status: [] for status in _STATUSES}
    for status in _STATUSES:
        children = [each for each in run.children if _FILES.get(each.status, "FAILED") == status]
        if children:
            key, body = f"{folder}{status}_0.{ending}", _encoded(results(children, config), config)
            s3.put_object(Bucket=bucket, Key=key, Body=body)
            files[status].append({"Key": key, "Size": len(body)})
            run.results_written(children)
    manifest = {"DestinationBucket": bucket, "MapRunArn": run.arn, "ResultFiles": files}
    key = f"{folder}manifest.json"
    s3.put_object(Bucket=bucket, Key=key, Body=json.dumps(manifest, separators=(",", ":")).encode())
    return {"MapRunArn": run.arn, "ResultWriterDetails": {"Bucket": bucket, "Key": key}}


def results(children: Iterable[Child], config: Mapping[str, Any]) -> list[Any]:
    """Results as the WriterConfig's Transformation has them; failed children stay records."""
    kind = config.get("Transformation", "NONE")
    found: list[Any] = []
    for child in children:
        if kind == "NONE" or child.execution is None or child.status != "SUCCEEDED":
            found.append(record(child))
            continue
        output = child.execution.output_value()
        found += output if kind == "FLATTEN" and isinstance(output, list) else [output]
    return found


def record(child: Child) -> dict[str, Any]:
    """A child as the exported files describe it."""
    text = json.dumps(child.input, separators=(",", ":"), ensure_ascii=False)
    execution = child.execution
    if execution is None or child.status == "PENDING":
        return {"Input": text, "InputDetails": {"Included": True}, "Status": "PENDING"}
    members = {
        "Cause": execution.cause,
        "Error": execution.error,
        "ExecutionArn": execution.arn,
        "Input": text,
        "InputDetails": {"Included": True},
        "Name": execution.name,
        "Output": execution.output,
        "OutputDetails": {"Included": True},
        "RedriveCount": 0,
        **{name[:1].upper() + name[1:]: value for name, value in execution.redrive().items()},
        "StartDate": iso(execution.start_date),
        "StateMachineArn": execution.machine_arn,
        "Status": child.status,
        "StopDate": None if execution.stop_date is None else iso(execution.stop_date),
    }
    return {name: value for name, value in members.items() if value is not None}


def _encoded(found: Sequence[Any], config: Mapping[str, Any]) -> bytes:
    if config.get("OutputType") == "JSONL":
        return "".join(f"{_compact(each)}\n" for each in found).encode()
    return _compact(list(found)).encode()


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
