"""What the emulator's EC2 does not read of its calls.

They stand before the emulator's own methods. What AWS does is said by botocore's documentation of
the operation.
"""

from __future__ import annotations

from typing import Any

from typing_extensions import override

_Before: Any = object
"""The emulator's own class, before whose methods these stand."""


class Answers(_Before):  # type: ignore[misc]
    """The emulator reads only some of what calls give."""

    @override
    def create_vpc_endpoint(self) -> Any:
        return self._keeping(super().create_vpc_endpoint(), "DnsOptions", "IpAddressType")

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

    def _keeping(self, answer: Any, *names: str) -> Any:
        self._keep(next(iter(answer.result.values())), *names)
        return answer

    def _keep(self, made: Any, *names: str) -> None:
        for name in names:
            value = self._get_param(name)
            if value is not None:
                setattr(made, name, value)
