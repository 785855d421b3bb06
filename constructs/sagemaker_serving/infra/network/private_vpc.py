"""A VPC without a way to the internet, and the doors that a private model needs."""

from __future__ import annotations

from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from constructs import Construct

from sagemaker_serving.infra.functions.own_function import add_log
from sagemaker_serving.infra.network.network import Network
from sagemaker_serving.infra.synth.acknowledge import (
    DEFAULT_GROUP_OPEN,
    acknowledge,
    acknowledge_own_policy,
)
from sagemaker_serving.infra.synth.granting import takes_policies, warn_of

_SERVICES = ec2.InterfaceVpcEndpointAwsService


class PrivateVpc(Construct):
    """Isolated subnets in two zones, with endpoints instead of a way out.

    The model's archive comes through S3's gateway endpoint (free of charge). Metrics and logs that
    the container writes leave through interface endpoints. These are charged by the hour and zone,
    and take calls from the containers only. The image is pulled by SageMaker itself, outside the
    VPC. Whatever else ``inference.py`` calls needs an endpoint of its own:
    `add_door`. Source: SageMaker developer guide, "Give SageMaker AI hosted
    endpoints access to resources in your VPC".

    :param cidr: the VPC's addresses; ``10.0.0.0/16`` unless given.
    :param shells: whether Session Manager may reach the containers, as ``enable_ssm_access`` of a
        variant asks: that needs an endpoint of its own. Source: SageMaker developer guide, "Access
        containers through SSM", on AWS PrivateLink.
    :param flow_log_group: takes the log of what passes; made here unless given.
    :param flow_log_role: writes it, in the name of vpc-flow-logs.amazonaws.com; made here unless
        given.
    :param encryption_key: encrypts a log made here, and CloudWatch Logs is let use it; absent,
        CloudWatch's own key does.
    :param retain_logs: whether a log made here outlives the stack; kept a year either way.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cidr: str = "10.0.0.0/16",
        shells: bool = False,
        flow_log_group: logs.ILogGroup | None = None,
        flow_log_role: iam.IRole | None = None,
        encryption_key: kms.IKey | None = None,
        retain_logs: bool = True,
    ) -> None:
        super().__init__(scope, construct_id)
        self.vpc = ec2.Vpc(
            self,
            "Resource",
            ip_addresses=ec2.IpAddresses.cidr(cidr),
            max_azs=2,
            nat_gateways=0,
            restrict_default_security_group=False,
            subnet_configuration=[
                ec2.SubnetConfiguration(
                    name="Models", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=20
                )
            ],
        )
        """The VPC itself."""
        acknowledge(
            self.vpc,
            DEFAULT_GROUP_OPEN,
            "Nothing here is in the default group; emptying it takes a function with rights on EC2",
        )
        log = flow_log_group
        if log is None:
            log = add_log(
                self,
                "TrafficLog",
                retain=retain_logs,
                encryption_key=encryption_key,
                without_key="Addresses and ports; CloudWatch encrypts with its own key",
            )
        self._log_traffic(log, flow_log_role if flow_log_role is not None else self._own_role())
        self.security_group = ec2.SecurityGroup(
            self, "Containers", vpc=self.vpc, description="Model containers; nothing may call in"
        )
        """The security group of the containers."""
        self.vpc.add_gateway_endpoint("S3", service=ec2.GatewayVpcEndpointAwsService.S3)
        self.add_door("Metrics", _SERVICES.CLOUDWATCH_MONITORING, self.security_group)
        self.add_door("Logs", _SERVICES.CLOUDWATCH_LOGS, self.security_group)
        if shells:
            self.add_door("Shells", _SERVICES.SSM_MESSAGES, self.security_group)

    def _log_traffic(self, log: logs.ILogGroup, role: iam.IRole) -> None:
        destination = ec2.FlowLogDestination.to_cloud_watch_logs(log, role)
        self.vpc.add_flow_log("Traffic", destination=destination)
        if not takes_policies(role):  # of what aws_cdk grants it here
            write = ["CreateLogStream", "DescribeLogStreams", "PutLogEvents"]
            warn_of(role, [f"logs:{action}" for action in write], log.log_group_arn)

    def _own_role(self) -> iam.Role:
        role = iam.Role(
            self,
            "TrafficRole",
            assumed_by=iam.ServicePrincipal("vpc-flow-logs.amazonaws.com"),
            description="Writes what passes through the private network into its log",
        )
        acknowledge_own_policy(role)
        return role

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
