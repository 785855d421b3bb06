"""The files of a capture: on this machine, or copied here from S3."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.whole import cut_offs, read_again
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.rollout.state import endpoint_state
from sagemaker_serving.s3_address import is_s3, split_s3

SUFFIX = ".jsonl"


@dataclass(frozen=True, kw_only=True)
class CaptureFile:
    """A file of a capture; ``name`` is what messages call it, its address where it is of S3."""

    path: Path
    name: str


@contextmanager
def files_of(
    place: str, aws: Aws | None, *, since: datetime | None, until: datetime | None
) -> Iterator[Sequence[CaptureFile]]:
    """The ``.jsonl`` files of ``place``, by name; copies from S3 are gone after the block.

    SageMaker writes them below <endpoint>/<variant>/<year>/<month>/<day>/<hour>/, in UTC. Where
    the hours stand in a path, only those within the bounds are taken. Raises `NotFound`.
    """
    if is_s3(place):
        with tempfile.TemporaryDirectory(prefix="sagemaker-serving-capture-") as folder:
            yield _copied(place, aws if aws is not None else Aws(), Path(folder), since, until)
        return
    path = Path(place)
    if not path.exists():
        raise NotFound(
            f"{place} does not exist; give a .jsonl file, a folder of them, or s3://<bucket>/"
            "<prefix>"
        )
    found = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
    yield [
        CaptureFile(path=file, name=str(file))
        for file in found
        if file.is_file() and _may_hold(file.as_posix(), since, until)
    ]


def capture_of_endpoint(name: str, aws: Aws) -> str:
    """Where an endpoint's capture goes, ``s3://bucket/prefix/endpoint/``.

    Raises `NotFound` where there is no such endpoint, or nothing of it is captured.
    """
    client = aws.client("sagemaker")
    config = endpoint_state(client, name).config
    with aws_failures():
        described = client.describe_endpoint_config(EndpointConfigName=config)
    kept = described.get("DataCaptureConfig")
    if kept is None:
        raise NotFound(
            f"{name} captures nothing; turn data_capture on in its environment file, or give the "
            "capture's place"
        )
    return f"{kept['DestinationS3Uri'].rstrip('/')}/{name}/"


def _copied(
    place: str, aws: Aws, folder: Path, since: datetime | None, until: datetime | None
) -> list[CaptureFile]:
    bucket, prefix = split_s3(place)
    with aws_failures():
        pages = aws.client("s3").get_paginator("list_objects_v2")
        keys = sorted(
            entry["Key"]
            for page in pages.paginate(Bucket=bucket, Prefix=prefix)
            for entry in page.get("Contents", [])
            if entry["Key"].endswith(SUFFIX) and _may_hold(entry["Key"], since, until)
        )
    files = []
    for number, key in enumerate(keys):
        name = f"s3://{bucket}/{key}"
        path = folder / f"{number}{SUFFIX}"
        copy_object(aws, name, path)
        files.append(CaptureFile(path=path, name=name))
    return files


def copy_object(aws: Aws, name: str, path: Path) -> None:
    """The object ``name`` in the file ``path``, asked for again when the connection breaks."""

    def copy() -> None:
        with open_object(aws, name) as body, cut_offs(), path.open("wb") as file:
            shutil.copyfileobj(body, file)

    read_again(copy)


def _may_hold(path: str, since: datetime | None, until: datetime | None) -> bool:
    """Whether a file's hour is within the bounds, or an hour off: a file may hold the next one."""
    found = _HOUR.search(path)
    if found is None:
        return True
    try:
        hour = datetime(*map(int, found.groups()), tzinfo=UTC)  # type: ignore[arg-type, misc]
    except ValueError:
        return True
    margin = timedelta(hours=1)
    return (since is None or hour + 2 * margin > since) and (until is None or hour - margin < until)


_HOUR = re.compile(r"/(\d{4})/(\d\d)/(\d\d)/(\d\d)/[^/]+$")
