"""Changes to the emulator's attachments of transit gateways, each with its reason."""

from __future__ import annotations

from typing import Any

from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models.transit_gateway_attachments import (
    TransitGatewayPeeringAttachment,
    TransitGatewayVpcAttachment,
)

_Before: Any = object
"""The emulator's own class, before whose methods these stand."""


class Attachments(_Before):  # type: ignore[misc]
    """The emulator deletes an attachment of any kind, and breaks on some when they are gone.

    The code is AWS's: https://github.com/hashicorp/terraform-provider-aws,
    internal/service/ec2/errors.go.
    """

    def delete_transit_gateway_vpc_attachment(self, transit_gateway_attachment_id: str) -> Any:
        """Delete a VPC's."""
        self._require(TransitGatewayVpcAttachment, transit_gateway_attachment_id)
        return super().delete_transit_gateway_vpc_attachment(transit_gateway_attachment_id)

    def delete_transit_gateway_peering_attachment(self, transit_gateway_attachment_id: str) -> Any:
        """Delete another transit gateway's."""
        self._require(TransitGatewayPeeringAttachment, transit_gateway_attachment_id)
        return super().delete_transit_gateway_peering_attachment(transit_gateway_attachment_id)

    def _require(self, kind: type, attachment_id: str) -> None:
        if not isinstance(self.transit_gateway_attachments.get(attachment_id), kind):
            what = f"Transit Gateway Attachment {attachment_id} was deleted or does not exist."
            raise EC2ClientError("InvalidTransitGatewayAttachmentID.NotFound", what)
