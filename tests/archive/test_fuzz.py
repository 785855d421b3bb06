"""Damaged and hostile archives: only typed errors, no hang, nothing written outside.

A few hundred cases here; ``make fuzz`` runs 20,000 (ARCHIVE_FUZZ_CASES).
"""

from __future__ import annotations

import io
import os
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from isal import igzip

from sagemaker_serving.archive import Limits, UnreadableArtifact, read_stream, unpack
from tests.models import add, archive, frozen_graph, saved_model, variables

CASES = int(os.environ.get("ARCHIVE_FUZZ_CASES", "400"))
SLICES = 8
LIMITS = Limits(max_members=500, max_unpacked_bytes=4 << 20, ratio_judged_from_bytes=1 << 20)
NAMES = [
    "..", "../up", "a/../../up", "/etc/cron.d/x", "//x", "", ".", "./", "a//b", "a/./b", "\x00",
    "a\nb", "\x1b[2J", "x" * 300, "d/" * 100 + "f", "code", "code/inference.py", "caf\udce9",
    "digits/1/saved_model.pb", "digits", "CON", "a\\..\\..\\up", "~/x", "\u202egnp.exe",
]  # fmt: skip
KINDS = [b"0", b"\0", b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"S", b"x", b"g", b"L", b"K", b"Z"]
GOOD = {
    "digits/1/saved_model.pb": saved_model(ops=("VarHandleOp",)),
    **variables("digits/1"),
    "frozen.pb": frozen_graph(),
    "text.pbtxt": b'node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: 1 } } }',
    "code/inference.py": b"def handler(data, context):\n    return data\n",
    "code/requirements.txt": b"pandas\n",
    "x" * 150 + "/long": b"a name that needs an extended header",
}


def plain_tar(files: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytearray:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as tar:
        for name, content in files.items():
            add(tar, name, content)
    return bytearray(packed.getvalue())


def flipped(dice: random.Random) -> bytes:
    raw = bytearray(archive(GOOD))
    for _ in range(dice.randint(1, 6)):
        raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    return bytes(raw)


def cut(dice: random.Random) -> bytes:
    raw = archive(GOOD)
    return raw[: dice.randrange(len(raw))] + dice.choice([b"", b"", b"\0" * 9, dice.randbytes(9)])


def header_edited(dice: random.Random) -> bytes:
    """Any byte of any header changed, its checksum made right again."""
    form = dice.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
    files = {k: v for k, v in GOOD.items() if form != tarfile.USTAR_FORMAT or len(k) < 100}
    raw = plain_tar(files, form)
    for _ in range(dice.randint(1, 4)):
        start = 512 * dice.randrange(len(raw) // 512)
        at = dice.choice([0, 100, 124, 125, 135, 156, 157, 257, 345, dice.randrange(500)])
        raw[start + at] = dice.choice([0, 0x20, 0x2F, 0x30, 0x37, 0x80, 0xFF, dice.randrange(256)])
        if dice.random() < 0.3:
            raw[start + 156 : start + 157] = dice.choice(KINDS)
        mended(raw, start)
    return compressed(bytes(raw))


def hostile(dice: random.Random) -> bytes:
    """Members of any kind with names and links that nobody should write."""
    packed = io.BytesIO()
    form = dice.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
    with tarfile.open(fileobj=packed, mode="w", format=form, errors="surrogateescape") as tar:
        for _ in range(dice.randint(1, 6)):
            content = dice.randbytes(dice.choice([0, 1, 700]))
            add(tar, dice.choice(NAMES), content, dice.choice(KINDS), dice.choice(NAMES))
    raw = bytearray(packed.getvalue())
    return compressed(bytes(raw[: dice.choice([len(raw), dice.randrange(len(raw))])]))


def content_damaged(dice: random.Random) -> bytes:
    """A right archive of files that are not what their names say."""
    files = dict(GOOD)
    for name in dice.sample(sorted(files), 3):
        content = bytearray(files[name] or b"x")
        for _ in range(dice.randint(1, 8)):
            content[dice.randrange(len(content))] = dice.randrange(256)
        files[name] = bytes(content[: dice.randint(0, len(content))])
    return archive(files)


def extended(dice: random.Random) -> bytes:
    """Extended headers with sizes, names and keys of any kind, one after the other."""
    raw = bytearray()
    for _ in range(dice.randint(1, 40)):
        record = dice.choice(
            [b"path=", b"size=", b"linkpath=", b"GNU.sparse.major=", b"hdrcharset=", b"="]
        ) + dice.choice([b"-1", b"9" * 30, b"../x", b"\xff\xfe", b"10", dice.randbytes(8)])
        line = b"%d %s\n" % (len(record) + dice.choice([3, 4, 5, 0, 99, -1]), record)
        header = tarfile.TarInfo("x")
        header.type = dice.choice([b"x", b"g", b"L", b"K"])
        header.size = dice.choice([len(line), len(line), 0, 1 << 30])
        raw += header.tobuf(tarfile.GNU_FORMAT) + line.ljust(512, b"\0")
    return compressed(bytes(raw + plain_tar({"a": b"b"})))


def compressed(plain: bytes) -> bytes:
    return cast(bytes, igzip.compress(plain, 1))


def mended(raw: bytearray, start: int) -> None:
    raw[start + 148 : start + 156] = b" " * 8
    total = sum(raw[start : start + 512])
    raw[start + 148 : start + 156] = b"%06o\0 " % (total & 0o777777)


MUTATIONS: list[Callable[[random.Random], bytes]] = [
    flipped, cut, header_edited, hostile, content_damaged, extended,
]  # fmt: skip


@pytest.mark.parametrize("part", range(SLICES))
def test_any_archive_is_read_or_refused_by_name(tmp_path: Path, part: int) -> None:
    sentinel = tmp_path / "outside"
    sentinel.write_bytes(b"untouched")
    taken = 0
    for number in range(part, CASES, SLICES):
        dice = random.Random(number)
        raw = dice.choice(MUTATIONS)(dice)
        folder = tmp_path / "in" / "side" / str(number)
        try:
            contents = read_stream(io.BytesIO(raw), "model.tar.gz", LIMITS)
            readable, said = not contents.links, ""
        except UnreadableArtifact as error:
            readable, said = False, str(error)
        assert said.isprintable(), number
        try:
            unpack(io.BytesIO(raw), folder, "model.tar.gz", LIMITS)
            assert readable, number
            taken += 1
            found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
            assert found == contents.files.keys(), number
        except UnreadableArtifact:
            assert not readable, number
    assert {path.name for path in tmp_path.iterdir()} <= {"in", "outside"}
    assert {path.name for path in (tmp_path / "in").iterdir()} == {"side"}
    assert sentinel.read_bytes() == b"untouched"
    assert taken > 0, "no case was readable, so nothing was shown of what is"
