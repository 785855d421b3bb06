"""What must be allowed for a call to be made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Need:
    """One action on one resource, and what the call says that conditions may ask for.

    ``quoted``: S3's messages set the resource in quotation marks.
    """

    action: str
    resource: str
    context: Mapping[str, str] = field(default_factory=dict)
    quoted: bool = True
