from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from sagemaker_serving.archive import UnreadableArtifact, unpack
from tests.models import archive, one_member


def test_what_was_packed_arrives(tmp_path: Path) -> None:
    files = {"m/1/saved_model.pb": bytes(range(256)) * 9000, "code/inference.py": b"", "é": b"x"}
    unpack(io.BytesIO(archive(files)), tmp_path / "m", "model.tar.gz")
    found = [path for path in (tmp_path / "m").rglob("*") if path.is_file()]
    assert {p.relative_to(tmp_path / "m").as_posix(): p.read_bytes() for p in found} == files


@pytest.mark.parametrize(
    ("name", "kind", "link"),
    [
        ("../outside", tarfile.REGTYPE, ""),
        ("/absolute", tarfile.REGTYPE, ""),
        ("link", tarfile.SYMTYPE, "../outside"),
        ("link", tarfile.SYMTYPE, "digits"),
        ("link", tarfile.LNKTYPE, "digits/1/saved_model.pb"),
        ("device", tarfile.CHRTYPE, ""),
        ("digits", tarfile.REGTYPE, ""),
        ("digits/1/saved_model.pb/below", tarfile.REGTYPE, ""),
    ],
)
def test_nothing_is_written_outside_and_no_link_is_made(
    tmp_path: Path, name: str, kind: bytes, link: str
) -> None:
    folder = tmp_path / "in"
    with pytest.raises(UnreadableArtifact):
        unpack(io.BytesIO(one_member(name, kind, link)), folder, "model.tar.gz")
    assert list(tmp_path.iterdir()) == [folder]
    assert [p.name for p in folder.rglob("*") if not p.is_dir()] == ["saved_model.pb"]
