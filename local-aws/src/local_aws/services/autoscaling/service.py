"""Application Auto Scaling: targets and policies, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.permissions.service import ServicePermissions
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import ScalableTarget, ScalingPolicy


class ApplicationAutoScaling(Service):
    """Application Auto Scaling: targets and policies, which the emulator keeps."""

    name = "application-autoscaling"
    permissions = ServicePermissions(prefix="application-autoscaling")

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (ScalableTarget(), ScalingPolicy())

    def prepare(self) -> None:
        """Let every service scale; loading it takes long, and few ask for it."""
        from . import moto

        moto.apply()
