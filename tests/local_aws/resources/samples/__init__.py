"""A sample of every property of every type that the local AWS deploys, and what reads it back.

``$Name`` and ``$Name.Attribute`` stand for what `ground` gives; ``{Ref}`` and ``{Attribute}`` in a
read for the resource's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from .sample import Sample

_EACH = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]

SAMPLES: dict[str, tuple[Sample, ...]] = {}
"""By type: those of each module, one after the other."""

for _module in _EACH:
    for _type_name, _samples in getattr(_module, "SAMPLES", {}).items():
        SAMPLES[_type_name] = (*SAMPLES.get(_type_name, ()), *_samples)

GROUND: Mapping[str, Mapping[str, Any]] = {
    name: resource for each in _EACH for name, resource in getattr(each, "GROUND", {}).items()
}
"""What samples refer to, by name: a template's resources."""
