"""Resource types of CloudFormation: what carries out each, by the type's name.

``base`` says what a resource type is; ``api`` is one that calls its service, ``custom_resource``
one that a template's own function makes, ``kept`` every other. Services bring theirs: their file
``resources``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from local_aws.schemas import is_custom

from .base import Provider
from .custom_resource import CustomResource
from .kept import REFUSED, Kept

__all__ = ["ResourceTypes"]


class ResourceTypes:
    """The types that can be deployed here: those that services bring."""

    def __init__(self) -> None:
        self._own: dict[str, Provider] = {}

    def add(self, providers: Iterable[Provider]) -> None:
        """Types of one service."""
        self._own |= {provider.type_name: provider for provider in providers}

    @property
    def own(self) -> Mapping[str, Provider]:
        """What services bring, by the type's name."""
        return self._own

    def provider_of(self, type_name: str, kept: Iterable[str] = ()) -> Provider | None:
        """What carries out a type, or None when the local AWS cannot deploy it.

        ``kept`` is what is only kept of a resource of that type, as `Resource.kept` has it.
        """
        if is_custom(type_name):
            return CustomResource(type_name)
        if type_name in self._own and Provider.whole not in kept:
            return self._own[type_name]
        return None if type_name in REFUSED else Kept(type_name)

    def carries_out(self, service: str) -> bool:
        """Whether any type of a service, ``S3``, is more than kept."""
        return any(_service(name) == service for name in self._own)


def _service(type_name: str) -> str:
    """``S3`` of ``AWS::S3::Bucket``."""
    return [*type_name.split("::"), ""][1]
