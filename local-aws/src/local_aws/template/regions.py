"""The pseudo parameters, and those that a region alone tells."""

from __future__ import annotations

PSEUDO_PARAMETERS = frozenset(
    f"AWS::{name}"
    for name in (
        *("AccountId", "NoValue", "NotificationARNs", "Partition", "Region", "StackId"),
        *("StackName", "URLSuffix"),
    )
)
"""Every name that a template has without declaring it."""


def region_names(region: str | None) -> dict[str, str]:
    """``AWS::Region``, ``AWS::Partition`` and ``AWS::URLSuffix``; nothing without a region."""
    if region is None:
        return {}
    partition, suffix = next(
        (found for start, found in _PARTITIONS.items() if region.startswith(start)),
        ("aws", "amazonaws.com"),
    )
    return {"AWS::Region": region, "AWS::Partition": partition, "AWS::URLSuffix": suffix}


_PARTITIONS = {
    "cn-": ("aws-cn", "amazonaws.com.cn"),
    "eu-isoe-": ("aws-iso-e", "cloud.adc-e.uk"),
    "eusc-": ("aws-eusc", "amazonaws.eu"),
    "us-gov-": ("aws-us-gov", "amazonaws.com"),
    "us-iso-": ("aws-iso", "c2s.ic.gov"),
    "us-isob-": ("aws-iso-b", "sc2s.sgov.gov"),
    "us-isof-": ("aws-iso-f", "csp.hci.ic.gov"),
}
"""Partition and DNS suffix by how a region's name begins: botocore's partitions"""

URL_SUFFIXES = frozenset({"amazonaws.com", *(suffix for _, suffix in _PARTITIONS.values())})
"""Every partition's DNS suffix."""
