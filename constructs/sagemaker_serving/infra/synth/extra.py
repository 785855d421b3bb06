"""Properties by CloudFormation's own names, laid over what a construct renders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import aws_cdk as cdk

_IN_ORDER = ("Containers", "InstancePools")
"""Lists whose entries are laid over those that there are; any other is given whole."""


def add_extra(resource: cdk.CfnResource, extra: Mapping[str, Any], *, below: str = "") -> None:
    """Lays ``extra`` over the properties of ``resource``, mappings member by member.

    ``below`` is where in them, with dots: ``ProductionVariants.0``. Nothing is checked here; the
    rules ``extra-…`` do that for environment files.
    """
    for name, value in extra.items():
        path = f"{below}.{name}" if below else name
        if isinstance(value, Mapping):
            add_extra(resource, value, below=path)
        elif name in _IN_ORDER:
            for index, entry in enumerate(value):
                add_extra(resource, entry, below=f"{path}.{index}")
        else:
            resource.add_property_override(path, value)
