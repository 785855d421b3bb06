from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest

from sagemaker_serving.archive import (
    ArchiveContents,
    FrozenGraph,
    Limits,
    ModelVersion,
    Refusal,
    Tensor,
    UnreadableArtifact,
    read_contents,
    read_stream,
)
from tests.models import add, archive, frozen_graph, one_member, saved_model


def write(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 10)
    return folder


def packed(folder: Path, target: Path) -> Path:
    with tarfile.open(target, "w:gz") as tar:
        tar.add(folder, arcname=".")
    return target


def read(raw: bytes, limits: Limits | None = None) -> ArchiveContents:
    return read_stream(io.BytesIO(raw), "model.tar.gz", limits)


def test_an_archive_reads_as_its_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "model", "code/lib/x.py", "digits/1/variables/x", "frozen.pb")
    (folder / "digits" / "1" / "saved_model.pb").write_bytes(saved_model())
    (folder / "graph.pb").write_bytes(frozen_graph())
    (folder / "code" / "inference.py").write_text("def handler(data, context): ...")
    (folder / "code" / "requirements.txt").write_text("a==1\n# no\n\nb  # yes\n")
    contents = read_contents(folder)
    assert read_contents(packed(folder, tmp_path / "m.tar.gz")) == contents
    assert contents.requirements == ("a==1", "b")
    assert contents.script is not None
    assert contents.script.functions["handler"].takes(2)
    assert contents.saved_models["digits/1/saved_model.pb"] is not None
    assert contents.graphs == {
        "graph.pb": FrozenGraph(
            inputs={"x": Tensor(dtype="unknown", shape=None)}, outputs={"y": "Relu"}
        ),
        "frozen.pb": None,
    }


def test_models_are_found_where_tensorflow_serving_looks(tmp_path: Path) -> None:
    folder = write(
        tmp_path, "a/1/saved_model.pb", "a/00000012/saved_model.pb", "deep/er/3/saved_model.pb"
    )
    assert read_contents(folder).models == (
        ModelVersion("a", 1),
        ModelVersion("a", 12),
        ModelVersion("er", 3),
    )


def test_a_version_at_the_top_serves_as_model(tmp_path: Path) -> None:
    assert read_contents(write(tmp_path, "1/saved_model.pb")).models == (ModelVersion("model", 1),)


@pytest.mark.parametrize("name", ["v1", "1a", "-1", "\u0661"])
def test_only_ascii_digits_are_a_version(tmp_path: Path, name: str) -> None:
    contents = read_contents(write(tmp_path, f"m/{name}/saved_model.pb"))
    assert contents.models == ()
    assert contents.misplaced_models == (f"m/{name}",)


def test_leavings_of_tools_are_no_part_of_a_model(tmp_path: Path) -> None:
    folder = write(tmp_path, "code/__pycache__/x.pyc", "code/y.pyc", ".DS_Store", "code/a.py")
    assert set(read_contents(folder).files) == {"code/a.py"}


@pytest.mark.parametrize(
    ("files", "frameworks"),
    [
        ({"m/1/saved_model.pb": b""}, ("tensorflow",)),
        ({"model.pth": b"", "code/helper.pb": b""}, ("pytorch",)),
        ({"m-symbol.json": b"", "m-0000.params": b""}, ("mxnet",)),
        ({"m.onnx": b""}, ("onnx",)),
        ({"xgboost-model": b""}, ("xgboost",)),
        ({"m.h5": b"", "n.onnx": b""}, ("onnx", "keras")),
        ({"compiled.params": b"", "compiled_model.json": b""}, ("neo",)),
        ({"readme.md": b""}, ()),
    ],
    ids=lambda value: str(value)[:40],
)
def test_the_framework_is_told_by_the_files(
    files: dict[str, bytes], frameworks: tuple[str, ...]
) -> None:
    assert read(archive(files)).frameworks == frameworks


@pytest.mark.parametrize("damage", ["truncated", "flipped", "crc", "appended"])
def test_a_damaged_archive_is_named(damage: str) -> None:
    raw = archive({f"{n}/saved_model.pb": saved_model() for n in range(30)})
    wrong = {
        "truncated": raw[: len(raw) // 2],
        "flipped": raw[:40] + b"\xff" * 40 + raw[80:],
        "crc": raw[:-8] + b"\0" * 4 + raw[-4:],
        "appended": raw + b"more",
    }[damage]
    with pytest.raises(UnreadableArtifact, match="is not a complete gzipped tar") as refused:
        read(wrong)
    assert refused.value.refusal is Refusal.DAMAGED


def test_a_damaged_header_is_not_taken_for_the_end() -> None:
    """Python's tarfile stops there without a word and loses the rest."""
    plain = bytearray(gzip.decompress(archive({"a": b"", "b": b"", "c": b""})))
    plain[512] ^= 1
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        assert tar.getnames() == ["a"]
    with pytest.raises(UnreadableArtifact, match="a header in it is wrong"):
        read(gzip.compress(bytes(plain)))


@pytest.mark.parametrize("tar_format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_long_names_and_large_sizes_arrive_in_every_format(tar_format: int) -> None:
    plain = io.BytesIO()
    names = ["é" * 60, "folder/" * 20 + "x", "y" * 200]
    with tarfile.open(fileobj=plain, mode="w", format=tar_format) as tar:
        for name in names:
            add(tar, name, b"content")
    assert list(read(gzip.compress(plain.getvalue())).files) == names


@pytest.mark.parametrize(
    ("limits", "said", "raised"),
    [
        (Limits(max_members=3), "more than 3 members", Limits(max_members=4)),
        (
            Limits(max_unpacked_bytes=100_000),
            "unpacks to more than 100000 bytes; if it is meant to be so, set "
            "SAGEMAKER_SERVING_MAX_UNPACKED_BYTES",
            Limits(max_unpacked_bytes=200_000),
        ),
        (
            Limits(max_ratio=50, ratio_judged_from_bytes=0),
            "unpacks to more than 50 times its size",
            Limits(max_ratio=1000, ratio_judged_from_bytes=0),
        ),
    ],
    ids=["members", "bytes", "ratio"],
)
def test_limits_hold_and_can_be_raised(limits: Limits, said: str, raised: Limits) -> None:
    raw = archive({"a": bytes(100_000), "b": b"", "c": b"", "d": b""})
    with pytest.raises(UnreadableArtifact, match=said) as refused:
        read(raw, limits)
    assert refused.value.refusal is Refusal.BOMB
    assert len(read(raw, raised).files) == 4


def test_the_shell_raises_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (1, 7):
        monkeypatch.setenv("SAGEMAKER_SERVING_MAX_MEMBERS", str(number))
        assert Limits.of_this_shell() == Limits(max_members=number)
    monkeypatch.setenv("SAGEMAKER_SERVING_MAX_MEMBERS", "many")
    with pytest.raises(Exception, match="is 'many'; it must be a whole number of at least 1"):
        Limits.of_this_shell()


@pytest.mark.parametrize("record", ["path", "linkpath", "size", "comment"])
def test_a_header_for_all_members_may_be_a_comment_and_no_name(record: str) -> None:
    """Git writes a comment; with a name, readers that take it would lose all members but one."""
    raw = io.BytesIO()
    with tarfile.open(
        fileobj=raw, mode="w:gz", format=tarfile.PAX_FORMAT, pax_headers={record: "1"}
    ) as whole:
        whole.addfile(tarfile.TarInfo("m/1/saved_model.pb"))
    if record == "comment":
        assert [*read(raw.getvalue()).files] == ["m/1/saved_model.pb"]
        return
    with pytest.raises(UnreadableArtifact, match="gives all its members one name or size"):
        read(raw.getvalue())


@pytest.mark.parametrize(("length", "is_right"), [(255, True), (256, False)])
def test_no_name_is_longer_than_disks_take(length: int, is_right: bool) -> None:
    raw = archive({f"m/1/{'a' * length}": b"", "m/1/saved_model.pb": b"x"})
    if is_right:
        assert len(read(raw).files) == 2
        return
    with pytest.raises(UnreadableArtifact, match="cannot be written to every disk"):
        read(raw)


def test_names_that_steer_a_terminal_are_shown_escaped() -> None:
    with pytest.raises(UnreadableArtifact) as refused:
        read(one_member("/\x1b[2J"))
    assert "\x1b" not in str(refused.value)
    assert "\\x1b[2J" in str(refused.value)


def test_what_the_stream_raises_is_not_called_damage() -> None:
    class BrokenDisk(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            part = super().read(size)
            if not part:
                raise OSError(5, "input/output error")
            return part

    with pytest.raises(OSError, match="input/output error"):
        read_stream(BrokenDisk(archive({"a": b"b" * 5000})[:100]), "x")
