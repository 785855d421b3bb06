"""Faults that are made on purpose: what AWS does on a bad day, when and where it was asked for."""

from __future__ import annotations

from .fault import KINDS, Fault, Kind, read_fault, read_faults
from .registry import Faults

__all__ = ["KINDS", "Fault", "Faults", "Kind", "read_fault", "read_faults"]
