"""A VPC without a way to the internet, and the doors that a private model needs."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from sagemaker_serving.infra.network import Network

_SERVICES = ec2.InterfaceVpcEndpointAwsService


class PrivateVpc(Construct):
    """Isolated subnets in two zones, with endpoints instead of a way out.

    The model's archive comes through S3's gateway endpoint (free of charge);
    metrics and logs that the container writes leave through interface
    endpoints, which are charged by the hour and zone and take calls from the
    containers only. The image is pulled by SageMaker itself, outside of the
    VPC. Whatever else ``inference.py`` calls needs an endpoint of its own:
    `add_door`. Source: SageMaker developer guide, "Give SageMaker AI hosted
    endpoints access to resources in your VPC"; read 2026-11-21.

    :param cidr: the VPC's addresses; ``10.0.0.0/16`` unless given.
    """

    def __init__(self, scope: Construct, construct_id: str, *, cidr: str = "10.0.0.0/16") -> None:
        super().__init__(scope, construct_id)
        self.vpc = ec2.Vpc(
            self,
            "Resource",
            ip_addresses=ec2.IpAddresses.cidr(cidr),
            max_azs=2,
            nat_gateways=0,
            # Emptying the default group takes a Lambda function; nothing here is in that group.
            restrict_default_security_group=False,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="Models", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=20
                )
            ],
            flow_logs={"Traffic": ec2.FlowLogOptions()},
        )
        """The VPC itself."""
        self.security_group = ec2.SecurityGroup(
            self, "Containers", vpc=self.vpc, description="Model containers; nothing may call in"
        )
        """The security group of the containers."""
        self.vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        self.add_door("Metrics", _SERVICES.CLOUDWATCH_MONITORING, self.security_group)
        self.add_door("Logs", _SERVICES.CLOUDWATCH_LOGS, self.security_group)

    @property
    def network(self) -> Network:
        """Where to put a Model: ``Model(…, network=private.network)``."""
        return Network.in_vpc(self.vpc, security_groups=[self.security_group])

    def add_door(
        self,
        construct_id: str,
        service: ec2.InterfaceVpcEndpointAwsService,
        *callers: ec2.IConnectable,
    ) -> None:
        """An interface endpoint of ``service`` that takes calls from ``callers`` only.

        For callers of the endpoint within this VPC: ``SAGEMAKER_RUNTIME``.
        """
        door = self.vpc.add_interface_endpoint(construct_id, service=service, open=False)
        for caller in callers:
            door.connections.allow_default_port_from(caller)
