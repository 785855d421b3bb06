"""What the emulator's EC2 does not read of its calls, and calls that it lacks.

They stand before the emulator's own methods. What AWS does is said by botocore's documentation of
the operation.
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import EmptyResult
from typing_extensions import override

_Before: Any = object
"""The emulator's own class, before whose methods these stand."""


class Answers(_Before):  # type: ignore[misc]
    """The emulator reads only some of what calls give, and lacks some calls."""

    @override
    def create_customer_gateway(self) -> Any:
        return self._keeping(super().create_customer_gateway(), "CertificateArn", "DeviceName")

    @override
    def create_vpc_endpoint(self) -> Any:
        return self._keeping(super().create_vpc_endpoint(), "DnsOptions", "IpAddressType")

    @override
    def create_vpn_connection(self) -> Any:
        return self._keeping(super().create_vpn_connection(), "Options")

    @override
    def create_flow_logs(self) -> Any:
        answer = super().create_flow_logs()
        for each in answer.result["FlowLogIds"]:
            self._keep(self.ec2_backend.flow_logs[each], "DestinationOptions")
        return answer

    @override
    def modify_vpc_endpoint(self) -> Any:
        answer = super().modify_vpc_endpoint()
        endpoint = self.ec2_backend.vpc_end_points[self._get_param("VpcEndpointId")]
        self._keep(endpoint, "DnsOptions", "IpAddressType")
        given = self._get_param("PrivateDnsEnabled")
        endpoint.private_dns_enabled = endpoint.private_dns_enabled if given is None else given
        return answer

    @override
    def modify_subnet_attribute(self) -> Any:
        value = self._get_param("EnableDns64.Value")
        if value is not None:
            self.ec2_backend.get_subnet(self._get_param("SubnetId")).enable_dns64 = value
        return super().modify_subnet_attribute()

    @override
    def create_network_acl_entry(self) -> Any:
        return self._with_icmp(super().create_network_acl_entry())

    @override
    def replace_network_acl_entry(self) -> Any:
        return self._with_icmp(super().replace_network_acl_entry())

    @override
    def modify_managed_prefix_list(self) -> Any:
        """The emulator takes a list's name away when none is given."""
        found = self.ec2_backend.managed_prefix_lists[self._get_param("PrefixListId")]
        name = found.prefix_list_name
        answer = super().modify_managed_prefix_list()
        found.prefix_list_name = self._get_param("PrefixListName") or name
        found.max_entries = self._get_param("MaxEntries") or found.max_entries
        return answer

    @override
    def delete_managed_prefix_list(self) -> Any:
        """The emulator shows it still."""
        answer = super().delete_managed_prefix_list()
        del self.ec2_backend.managed_prefix_lists[self._get_param("PrefixListId")]
        return answer

    def enable_vgw_route_propagation(self) -> EmptyResult:
        """Have a route table take routes from a VPN gateway."""
        return self._propagate(on=True)

    def disable_vgw_route_propagation(self) -> EmptyResult:
        """Have a route table take none from a VPN gateway any more."""
        return self._propagate(on=False)

    def create_vpn_connection_route(self) -> EmptyResult:
        """Give a VPN connection a static route."""
        return self._route(added=True)

    def delete_vpn_connection_route(self) -> EmptyResult:
        """Take a VPN connection's static route."""
        return self._route(added=False)

    def _with_icmp(self, answer: Any) -> Any:
        """The emulator reads type and code of ICMP by names that no call has."""
        given = self._get_param("IcmpTypeCode") or {}
        entry = self.ec2_backend.get_network_acl(self._get_param("NetworkAclId")).entries[-1]
        entry.icmp_code, entry.icmp_type = given.get("Code"), given.get("Type")
        return answer

    def _propagate(self, *, on: bool) -> EmptyResult:
        table = self.ec2_backend.get_route_table(self._get_param("RouteTableId"))
        gateway = {"GatewayId": self.ec2_backend.get_vpn_gateway(self._get_param("GatewayId")).id}
        others = [each for each in getattr(table, "propagating_vgws", ()) if each != gateway]
        table.propagating_vgws = [*others, gateway] if on else others
        return EmptyResult()

    def _route(self, *, added: bool) -> EmptyResult:
        (connection,) = self.ec2_backend.describe_vpn_connections(
            [self._get_param("VpnConnectionId")]
        )
        block = self._get_param("DestinationCidrBlock")
        route = {"DestinationCidrBlock": block, "Source": "Static", "State": "available"}
        others = [each for each in getattr(connection, "routes", ()) if each != route]
        connection.routes = [*others, route] if added else others
        return EmptyResult()

    def _keeping(self, answer: Any, *names: str) -> Any:
        self._keep(next(iter(answer.result.values())), *names)
        return answer

    def _keep(self, made: Any, *names: str) -> None:
        for name in names:
            value = self._get_param(name)
            if value is not None:
                setattr(made, name, value)
