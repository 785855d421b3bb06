"""A function's code: its zip, kept and unpacked under the hash of its content."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
import shutil
import threading
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from botocore.exceptions import ClientError

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.limits import UNPACKED_BYTES, ZIP_BYTES, invalid

PATH = "/_local/lambda-code/"
"""Below it the gateway answers with zips, each at a path that only GetFunction tells."""


@dataclass(frozen=True, kw_only=True)
class Code:
    """One zip: ``sha256`` in base64 and ``size`` in bytes, as Lambda answers them."""

    sha256: str
    size: int


class CodeStore:
    """Zips in ``folder/code``, unpacked into ``folder/tasks``; the same content is kept once."""

    def __init__(self, folder: Path) -> None:
        self._zips = folder / "code"
        self._tasks = folder / "tasks"
        self._lock = threading.Lock()

    def add(self, source: Mapping[str, Any], s3: Any) -> Code:
        """Keep the zip that ``source`` (CreateFunction's Code) holds or names in S3.

        Raises `AwsError` (InvalidParameterValueException) for what is no zip, is too large, or
        is not there.
        """
        content = content_of(source, s3)
        digest = hashlib.sha256(content).digest()
        _check(content)
        self._zips.mkdir(parents=True, exist_ok=True)
        kept = self._zips / f"{digest.hex()}.zip"
        partial = kept.with_suffix(f".{uuid4()}")
        partial.write_bytes(content)
        partial.rename(kept)
        return Code(sha256=base64.b64encode(digest).decode(), size=len(content))

    def read(self, hexadecimal: str) -> bytes | None:
        """The zip of that hash (`hex_of`), or None."""
        if not re.fullmatch("[0-9a-f]{64}", hexadecimal):
            return None
        kept = self._zips / f"{hexadecimal}.zip"
        return kept.read_bytes() if kept.exists() else None

    def location(self, context: LocalContext, sha256: str) -> str:
        """Where the zip can be read, by whoever is told."""
        digest = hex_of(sha256)
        return f"{context.url}{PATH}{context.credentials.seal(digest)}/{digest}"

    def zips(self, *sha256s: str) -> list[Path]:
        """Where the zips lie."""
        return [self._zips / f"{hex_of(each)}.zip" for each in sha256s]

    def unpacked_bytes(self, sha256: str) -> int:
        """What the zip's files take."""
        with zipfile.ZipFile(self.zips(sha256)[0]) as archive:
            return sum(member.file_size for member in archive.infolist())

    def unpacked(self, *sha256s: str) -> Path:
        """The folder of the zips' files, a later one's over an earlier one's, made when it is
        first asked for."""
        names = [hex_of(each) for each in sha256s]
        folder = self._tasks / "+".join(names)
        if len(names) > 1:
            folder = self._tasks / hashlib.sha256(folder.name.encode()).hexdigest()
        with self._lock:
            if not folder.exists():
                partial = self._tasks / f".{uuid4()}"
                try:
                    for name in names:
                        with zipfile.ZipFile(self._zips / f"{name}.zip") as archive:
                            _unpack(archive, partial)
                    partial.rename(folder)
                finally:
                    shutil.rmtree(partial, ignore_errors=True)
        return folder

    def keep_only(self, hexadecimals: Collection[str]) -> None:
        """Delete every zip, and what was unpacked of one or several, whose hash is not among
        these."""
        for path in (*self._zips.glob("*"), *self._tasks.glob("*")):
            if path.stem not in hexadecimals:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def content_of(source: Mapping[str, Any], s3: Any) -> bytes:
    """The zip that ``source`` (CreateFunction's Code) holds or names in S3; raises `AwsError`."""
    if source.get("ZipFile") is not None:
        try:
            content = base64.b64decode(source["ZipFile"], validate=True)
        except binascii.Error:
            raise invalid(
                "Could not unzip uploaded file. Please check your file, then try to upload again."
            ) from None
        if len(content) > ZIP_BYTES:
            raise AwsError(
                "RequestEntityTooLargeException",
                f"Zipped size must be smaller than {ZIP_BYTES} bytes",
                status=413,
            )
        return content
    if not source.get("S3Bucket") or not source.get("S3Key"):
        raise invalid("Please provide a source for function code.")
    version = source.get("S3ObjectVersion")
    try:
        answer = s3.get_object(
            Bucket=source["S3Bucket"],
            Key=source["S3Key"],
            **({} if version is None else {"VersionId": version}),
        )
    except ClientError as error:
        said = error.response["Error"]
        raise invalid(
            "Error occurred while GetObject. "
            f"S3 Error Code: {said.get('Code')}. S3 Error Message: {said.get('Message')}"
        ) from None
    content = answer["Body"].read()
    return bytes(content)


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Unpack all, with who may read and run it, where the zip says so."""
    for member in archive.infolist():
        path = Path(archive.extract(member, folder))
        mode = member.external_attr >> 16 & 0o777
        if mode:
            path.chmod(mode | (0o700 if path.is_dir() else 0o600))


def _check(content: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile:
        raise invalid(
            "Could not unzip uploaded file. Please check your file, then try to upload again."
        ) from None
    if not members:
        raise invalid("Uploaded file must be a non-empty zip")
    if sum(member.file_size for member in members) > UNPACKED_BYTES:
        raise invalid(f"Unzipped size must be smaller than {UNPACKED_BYTES} bytes")


def hex_of(sha256: str) -> str:
    """A zip's hash as files are named by it."""
    return base64.b64decode(sha256).hex()
