"""Places in S3, in every form of URL that AWS's own services take."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from local_aws.template.regions import URL_SUFFIXES


@dataclass(frozen=True)
class S3Location:
    """A bucket and a key, or a prefix of keys.

    ``region`` is the one that the URL names, None where it names none; two places are the same
    whatever their URLs say of it.
    """

    bucket: str
    key: str
    region: str | None = field(default=None, compare=False)

    @classmethod
    def parse(cls, url: str) -> S3Location:
        """Read ``s3://bucket/key``, or ``https://`` with the bucket in the path or the host.

        The host may be any of S3's: with a region or without, behind a dash, dual-stack, FIPS, in
        every partition (S3 user guide, "Virtual hosting of buckets", and AWS general reference,
        "Amazon S3 endpoints and quotas"). SageMaker takes both schemes
        (botocore's pattern ``(https|s3)://…``), and aws-sagemaker-alpha gives it an asset's
        ``https://s3.<region>.<suffix>/<bucket>/<key>``. That SageMaker takes the other hosts, and
        undoes percent-encoding in a path, is unverified. The key is empty where only a bucket is
        named. Raises ValueError for any other address.
        """
        found = cls.find(url)
        if found is None:
            raise ValueError(f"'{url}' is not an s3://bucket/key address")
        return found

    @classmethod
    def find(cls, url: str) -> S3Location | None:
        """As `parse`, but None for what is no address in S3."""
        if url.startswith("s3://"):
            bucket, _, key = url.removeprefix("s3://").partition("/")
            return cls(bucket, key) if bucket else None
        if not url.startswith("https://"):
            return None
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        host = _HOST.fullmatch(parts.netloc)
        if host is None:
            return None
        path = unquote(parts.path).removeprefix("/")
        region = "us-east-1" if host["region"] == "external-1" else host["region"]
        if host["bucket"] is not None:
            return cls(host["bucket"], path, region)
        bucket, _, key = path.partition("/")
        return cls(bucket, key, region) if bucket else None

    def __str__(self) -> str:
        """As ``s3://bucket/key``."""
        return f"s3://{self.bucket}/{self.key}"


_HOST = re.compile(
    r"(?:(?P<bucket>.+)\.)?s3(?:-fips)?(?:\.dualstack)?"
    r"(?:[.-](?P<region>external-1|[a-z]{2,4}(?:-[a-z]+)+-\d+))?"
    rf"\.(?:{'|'.join(map(re.escape, sorted(URL_SUFFIXES)))})"
)
