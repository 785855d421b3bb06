"""Amazon Resource Names: written in the partition that a region belongs to, and taken apart."""

from __future__ import annotations

from typing import NamedTuple

from local_aws.template.regions import region_names

_WITHOUT_REGION = frozenset({"iam", "s3", "sts"})
"""Services whose ARNs name no region (service authorization reference)."""


class Arn(NamedTuple):
    """The parts of an ARN, any of which may be ""; as text, the ARN."""

    partition: str
    service: str
    region: str
    account: str
    resource: str

    @classmethod
    def parse(cls, text: str) -> Arn:
        """Take an ARN apart; parts that it lacks are "", as all are of ``*``."""
        _, *parts = text.split(":", 5)
        return cls(*parts, *[""] * (5 - len(parts)))

    def __str__(self) -> str:
        return ":".join(("arn", *self))


def arn_in(region: str, service: str, account: str, resource: str) -> str:
    """``arn_in("cn-north-1", "sns", "123456789012", "t")``: ``arn:aws-cn:sns:cn-north-1:…:t``.

    The region tells the partition of IAM's, STS's and S3's ARNs too, which do not name it; those
    of S3 name no account either: give "".
    """
    partition = region_names(region)["AWS::Partition"]
    place = "" if service in _WITHOUT_REGION else region
    return str(Arn(partition, service, place, account, resource))
