"""What EC2's calls are about: the things whose ids they name.

Source: "Actions, resources, and condition keys for Amazon EC2", service authorization reference,
as cfn-lint ships it, has the kinds of resources that an action knows; ids begin as EC2's API
reference shows them. What an action needs of things that a call does not name (a
VPC's of a new network interface) is not asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from local_aws.permissions.reference import reference
from local_aws.protocol.call import Call

_KINDS = {
    "acl": "network-acl",
    "cgw": "customer-gateway",
    "dopt": "dhcp-options",
    "eigw": "egress-only-internet-gateway",
    "eipalloc": "elastic-ip",
    "eni": "network-interface",
    "fl": "vpc-flow-log",
    "i": "instance",
    "igw": "internet-gateway",
    "lt": "launch-template",
    "nat": "natgateway",
    "pcx": "vpc-peering-connection",
    "pl": "prefix-list",
    "rtb": "route-table",
    "sg": "security-group",
    "sgr": "security-group-rule",
    "subnet": "subnet",
    "vgw": "vpn-gateway",
    "vol": "volume",
    "vpc": "vpc",
    "vpce": "vpc-endpoint",
    "vpn": "vpn-connection",
}
"""Kinds of resources by how their ids begin."""

_ID = re.compile(r"([a-z]+)-[0-9a-f]{8,17}")


def named_by(call: Call) -> Iterator[str]:
    """How the ARNs end of what a call names."""
    actions = reference("ec2").get("Actions", {})
    kinds = actions.get(call.operation.lower(), {}).get("Resources", ())
    for text in dict.fromkeys(_texts(call.parameters)):
        found = _ID.fullmatch(text)
        if found is not None and _KINDS.get(found[1]) in kinds:
            yield f"{_KINDS[found[1]]}/{text}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    items = value.values() if isinstance(value, dict) else value
    for item in items if isinstance(value, dict | list) else ():
        yield from _texts(item)
