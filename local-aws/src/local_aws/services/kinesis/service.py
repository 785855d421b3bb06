"""Kinesis, which the emulator answers."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import Stream


class Kinesis(Service):
    """Kinesis, which the emulator answers."""

    name = "kinesis"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Stream(),)
