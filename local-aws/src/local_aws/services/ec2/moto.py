"""Changes to the emulator's networks, each with its reason.

They stand before the emulator's own methods. What AWS does is said by botocore's documentation of
the operation, unless another source is given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moto.ec2.exceptions import (
    InvalidSecurityGroupNotFoundError,
    InvalidVpcEndPointIdError,
)
from moto.ec2.models import EC2Backend
from moto.ec2.models.security_groups import SecurityGroupRule
from moto.ec2.models.subnets import Subnet
from moto.ec2.responses import EC2Response
from typing_extensions import override

_Before: Any = object
"""The emulator's own classes, before whose methods those of a change stand."""


def apply() -> None:
    """Apply every change; a second time changes nothing more."""
    for changed, change in ((EC2Backend, Networks), (EC2Response, Answers)):
        if change not in changed.__bases__:
            changed.__bases__ = (change, *changed.__bases__)
    Subnet.ipv6_cidr_block_association_set = property(_ranges_of_subnet)
    SecurityGroupRule.description = property(_description)


class Networks(_Before):  # type: ignore[misc]
    """The emulator keeps what goes with what is deleted, and gives interfaces any address and no
    security groups."""

    @override
    def _load_amis(self) -> None:
        """No images, which only instances need, and those are kept by their schema.

        The emulator has 1,291 with a snapshot each: 40 ms of every save of a network, in each
        region.
        """

    @override
    def describe_security_groups(
        self,
        group_ids: list[str] | None = None,
        groupnames: list[str] | None = None,
        filters: Any = None,
    ) -> Any:
        """The first group that is not there is named; the emulator names all that were asked for,
        as a set of Python's. In Lambda's words recorded by LocalStack's suite, 2025."""
        known = [each for groups in list(self.groups.values()) for each in list(groups.values())]
        for given, there in ((group_ids, "id"), (groupnames, "name")):
            for each in given or ():
                if each not in {getattr(group, there) for group in known}:
                    raise InvalidSecurityGroupNotFoundError(each)
        return super().describe_security_groups(group_ids, groupnames, filters)

    @override
    def create_security_group(
        self, name: str, description: str, vpc_id: str | None = None, **more: Any
    ) -> Any:
        """The emulator makes groups of networks that are not there."""
        if vpc_id is not None:
            self.get_vpc(vpc_id)
        return super().create_security_group(name, description, vpc_id, **more)

    @override
    def delete_subnet(self, subnet_id: str) -> Any:
        """The emulator keeps what associates it."""
        deleted = super().delete_subnet(subnet_id)
        for table in self.route_tables.values():
            for key in [key for key, of in table._associations.items() if of == subnet_id]:
                del table._associations[key]
        for acl in self.network_acls.values():
            for key in [key for key, of in acl._associations.items() if of.subnet_id == subnet_id]:
                del acl._associations[key]
        return deleted

    @override
    def delete_vpc(self, vpc_id: str) -> Any:
        """The emulator keeps its access control lists."""
        deleted = super().delete_vpc(vpc_id)
        for acl in [each for each in self.network_acls.values() if each.vpc_id == vpc_id]:
            del self.network_acls[acl.id]
        return deleted

    @override
    def _iterate_security_rules(self, *given: Any, **named: Any) -> Iterator[Any]:
        """The emulator forgets the description of a list of prefixes."""
        described = {each["PrefixListId"]: each.get("Description") for each in given[6]}
        for rule in super()._iterate_security_rules(*given, **named):
            rule.said = described.get(rule.prefix_list_id)
            yield rule

    @override
    def delete_nat_gateway(self, nat_gateway_id: str) -> Any:
        """The emulator keeps its interface, and its address in use."""
        gateway = super().delete_nat_gateway(nat_gateway_id)
        for address in self.addresses:
            if address.eni is gateway._eni:
                self.disassociate_address(address=address.public_ip)
        self.enis.pop(gateway._eni.id, None)
        return gateway

    @override
    def create_vpc_endpoint(self, **named: Any) -> Any:
        """The emulator knows no type that an endpoint has when it is given none."""
        kind = named.pop("endpoint_type") or "Gateway"
        endpoint = super().create_vpc_endpoint(**named, endpoint_type=kind)
        self._settle(endpoint)
        return endpoint

    @override
    def modify_vpc_endpoint(self, vpc_id: str, **changes: Any) -> None:
        """The emulator leaves routes and interfaces as they are."""
        super().modify_vpc_endpoint(vpc_id, **changes)
        endpoint = self.vpc_end_points[vpc_id]
        for table in self.route_tables.values():
            for route in _routes_to(table, vpc_id):
                del table._routes[route.id]
        for table_id in endpoint.route_table_ids:
            self.create_route(
                table_id,
                None,
                gateway_id=vpc_id,
                destination_prefix_list_id=endpoint.destination_prefix_list_id,
            )
        self._settle(endpoint)

    @override
    def delete_vpc_endpoints(self, vpce_ids: list[str] | None = None) -> None:
        """The emulator shows them still."""
        for endpoint_id in vpce_ids or ():
            endpoint = self.vpc_end_points.pop(endpoint_id, None)
            if endpoint is None:
                raise InvalidVpcEndPointIdError(endpoint_id)
            endpoint.subnet_ids = []
            self._settle(endpoint)
            for table in self.route_tables.values():
                for route in _routes_to(table, endpoint_id):
                    del table._routes[route.id]

    def _settle(self, endpoint: Any) -> None:
        """Give an endpoint one interface in each of its subnets, with its security groups."""
        wanted = endpoint.subnet_ids or []
        had = [self.enis[each] for each in endpoint.network_interface_ids if each in self.enis]
        kept = {each.subnet.id: each for each in had if each.subnet.id in wanted}
        for interface in had:
            if interface.subnet.id not in wanted:
                del self.enis[interface.id]
        for subnet_id in wanted if endpoint.vpc_endpoint_type == "Interface" else ():
            interface = kept.setdefault(subnet_id, None) or self.create_network_interface(
                subnet_id, ""
            )
            kept[subnet_id] = interface
            if interface.private_ip_address not in interface.subnet._subnet_ips:
                address = interface.subnet.get_available_subnet_ip(interface)
                interface.private_ip_address = address
            found = map(self.get_security_group_from_id, endpoint.security_group_ids)
            interface._group_set = [each for each in found if each is not None]
        endpoint.network_interface_ids = [each.id for each in kept.values()]


class Answers(_Before):  # type: ignore[misc]
    """The emulator reads only some of what calls give."""

    @override
    def describe_images(self) -> Any:
        raise NotImplementedError

    @override
    def modify_vpc_endpoint(self) -> Any:
        answer = super().modify_vpc_endpoint()
        endpoint = self.ec2_backend.vpc_end_points[self._get_param("VpcEndpointId")]
        given = self._get_param("PrivateDnsEnabled")
        endpoint.private_dns_enabled = endpoint.private_dns_enabled if given is None else given
        return answer


def _ranges_of_subnet(subnet: Any) -> list[dict[str, Any]]:
    """The emulator says their state within another."""
    return [
        {
            "AssociationId": each["associationId"],
            "Ipv6CidrBlock": each["ipv6CidrBlock"],
            "Ipv6CidrBlockState": each["ipv6CidrBlockState"],
        }
        for each in subnet.ipv6_cidr_block_associations.values()
        if each["ipv6CidrBlockState"]["State"] == "associated"
    ]


def _description(rule: Any) -> Any:
    """The emulator knows that of a range of addresses only."""
    described = {"Description": getattr(rule, "said", None)} | rule.source_group | rule.ip_range
    return described["Description"]


def _routes_to(table: Any, endpoint_id: str) -> list[Any]:
    return [each for each in table.routes if getattr(each.gateway, "id", None) == endpoint_id]
