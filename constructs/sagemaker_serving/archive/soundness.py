"""Whether a SavedModel's files are as they were written, as far as they say it themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from typing import BinaryIO

from sagemaker_serving.archive import bundle, fingerprint, graph, wire
from sagemaker_serving.archive.protobuf import Malformed

MOST_BYTES = 128 << 20
"""What is kept of an archive's files until all of them were seen, and the largest graph that is
looked at in a folder; what is larger stays unproven."""

SAVED_MODEL, FINGERPRINT = "saved_model.pb", "fingerprint.pb"
INDEX, SHARD = "variables/variables.index", "variables/variables.data-"

Opener = Callable[[], BinaryIO]


@dataclass(kw_only=True)
class Soundness:
    """By the files' names: what is wrong with each, and why nothing proves that others are right.

    ``different`` are those that are whole, but not those that the SavedModel was written with.
    """

    damaged: dict[str, str] = field(default_factory=dict)
    different: dict[str, str] = field(default_factory=dict)
    unproven: dict[str, str] = field(default_factory=dict)


def is_looked_at(name: str) -> bool:
    """Whether a file says, or has said of it, that its bytes are right."""
    path = PurePosixPath(name)
    return path.name in (SAVED_MODEL, FINGERPRINT) or path.parent.name == "variables"


def soundness_of(files: Mapping[str, int], openers: Mapping[str, Opener]) -> Soundness:
    """What the SavedModels among ``files``, names and sizes, say of their own bytes.

    ``openers`` open those of `is_looked_at` whose bytes can be had.
    """
    found = Soundness()
    for name in sorted(files):
        if PurePosixPath(name).name == SAVED_MODEL:
            _SavedModelFiles(str(PurePosixPath(name).parent), files, openers, found).judge()
    return found


class _SavedModelFiles:
    """The files of one SavedModel, below ``folder``."""

    def __init__(
        self,
        folder: str,
        files: Mapping[str, int],
        openers: Mapping[str, Opener],
        found: Soundness,
    ) -> None:
        self._folder = "" if folder == "." else f"{folder}/"
        self._files = files
        self._openers = openers
        self._found = found

    def judge(self) -> None:
        told = self._fingerprint()
        self._graph(told)
        index = self._index(told)
        for name in self._shards():
            if index is None:
                self._unproven(name, "there is no variables.index that says its checksums")
            else:
                self._shard(name, index)

    def _fingerprint(self) -> fingerprint.Fingerprint | None:
        if self._folder + FINGERPRINT not in self._files:
            return None
        data = self._read(FINGERPRINT)
        if data is None:
            return None
        try:
            return fingerprint.read_fingerprint(data)
        except Malformed as error:
            self._damaged(FINGERPRINT, f"it is no fingerprint: {error}")
        return None

    def _graph(self, told: fingerprint.Fingerprint | None) -> None:
        data = self._read(SAVED_MODEL)
        if data is None:
            return
        try:
            if told is not None and told.is_known:
                if not fingerprint.is_of(told.saved_model, data):
                    self._damaged(
                        SAVED_MODEL,
                        "it is not what fingerprint.pb says was written (saved_model_checksum "
                        f"{told.saved_model})",
                    )
                return
            wire.must_be_saved_model(data)
            graph.must_be_loadable(data)
        except Malformed as error:
            self._damaged(SAVED_MODEL, str(error))
        except wire.TooMany:
            self._unproven(SAVED_MODEL, f"it has more than {wire.MOST_FIELDS:,} fields")
        else:
            why = "no fingerprint.pb is beside it, as of models that TensorFlow 1 or 2.11 wrote"
            if self._folder + FINGERPRINT in self._files:
                why = "its fingerprint.pb is of a kind that cannot be compared"
            self._unproven(SAVED_MODEL, why)

    def _index(self, told: fingerprint.Fingerprint | None) -> bundle.Index | None:
        if self._folder + INDEX not in self._files:
            return None
        data = self._read(INDEX)
        if data is None:
            return None
        try:
            index = bundle.read_index(data)
        except Malformed as error:
            self._damaged(INDEX, str(error))
            return None
        except bundle.Compressed:
            self._unproven(INDEX, "it is compressed")
            return None
        if told is not None and told.is_known and told.index != fingerprint.hash_of(data):
            self._found.different[self._folder + INDEX] = (
                f"it is not the one that fingerprint.pb was written with (checkpoint_hash "
                f"{told.index})"
            )
        return index

    def _shards(self) -> Iterator[str]:
        start = self._folder + SHARD
        for name in sorted(self._files):
            if name.startswith(start):
                yield name.removeprefix(self._folder)

    def _shard(self, name: str, index: bundle.Index) -> None:
        full = self._folder + name
        last = PurePosixPath(name).name
        names = [bundle.shard_name(shard, index.shards) for shard in range(index.shards)]
        if last not in names:
            self._unproven(name, "variables.index does not know it")
        elif full not in self._openers:
            self._unproven(name, _TOO_LARGE)
        else:
            wrong = bundle.damaged_tensor(
                index, names.index(last), self._files[full], self._openers[full]
            )
            if wrong is not None:
                self._damaged(name, wrong)

    def _read(self, name: str) -> bytes | None:
        full = self._folder + name
        most = fingerprint.LONGEST if name == FINGERPRINT else MOST_BYTES
        if self._files[full] > most or full not in self._openers:
            self._unproven(name, _TOO_LARGE)
            return None
        with self._openers[full]() as stream:
            return stream.read()

    def _damaged(self, name: str, why: str) -> None:
        self._found.damaged[self._folder + name] = why

    def _unproven(self, name: str, why: str) -> None:
        self._found.unproven[self._folder + name] = why


_TOO_LARGE = f"it is larger than the {MOST_BYTES >> 20} MiB that are looked at here"


class Kept:
    """Files of a stream, in memory until all of them were seen: `MOST_BYTES` and no more."""

    def __init__(self) -> None:
        self._left = MOST_BYTES
        self._files: dict[str, bytes] = {}

    def has_room(self, size: int) -> bool:
        """Whether a file of that size can be kept."""
        return size <= self._left

    def keep(self, name: str, data: bytes) -> None:
        """Keeps a file."""
        self._left -= len(data)
        self._files[name] = data

    @property
    def openers(self) -> Mapping[str, Opener]:
        """What opens the files that were kept."""
        return {name: _opener(data) for name, data in self._files.items()}


def _opener(data: bytes) -> Opener:
    return lambda: BytesIO(data)
