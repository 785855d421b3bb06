"""Addresses in S3, ``s3://bucket/key``."""

from __future__ import annotations

_SCHEME = "s3://"


def is_s3(text: str) -> bool:
    """Whether ``text`` is an address in S3; otherwise it is a path on this machine."""
    return text.startswith(_SCHEME)


def split_s3(uri: str) -> tuple[str, str]:
    """Bucket and key of ``s3://bucket/key``; the key is empty where only a bucket is named."""
    bucket, _, key = uri.removeprefix(_SCHEME).partition("/")
    return bucket, key
