"""The VPC of an environment's own, and where its models find it."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_ssm as ssm
from constructs import Construct

from sagemaker_serving.infra import Network, PrivateVpc
from sagemaker_serving.spec import Environment, PrivateNetwork
from sagemaker_serving.spec.environment import parameter_name
from stacks.own_stack import OwnStack

_ZONES = 2


class NetworkStack(OwnStack):
    """A private VPC, apart from the models that come and go in it.

    Its subnets and security group leave as SSM parameters, so that no stack locks another.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        network: PrivateNetwork,
        env: cdk.Environment,
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            environment=environment,
            env=env,
            description=f"The private network of {environment.name}'s models",
        )
        variants = (
            variant
            for model in environment.models.values()
            for variant in (*model.variants, *model.shadow_variants)
        )
        private = PrivateVpc(
            self,
            "Private",
            cidr=network.cidr,
            shells=any(getattr(variant, "enable_ssm_access", False) for variant in variants),
            retain_logs=environment.production,
        )
        group = private.security_group.security_group_id
        for name, value in zip(
            _parameters(environment), [*private.network.subnet_ids, group], strict=True
        ):
            ssm.StringParameter(
                self,
                name.rpartition("/")[2].title().replace("-", ""),
                parameter_name=name,
                string_value=value,
            )


def network_of(scope: Construct, environment: Environment) -> Network | None:
    """Where the environment's models stand; None for SageMaker's own network."""
    if environment.network is None:
        return None
    if not isinstance(environment.network, PrivateNetwork):
        return Network(
            subnet_ids=environment.network.subnet_ids,
            security_group_ids=environment.network.security_group_ids,
        )
    *subnets, group = (
        ssm.StringParameter.value_for_string_parameter(scope, name)
        for name in _parameters(environment)
    )
    return Network(subnet_ids=subnets, security_group_ids=[group])


def _parameters(environment: Environment) -> list[str]:
    names = [*(f"subnet-{zone}" for zone in range(1, _ZONES + 1)), "security-group"]
    return [parameter_name(environment.name, "network", name) for name in names]
