"""Resource types of CloudFormation: what carries out each, by the type's name.

``base`` says what a resource type is; ``api`` is one that calls its service, ``emulated`` one
that the emulator makes itself, ``custom_resource`` one that a template's own function makes,
``kept`` every other. Services bring theirs: their file ``resources``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from local_aws.schemas import is_custom

from .base import Provider
from .custom_resource import CustomResource
from .emulated import CARRIED_OUT, emulated
from .kept import REFUSED, Kept

__all__ = ["ResourceTypes"]


class ResourceTypes:
    """The types that can be deployed here: those that services bring, and the emulator's."""

    def __init__(self) -> None:
        self._own: dict[str, Provider] = {}
        self._whole: set[str] = set()

    def add(self, providers: Iterable[Provider], *, whole: bool = False) -> None:
        """Types of one service; ``whole``: none of the emulator's are deployed beside them."""
        for provider in providers:
            self._own[provider.type_name] = provider
            if whole:
                self._whole.add(_service(provider.type_name))

    @property
    def own(self) -> Mapping[str, Provider]:
        """What services bring, by the type's name."""
        return self._own

    def provider_of(self, type_name: str) -> Provider | None:
        """What carries out a type, or None when the local AWS cannot deploy it."""
        if is_custom(type_name):
            return CustomResource(type_name)
        if type_name in self._own:
            return self._own[type_name]
        found = None if _service(type_name) in self._whole else emulated(type_name)
        return found or (None if type_name in REFUSED else Kept(type_name))

    def carries_out(self, service: str) -> bool:
        """Whether any type of a service, ``S3``, is more than kept."""
        return any(_service(name) == service for name in (*self._own, *CARRIED_OUT))


def _service(type_name: str) -> str:
    """``S3`` of ``AWS::S3::Bucket``."""
    return [*type_name.split("::"), ""][1]
