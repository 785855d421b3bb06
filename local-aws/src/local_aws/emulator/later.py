"""What the emulator loads of EC2 and Batch, and few ask for, is loaded when somebody does.

Its Parameter Store and its Step Functions import both, EC2 for the instances of a maintenance
window, Batch for an enumeration: 80 MB, a quarter of a local AWS after its first deployment.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

import moto
from moto.core.base_backend import BackendDict

_LATER = {"ec2": "ec2_backends", "batch": "batch_backends"}
"""Packages of the emulator that do nothing but import this from their ``models``."""


def apply() -> None:
    """Put packages without their models in place; what is loaded already stays as it is."""
    for name, backends in _LATER.items():
        full_name = f"moto.{name}"
        spec = find_spec(full_name)
        if spec is None or full_name in sys.modules:
            continue
        package = module_from_spec(spec)
        setattr(package, backends, _Backends(f"{full_name}.models", backends))
        sys.modules[full_name] = package
        setattr(moto, name, package)


class _Backends:
    """The backends of a package by account, as they are once somebody wants one."""

    def __init__(self, module: str, name: str) -> None:
        self._place = (module, name)

    @property  # type: ignore[misc]  # nothing sets it
    def __class__(self) -> Any:
        """A `BackendDict`, for moto's server, which serves nothing else."""
        return BackendDict

    def _loaded(self) -> Any:
        module, name = self._place
        return getattr(import_module(module), name)

    def __getitem__(self, account: str) -> Any:
        return self._loaded()[account]

    def __contains__(self, account: object) -> bool:
        return account in self._loaded()

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded())

    def __len__(self) -> int:
        return len(self._loaded())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._loaded(), name)
