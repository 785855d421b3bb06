"""Faults that are made on purpose: what AWS does on a bad day, when and where it was asked for."""

from __future__ import annotations

from local_aws.faults.fault import KINDS, Fault, Kind, read_fault, read_faults
from local_aws.faults.registry import Faults

__all__ = ["KINDS", "Fault", "Faults", "Kind", "read_fault", "read_faults"]
