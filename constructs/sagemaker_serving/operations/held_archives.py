"""What a multi-model endpoint holds: the archives below its prefix in S3.

SageMaker has no call that loads or unloads a model. A request names an archive, and the container
that gets it loads it (SageMaker developer guide, "Add or Remove Models").
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from local_aws.suggest import nearest
from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.catalog.images import scopes_of
from sagemaker_serving.client import open_object
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.describing import described_endpoint
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.progress import progress_bar
from sagemaker_serving.s3_address import split_s3

Change = Literal["put", "replaced", "unchanged"]

_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True)
class HeldArchive:
    """One archive. ``name`` is what requests give as TargetModel, ``size`` is in bytes, and ``put``
    is when it was last written."""

    name: str
    size: int
    put: datetime


@dataclass(frozen=True, kw_only=True)
class HeldArchives:
    """The archives below ``uri``, ``s3://…/``, and the ``image`` and ``environment`` of the
    container that loads them."""

    aws: Aws
    uri: str
    image: str
    environment: Mapping[str, str]

    @property
    def framework(self) -> str:
        """The framework that AWS made the image for; "" for an image of one's own."""
        image = parse_ecr_uri(self.image)
        scopes = () if image is None else scopes_of(image.repository)
        return next((framework for framework, _ in scopes), "")

    def all(self) -> list[HeldArchive]:
        """All of them by name; needs ``s3:ListBucket``. Raises `Failure` when AWS fails."""
        return list(self._beginning_with(""))

    def found(self, name: str) -> HeldArchive:
        """The one that is called ``name``, with or without ``.tar.gz``; `NotFound` is raised."""
        held = self.all()
        for wanted in (name, target_name(name)):
            for archive in held:
                if archive.name == wanted:
                    return archive
        names = [archive.name for archive in held]
        close = nearest(target_name(name), names)
        instead = f"did you mean {close}" if close is not None else _told(names)
        raise NotFound(f"there is no {name} below {self.uri}; {instead}")

    def put(self, files: Mapping[str, Path], *, replace: bool = False) -> dict[str, Change]:
        """Uploads ``files`` by name, and tells what became of each.

        Raises `Mistake`, before anything is uploaded, where a name has other content already and
        ``replace`` is false: an instance that holds the former one would serve it on. Needs
        ``s3:ListBucket``, ``s3:GetObject`` and ``s3:PutObject``.
        """
        changes = {name: self._change(name, file) for name, file in files.items()}
        others = [name for name, change in changes.items() if change == "replaced"]
        if others and not replace:
            raise Mistake(
                f"{', '.join(others)} below {self.uri}: there is other content already, which "
                "instances that loaded it serve on; give the new content a new name, or replace it "
                "all the same with --replace"
            )
        for name, file in files.items():
            if changes[name] != "unchanged":
                self._upload(name, file)
        return changes

    def remove(self, archive: HeldArchive) -> None:
        """Removes it from S3; needs ``s3:DeleteObject``. Raises `Failure` when AWS fails."""
        bucket, prefix = split_s3(self.uri)
        with aws_failures():
            self.aws.client("s3").delete_object(Bucket=bucket, Key=prefix + archive.name)

    def _upload(self, name: str, file: Path) -> None:
        bucket, prefix = split_s3(self.uri)
        total, done = file.stat().st_size, 0
        with aws_failures(), progress_bar(f"put {name}") as progress:

            def advance(size: int) -> None:
                nonlocal done
                done += size
                if progress is not None:
                    progress(done, total)

            self.aws.client("s3").upload_file(str(file), bucket, prefix + name, Callback=advance)

    def _change(self, name: str, file: Path) -> Change:
        held = next((each for each in self._beginning_with(name) if each.name == name), None)
        if held is None:
            return "put"
        if held.size != file.stat().st_size:
            return "replaced"
        sha256 = hashlib.sha256()
        with open_object(self.aws, self.uri + name) as body:
            while block := body.read(_BLOCK):
                sha256.update(block)
        with file.open("rb") as own:
            is_same = hashlib.file_digest(own, "sha256").digest() == sha256.digest()
        return "unchanged" if is_same else "replaced"

    def _beginning_with(self, name: str) -> Iterator[HeldArchive]:
        bucket, prefix = split_s3(self.uri)
        with aws_failures():
            pages = self.aws.client("s3").get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=bucket, Prefix=prefix + name):
                for found in page.get("Contents", ()):
                    if not found["Key"].endswith("/"):  # what stands for the prefix, or a folder
                        yield HeldArchive(
                            name=found["Key"].removeprefix(prefix),
                            size=found["Size"],
                            put=found["LastModified"],
                        )


def held_archives(endpoint: str, aws: Aws, *, variant: str | None = None) -> HeldArchives:
    """Where the archives of ``endpoint`` lie, or those of its ``variant``, as DescribeModel tells.

    Needs ``sagemaker:DescribeEndpoint``, ``DescribeEndpointConfig`` and ``DescribeModel``. Raises
    `NotFound` for an unknown endpoint or variant, `Mistake` for one that is no multi-model
    endpoint or whose variants have several prefixes, `Failure` when AWS fails.
    """
    client = aws.client("sagemaker")
    described = described_endpoint(client, endpoint)
    with aws_failures():
        config = client.describe_endpoint_config(EndpointConfigName=described["EndpointConfigName"])
        models = {
            each["VariantName"]: each.get("ModelName") for each in config["ProductionVariants"]
        }
        if variant is not None and variant not in models:
            raise NotFound(f"{endpoint} has no variant {variant!r}; it has {', '.join(models)}")
        found = {
            name: HeldArchives(
                aws=aws,
                uri=f"{container['ModelDataUrl'].rstrip('/')}/",
                image=container.get("Image", ""),
                environment=container.get("Environment", {}),
            )
            for name, model in models.items()
            if variant in (None, name) and model is not None
            for container in _containers(client, model)
            if container.get("Mode") == "MultiModel"
        }
    if not found:
        raise Mistake(
            f"{endpoint if variant is None else f'{endpoint}, variant {variant},'} is not "
            "multi-model: it serves what its Model names, and another needs a deploy; many models "
            "behind one container are `multi_model` in an environment file"
        )
    if len({each.uri for each in found.values()}) > 1:
        places = ", ".join(f"{name}: {each.uri}" for name, each in found.items())
        raise Mistake(
            f"variants of {endpoint} have archives of their own; give --variant ({places})"
        )
    return next(iter(found.values()))


def target_name(name: str) -> str:
    """What requests give as TargetModel for the archive ``name``: it ends with ``.tar.gz``."""
    return name if name.endswith(".tar.gz") else f"{name}.tar.gz"


def _containers(client: Any, model: str) -> list[Mapping[str, Any]]:
    described = client.describe_model(ModelName=model)
    return described.get("Containers") or [described.get("PrimaryContainer", {})]


def _told(names: list[str], most: int = 20) -> str:
    if not names:
        return "it is empty"
    return f"it has {', '.join(names[:most])}{' and more' if len(names) > most else ''}"
