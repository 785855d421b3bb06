"""Forms of ids, ARNs and networks that schemas name by ``format``: cfn-lint adds them.

CloudFormation passes such texts on, and the service refuses what has another form. Sources: EC2
user guide, resource ids; IAM user guide, ARNs; KMS developer guide, key identifiers; S3 user guide,
bucket naming rules; cfn-lint 1.58.0, ``rules/formats``.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from contextlib import suppress

_HEX = "([0-9a-fA-F]{8}|[0-9a-fA-F]{17})"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def _arn(service: str, resource: str) -> str:
    return rf"arn:aws[a-zA-Z-]*:{service}:[a-z0-9-]*:[0-9]{{12}}:{resource}"


_FORMS: Mapping[str, tuple[str, str]] = {
    "AWS::ACM::Certificate.Arn": (_arn("acm", "certificate/.+"), "the ARN of a certificate of ACM"),
    "AWS::EC2::Image.Id": (
        "ami-([0-9a-z]{8}|[0-9a-z]{17})",
        "the id of an image: ami- and 8 or 17 digits",
    ),
    "AWS::EC2::SecurityGroup.Id": (
        f"sg-{_HEX}",
        "the id of a security group: sg- and 8 or 17 hex digits",
    ),
    "AWS::EC2::Subnet.Id": (f"subnet-{_HEX}", "the id of a subnet: subnet- and 8 or 17 hex digits"),
    "AWS::EC2::VPC.Id": (f"vpc-{_HEX}", "the id of a VPC: vpc- and 8 or 17 hex digits"),
    "AWS::IAM::Role.Arn": (_arn("iam", "role/.+"), "the ARN of a role"),
    "AWS::KMS::Alias.AliasName": ("alias/[a-zA-Z0-9:/_-]+", "an alias of a key: alias/NAME"),
    "AWS::KMS::Key.Arn": (_arn("kms", "(key|alias)/.+"), "the ARN of a key or of its alias"),
    "AWS::KMS::Key.Id": (
        f"{_UUID}|mrk-[0-9a-f]{{32}}|alias/[a-zA-Z0-9/_-]+",
        "the id of a key, or its alias: alias/NAME",
    ),
    "AWS::Lambda::Function.Arn": (_arn("lambda", "function:.+"), "the ARN of a function"),
    "AWS::S3::Bucket.Name": (
        r"(?!.*(\.\.|-\.|\.-))[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
        "the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens",
    ),
    "AWS::SNS::Topic.Arn": (_arn("sns", ".+"), "the ARN of a topic"),
    "AWS::SQS::Queue.Arn": (_arn("sqs", ".+"), "the ARN of a queue"),
}
_NETWORKS = {
    "ipv4-network": (ipaddress.IPv4Network, "an IPv4 network such as 10.0.0.0/16"),
    "ipv6-network": (ipaddress.IPv6Network, "an IPv6 network such as 2001:db8::/56"),
}


def has_format(name: str, text: str) -> bool:
    """Whether a text has a format; of one that is not known here, each has it."""
    if name in _NETWORKS:
        with suppress(ValueError):
            # AWS clears the bits of the host itself.
            return "/" in text and bool(_NETWORKS[name][0](text, strict=False))
        return False
    return name not in _FORMS or re.fullmatch(_FORMS[name][0], text) is not None


def format_in_words(name: str) -> str:
    """What a text of a format is: ``the ARN of a role``."""
    return (_FORMS.get(name) or _NETWORKS.get(name) or ("", name))[1]
