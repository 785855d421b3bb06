"""A byte that changed in a SavedModel is found, and the file named; what nothing proves is said."""

from __future__ import annotations

import contextlib
import random
import shutil
import tarfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.archive import known_contents, read_contents, soundness, wire
from sagemaker_serving.archive.bundle import read_index, shard_name
from sagemaker_serving.archive.cache import Cache
from sagemaker_serving.archive.fingerprint import hash_of, read_fingerprint
from sagemaker_serving.archive.protobuf import Malformed
from sagemaker_serving.archive.soundness import Soundness

ASSETS = Path(__file__).parents[2] / "model_assets"
EXAMPLES = {
    "half": ASSETS / "half_plus_three/model/half_plus_three/1",
    "digits": ASSETS / "digits/model/digits/1",
}
PB, FINGERPRINT, INDEX = "saved_model.pb", "fingerprint.pb", "variables/variables.index"
DATA = "variables/variables.data-00000-of-00001"
FLIPS = 80


@pytest.fixture(params=EXAMPLES)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of an example's version folder, whose contents are named as in an archive."""
    target = tmp_path / "model" / "m" / "1"
    shutil.copytree(EXAMPLES[request.param], target)
    return target


def judged(model: Path) -> Soundness:
    return read_contents(model.parents[1]).soundness


def named(found: Soundness) -> set[str]:
    return {name.removeprefix("m/1/") for name in (*found.damaged, *found.different)}


def flips(path: Path, count: int = FLIPS) -> list[Callable[[], None]]:
    """So many drawn bits of a file, each to be flipped in what it was."""
    whole = path.read_bytes()
    dice = random.Random(f"{path.name} {len(whole)}")

    def flip(at: int, bit: int) -> None:
        changed = bytearray(whole)
        changed[at] ^= 1 << bit
        path.write_bytes(changed)

    drawn = [(dice.randrange(len(whole)), dice.randrange(8)) for _ in range(count)]
    return [partial(flip, at, bit) for at, bit in drawn]


def test_the_examples_are_as_they_were_written(model: Path) -> None:
    assert judged(model) == Soundness()


@pytest.mark.parametrize("name", [PB, INDEX, DATA])
def test_every_flipped_bit_is_found_and_the_file_named(model: Path, name: str) -> None:
    for flip in flips(model / name):
        flip()
        assert name in named(judged(model))


def test_of_a_fingerprint_the_two_checksums_that_are_compared_are_proven(model: Path) -> None:
    path = model / FINGERPRINT
    whole, told = path.read_bytes(), read_fingerprint(path.read_bytes())
    for flip in flips(path):
        flip()
        try:
            changed = read_fingerprint(path.read_bytes())
        except Malformed:
            assert FINGERPRINT in named(judged(model))
            continue
        found = judged(model)
        assert named(found) == {
            *([PB] if changed.saved_model != told.saved_model and changed.is_known else []),
            *([INDEX] if changed.index != told.index and changed.is_known else []),
        }
    path.write_bytes(whole)


def test_in_an_archive_too_in_whatever_order_its_files_stand(model: Path, tmp_path: Path) -> None:
    for name, backwards in ((PB, False), (DATA, False), (DATA, True), (INDEX, True)):
        whole = (model / name).read_bytes()
        flips(model / name)[0]()
        packed = tmp_path / "model.tar.gz"
        with tarfile.open(packed, "w:gz") as tar:
            for path in sorted(model.rglob("*.*"), reverse=backwards):
                tar.add(path, path.relative_to(model.parents[1]))
        assert named(read_contents(packed).soundness) == {name}
        (model / name).write_bytes(whole)


@pytest.mark.parametrize("change", ["shorter", "longer", "empty"])
@pytest.mark.parametrize("name", [PB, FINGERPRINT, INDEX, DATA])
def test_files_that_are_too_long_or_too_short_are_found(
    model: Path, name: str, change: str
) -> None:
    whole = (model / name).read_bytes()
    changed = {"shorter": whole[:-1], "longer": whole + b"\0", "empty": b""}[change]
    (model / name).write_bytes(changed)
    found = judged(model)
    unproven = {name.removeprefix("m/1/") for name in found.unproven}
    assert name in named(found) or (name == FINGERPRINT and PB in (named(found) | unproven))


def test_without_a_fingerprint_most_is_found_and_the_rest_is_said(model: Path) -> None:
    (model / FINGERPRINT).unlink()
    found = judged(model)
    assert named(found) == set()
    assert "no fingerprint.pb is beside it" in found.unproven["m/1/saved_model.pb"]
    hits = 0
    for flip in flips(model / PB, 200):
        flip()
        hits += PB in named(judged(model))
    assert hits > 100


def test_other_variables_than_those_of_the_export_are_said_and_no_damage(model: Path) -> None:
    other = EXAMPLES["half" if (model / DATA).stat().st_size > 100 else "digits"]
    shutil.copytree(other / "variables", model / "variables", dirs_exist_ok=True)
    found = judged(model)
    assert found.damaged == {}
    assert (
        "it is not the one that fingerprint.pb was written with" in found.different[f"m/1/{INDEX}"]
    )


def test_shards_that_the_index_does_not_know_and_variables_without_one_stay_unproven(
    model: Path,
) -> None:
    other = "variables/variables.data-00007-of-00009"
    (model / other).write_bytes(b"x")
    assert "does not know it" in judged(model).unproven[f"m/1/{other}"]
    (model / INDEX).unlink()
    assert "there is no variables.index" in judged(model).unproven[f"m/1/{DATA}"]


def test_what_is_too_large_stays_unproven(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "MOST_BYTES", 100)
    assert "larger than" in judged(model).unproven["m/1/saved_model.pb"]
    monkeypatch.setattr(soundness, "MOST_BYTES", 1 << 30)
    (model / FINGERPRINT).unlink()
    monkeypatch.setattr(wire, "MOST_FIELDS", 10)
    assert "more than 10 fields" in judged(model).unproven["m/1/saved_model.pb"]


def test_variables_of_an_unchanged_folder_are_read_once(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sagemaker_serving.archive.cache._TOO_RECENT_NS", 0)
    cache = Cache(folder=tmp_path / "cache")
    read: list[str] = []
    genuine = soundness.soundness_of
    monkeypatch.setattr(
        "sagemaker_serving.archive.contents.soundness_of",
        lambda files, openers: read.append("read") or genuine(files, openers),  # type: ignore[func-returns-value]
    )
    for _ in range(3):
        assert known_contents(model.parents[1], cache).soundness == Soundness()
    assert read == ["read"]
    flips(model / DATA)[0]()
    assert named(known_contents(model.parents[1], cache).soundness) == {DATA}
    assert len(read) == 2


@given(data=st.binary(max_size=400))
def test_nothing_but_malformed_is_raised_for_bytes_that_are_none(data: bytes) -> None:
    for read in (read_index, read_fingerprint, wire.in_order, wire.must_be_saved_model):
        with contextlib.suppress(Malformed):
            read(data)


@given(cut=st.integers(0, 134), at=st.integers(0, 133), byte=st.integers(0, 255))
def test_nor_for_an_index_that_was_changed_anywhere(cut: int, at: int, byte: int) -> None:
    changed = bytearray((EXAMPLES["half"] / INDEX).read_bytes())
    changed[at] = byte
    whole = bytes(changed) == (EXAMPLES["half"] / INDEX).read_bytes()
    if whole and cut == len(changed):
        assert read_index(bytes(changed)).shards == 1
        return
    if whole:
        del changed[cut:]
    with pytest.raises(Malformed):
        read_index(bytes(changed))


def test_a_shard_is_named_as_tensorflow_names_it() -> None:
    assert shard_name(3, 12) == "variables.data-00003-of-00012"


@pytest.mark.parametrize(
    ("text", "value"),
    [(b"", 0x9AE16A3B2F90404F), (b"a", 0xB3454265B6DF75E3), (b"hello", 0xB48BE5A931380CE8)],
)
def test_farmhash_is_googles(text: bytes, value: int) -> None:
    assert hash_of(text) == value
