"""The arguments of a shard's next transform job, and the manifest that it reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .inputs import folder_of
from .run import Run
from .sharding import Input
from .state import Unit
from .store import Place, Store


def keys_of(
    store: Store, run: Run, shard: int, units: Sequence[Unit], inputs: Sequence[Input]
) -> tuple[Place, list[str]]:
    """The folder that units are read from, and their names below it."""
    if units[0].is_chunk:
        return chunks_of(run, shard), [unit.chunk_name for unit in units]
    return folder_of(store, run), [inputs[unit.input].name for unit in units]


def chunks_of(run: Run, shard: int) -> Place:
    """Where the chunks of a shard's inputs lie."""
    return run.shard(shard) / "chunks/"


def outputs_of(run: Run, shard: int, units: Sequence[Unit]) -> Place:
    """Where a job over these units writes: inputs' outputs to the output, chunks' beside them."""
    return run.shard(shard) / "answers/" if units[0].is_chunk else run.output_place


def next_job(
    store: Store, run: Run, shard: int, number: int, units: Sequence[Unit], inputs: Sequence[Input]
) -> dict[str, Any]:
    """CreateTransformJob's arguments for a job over ``units``; its manifest is written."""
    folder, names = keys_of(store, run, shard, units, inputs)
    manifest = run.shard(shard) / f"manifests/{number:06}.json"
    body = json.dumps([{"prefix": str(folder)}, *names], ensure_ascii=False)
    store.write(manifest, body.encode())
    job = dict(run.job)
    source = {"S3DataType": "ManifestFile", "S3Uri": str(manifest)}
    return {
        **job,
        "TransformJobName": run.job_name(shard, number),
        "TransformInput": {**job["TransformInput"], "DataSource": {"S3DataSource": source}},
        "TransformOutput": {
            **job["TransformOutput"],
            "S3OutputPath": str(outputs_of(run, shard, units)),
        },
    }
