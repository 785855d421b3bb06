"""Changes to what the emulator makes many of: it would go through any count, one by one."""

from __future__ import annotations

from typing import Any

from moto.ec2.exceptions import EC2ClientError

_Before: Any = object
"""The emulator's own class, before whose methods these stand."""

MOST = 1000
"""Of one kind by one call. AWS's limits are each account's quotas; this stands for them."""


class Counts(_Before):  # type: ignore[misc]
    """The codes are AWS's: EC2 API reference, "Error codes for the Amazon EC2 API"."""

    def run_instances(self, image_id: str, count: int, *more: Any, **options: Any) -> Any:
        """Start as many as an account may have."""
        _require(count, "instances", "InstanceLimitExceeded")
        return super().run_instances(image_id, count, *more, **options)

    def allocate_hosts(self, quantity: int, *more: Any, **options: Any) -> Any:
        """Allocate as many as an account may have."""
        _require(quantity, "hosts", "HostLimitExceeded")
        return super().allocate_hosts(quantity, *more, **options)

    def request_spot_instances(
        self, price: str, image_id: str, count: int, *more: Any, **options: Any
    ) -> Any:
        """Ask for as many as an account may have."""
        _require(count, "spot instances", "MaxSpotInstanceCountExceeded")
        return super().request_spot_instances(price, image_id, count, *more, **options)

    def create_network_interface(self, subnet: Any, *more: Any, **options: Any) -> Any:
        """Give it no more addresses than its subnet has."""
        _require_addresses(subnet, options.get("secondary_ips_count"), taken=1)
        return super().create_network_interface(subnet, *more, **options)

    def assign_private_ip_addresses(
        self,
        eni_id: str,
        private_ip_addresses: list[str] | None = None,
        secondary_ips_count: int | None = None,
    ) -> Any:
        """The emulator draws addresses of the subnet until it has as many, or forever."""
        interface = self.get_network_interface(eni_id)
        taken = len(interface.private_ip_addresses)
        _require_addresses(interface.subnet, secondary_ips_count, taken=taken)
        return super().assign_private_ip_addresses(
            eni_id, private_ip_addresses, secondary_ips_count
        )


def _require(count: Any, what: str, code: str) -> None:
    if count is not None and int(count) > MOST:
        raise EC2ClientError(
            code, f"the local AWS makes at most {MOST} {what} at once, not {count}"
        )


def _require_addresses(subnet: Any, count: Any, *, taken: int) -> None:
    """In AWS's words (https://github.com/aws/amazon-vpc-cni-k8s/pull/1773), which
    keeps five addresses of each subnet."""
    wanted = int(count or 0)
    if wanted < 0:
        what = f"Value ({wanted}) for parameter secondaryPrivateIpAddressCount is invalid."
        raise EC2ClientError("InvalidParameterValue", what)
    if wanted and (subnet is None or wanted > subnet.cidr.num_addresses - 5 - taken):
        what = "The specified subnet does not have enough free addresses to satisfy the request."
        raise EC2ClientError("InsufficientFreeAddressesInSubnet", what)
