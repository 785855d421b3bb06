"""Where in a VPC the models stand: in subnets that exist, or in a VPC of the environment's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Tag

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec


class ExistingNetwork(Spec):
    """Subnets and security groups of a VPC, for every model of the environment."""

    subnet_ids: Annotated[list[str], Aws("Subnets")]
    """1 to 16 subnets; S3 must be reachable from them, by a gateway endpoint for example."""

    security_group_ids: list[str]
    """1 to 5 security groups."""


class PrivateNetwork(Spec):
    """A VPC that is made for the environment: isolated subnets in two zones, without internet
    access. It has VPC endpoints for S3, logs and metrics. Interface endpoints cost money by the
    hour."""

    cidr: str
    """Its addresses, such as ``10.0.0.0/16``; a block of /16 to /19."""


def _kind(value: Any) -> str:
    given = dict(value) if isinstance(value, Mapping | Spec) else {}
    return "private" if "cidr" in given else "existing"


Network = Annotated[
    Annotated[ExistingNetwork, Tag("existing")] | Annotated[PrivateNetwork, Tag("private")],
    Discriminator(_kind),
]
"""The VPC to make, where ``cidr`` says its addresses; else the one that exists."""
