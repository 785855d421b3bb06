"""Which region is meant where none is named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from local_aws.process.address import Address

LAST_REGION = "eu-west-1"
"""Where nothing is deployed, and the shell names no region."""


def shell_region() -> str | None:
    """The region that the shell names, for commands that ask no AWS: no profile is read."""
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        if os.environ.get(name):
            return os.environ[name]
    return None


def local_region(address: Address, name: str | None = None) -> str:
    """The region that is meant of the local AWS at ``address`` where none is named.

    That in which ``name`` is found, else the only one with anything in it. Where several are
    possible the shell says which. Raises `Mistake` for a ``name`` in several, of which it names
    none.
    """
    things = [
        (thing["name"], thing["region"])
        for kind in address.status().values()
        if isinstance(kind, list)
        for thing in kind
        if isinstance(thing, dict) and {"name", "region"} <= thing.keys()
    ]
    return one_region({region for each, region in things if each == name}, name) or (
        one_region({region for _, region in things}) or shell_region() or LAST_REGION
    )


def one_region(found: set[str], name: str | None = None) -> str | None:
    """The one of them; of several the shell's. Raises `Mistake` when only ``--region`` can tell."""
    from local_aws.errors import Mistake

    if len(found) > 1 and shell_region() in found:
        return shell_region()
    if len(found) > 1 and name is not None:
        raise Mistake(f"{name} is in {' and in '.join(sorted(found))}; say which by --region")
    return found.pop() if len(found) == 1 else None
