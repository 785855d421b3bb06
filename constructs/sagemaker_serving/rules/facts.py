"""What the rules judge: plain values, possibly wrong, each with the place it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sagemaker_serving.archive import ArchiveContents
from sagemaker_serving.errors import Where


@dataclass(frozen=True)
class Fact:
    """One value, perhaps of a wrong type, None when absent, and where it stands."""

    value: Any
    where: Where

    def get(self, key: str) -> Fact:
        """The value under ``key``; absent when this is no mapping."""
        value = self.value.get(key) if isinstance(self.value, Mapping) else None
        return Fact(value, self.where / key)

    def entries(self) -> Iterator[tuple[str, Fact]]:
        """Keys and values of a mapping; nothing otherwise."""
        if isinstance(self.value, Mapping):
            for key in self.value:
                yield str(key), Fact(self.value[key], self.where / str(key))

    def items(self) -> Iterator[Fact]:
        """Entries of a list; nothing otherwise."""
        if isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield Fact(value, self.where / index)

    @property
    def text(self) -> str | None:
        """The value if it is text."""
        return self.value if isinstance(self.value, str) else None

    @property
    def number(self) -> int | float | None:
        """The value if it is a number; truth values are none."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            return None
        return self.value


@dataclass(frozen=True, kw_only=True)
class EnvironmentFacts:
    """The environment as a whole; ``folder`` is where relative paths start."""

    where: Where
    name: Fact
    region: Fact
    account: Fact
    tags: Fact
    models: tuple[ModelFacts, ...]
    folder: Path


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """One model: its variants, its batch pipeline, and every container they run."""

    where: Where
    name: str
    environment_name: Fact
    variants: tuple[VariantFacts, ...]
    variants_fact: Fact
    transform: TransformFacts | None


@dataclass(frozen=True, kw_only=True)
class ContainerFacts:
    """What a container runs, after a variant was laid over its model.

    ``batching``, ``server`` and ``environment`` are the joined entries, each
    with the place that set it. ``instance_type`` is that of its host and
    ``contents`` what the artifact holds, None when that is not known here.
    """

    where: Where
    region: Fact
    artifact: Fact
    framework: Fact
    framework_version: Fact
    image_uri: Fact
    instance_type: Fact
    batching: Mapping[str, Fact] = field(default_factory=dict)
    server: Mapping[str, Fact] = field(default_factory=dict)
    environment: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class VariantFacts:
    """A production variant."""

    where: Where
    name: Fact
    instance_type: Fact
    initial_instance_count: Fact
    weight: Fact
    region: Fact
    container: ContainerFacts


@dataclass(frozen=True, kw_only=True)
class TransformFacts:
    """A batch pipeline's transform jobs."""

    where: Where
    region: Fact
    instance_type: Fact
    instance_count: Fact
    split_type: Fact
    batch_strategy: Fact
    max_payload_in_mb: Fact
    max_concurrent_transforms: Fact
    environment: Fact
    container: ContainerFacts


@dataclass(frozen=True, kw_only=True)
class ArtifactFacts:
    """A model on disk or in S3: the value as written, and what is there.

    ``contents`` is None when it lies in S3 or cannot be read; ``unreadable``
    then says why, if it is on disk.
    """

    artifact: Fact
    framework: Fact
    contents: ArchiveContents | None
    unreadable: str | None
