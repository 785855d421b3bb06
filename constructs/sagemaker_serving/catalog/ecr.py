"""Images in ECR: their URIs, in parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sagemaker_serving.catalog.snapshot import snapshot


@dataclass(frozen=True, kw_only=True)
class EcrImage:
    """One image in ECR, in parts: whose registry, which repository, which tag."""

    account: str
    region: str
    repository: str
    tag: str

    @property
    def uri(self) -> str:
        """``<account>.dkr.ecr.<region>.<domain>/<repository>:<tag>``, or with ``@<digest>``."""
        registry = f"{self.account}.dkr.ecr.{self.region}.{domain_suffix(self.region)}"
        separator = "@" if self.tag.startswith("sha256:") else ":" if self.tag else ""
        return f"{registry}/{self.repository}{separator}{self.tag}"

    def pinned(self, digest: str | None) -> EcrImage:
        """The same by its digest instead of its tag; itself without one."""
        return self if digest is None else replace(self, tag=digest)


def parse_ecr_uri(uri: str) -> EcrImage | None:
    """The parts of an image's URI in ECR, or None when it is not one.

    The tag is "" when the URI has none, and the digest with its ``sha256:``
    when it has that.
    """
    parts = _ECR_URI.fullmatch(uri)
    if parts is None:
        return None
    return EcrImage(
        account=parts["account"],
        region=parts["region"],
        repository=parts["repository"],
        tag=(parts["tag"] or "")[1:],
    )


def domain_suffix(region: str) -> str:
    """The DNS suffix of AWS in ``region``'s partition: ``amazonaws.com`` or its own.

    Source: botocore's partitions.
    """
    for pattern, suffix in snapshot("images")["domains"].items():
        if re.match(pattern, region):
            return str(suffix)
    return "amazonaws.com"


_ECR_URI = re.compile(
    r"(?P<account>[0-9]{12})\.dkr\.ecr(-fips)?\.(?P<region>[a-z0-9-]+)\.[a-z0-9.-]+/"
    r"(?P<repository>[a-z0-9._/-]+?)(?P<tag>:[a-zA-Z0-9_.-]{1,128}|@sha256:[0-9a-f]{64})?"
)
