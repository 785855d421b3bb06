"""EC2's networks, which the emulator answers."""

from __future__ import annotations

from typing_extensions import override

from local_aws.permissions.service import Refusal, ServicePermissions
from local_aws.service import Limit, Service

from .access import access
from .networks import networks
from .policy import named_by
from .routing import routing


class Ec2(Service):
    """EC2's networks, which the emulator answers."""

    name = "ec2"
    limits = (
        Limit("networks", "made, related, described and deleted; nothing is routed"),
        Limit("what something else still needs", "is deleted all the same"),
        Limit("routes to instances, VPNs and peers", "kept; nothing of it is in the API"),
    )
    permissions = ServicePermissions(
        prefix="ec2",
        resources=named_by,
        denied=Refusal(code="UnauthorizedOperation", status=403),
        throttled=Refusal(
            code="RequestLimitExceeded", status=503, message="Request limit exceeded."
        ),
    )
    """How it refuses: EC2 API reference, "Error codes for the Amazon EC2 API"."""
    types = (*networks(), *routing(), *access())

    @override
    def prepare(self) -> None:
        """Delete in the order that AWS wants, and keep what is given."""
        from . import moto  # loading it takes long, and few ask for it

        moto.apply()
