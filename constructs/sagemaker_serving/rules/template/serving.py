"""Models and endpoint configurations of a template as facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from local_aws.template import Unknown
from sagemaker_serving.rules.facts import (
    ABSENT,
    ContainerFacts,
    EndpointConfigFacts,
    Fact,
    VariantFacts,
)
from sagemaker_serving.rules.facts.resources import ModelDefinitionFacts, NetworkFacts
from sagemaker_serving.rules.facts.roles import CutOffFacts
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL

_VPC, _SUBNET, _TABLE = "AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::RouteTable"
_TABLE_OF, _ROUTE = "AWS::EC2::SubnetRouteTableAssociation", "AWS::EC2::Route"
_VPC_ENDPOINT = "AWS::EC2::VPCEndpoint"
_GROUP, _EGRESS = "AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupEgress"
_NOWHERE = ("255.255.255.255/32", "127.0.0.1/32")
"""To which a security group's only rule leads that is to let nothing out; without a rule a group of
a template lets all out (aws-cdk-lib 2.276.0, ``allowAllOutbound``; EC2 API reference)."""


def model_definition(model: Resource, resources: Resources) -> ModelDefinitionFacts:
    """A Model, with its containers as no variant in particular runs them."""
    return ModelDefinitionFacts(
        members=model.properties,
        region=resources.region,
        containers=containers(model.properties, resources, ABSENT),
        serverless=resources.is_on_serverless(model),
    )


def network(vpc: Fact, resources: Resources) -> NetworkFacts:
    """Where a model stands in a VPC, with those of the template's subnets that nothing leaves."""
    given = list(vpc.get("SecurityGroupIds").items())
    groups = [resources.referred(one, _GROUP) for one in given]
    closed = [one.logical_id for one in groups if one is not None and _is_closed(one, resources)]
    return NetworkFacts(
        members=vpc,
        cut_off=tuple(_without(("s3",), vpc.get("Subnets"), resources)),
        closed=tuple(closed if len(closed) == len(given) else ()),
    )


def _is_closed(group: Resource, resources: Resources) -> bool:
    """Whether all that a security group lets out leads nowhere."""
    rules = list(group.properties.get("SecurityGroupEgress").items())
    others = (one.properties.get("GroupId") for one in resources.of_types(_EGRESS))
    open_too = any(resources.referred(one, _GROUP) in (None, group) for one in others)
    return (
        bool(rules) and not open_too and all(rule.get("CidrIp").text in _NOWHERE for rule in rules)
    )


def told_endpoints(function: Resource, resources: Resources) -> Iterator[tuple[Fact, Resource]]:
    """Each endpoint of the template that a variable of a function names, with the variable."""
    for name, told in function.properties.get("Environment").get("Variables").entries():
        endpoint = resources.referred(told, ENDPOINT)
        if endpoint is not None and "ENDPOINT" in name.upper():
            yield told, endpoint


def cut_off_callers(function: Resource, resources: Resources) -> Iterator[CutOffFacts]:
    """Each endpoint that a function is told of, where nothing leads to it from all of its
    subnets."""
    subnets = function.properties.get("VpcConfig").get("SubnetIds")
    without = tuple(_without(("runtime", "runtime-fips"), subnets, resources))
    for told, endpoint in told_endpoints(function, resources) if without else ():
        if len(without) == len(list(subnets.items())):
            yield CutOffFacts(
                user=function.logical_id, told=told, endpoint=endpoint.logical_id, subnets=without
            )


def _without(services: tuple[str, ...], subnets: Fact, resources: Resources) -> Iterator[str]:
    """Those of the template's subnets from which nothing leads to one of ``services``, by a part of
    their names: neither a way out, nor an endpoint of the VPC."""
    for one in subnets.items():
        subnet = resources.referred(one, _SUBNET)
        by_endpoint = (_may_have_endpoint(service, resources) for service in services)
        if subnet is not None and not (any(by_endpoint) or _may_leave(subnet, resources)):
            yield subnet.logical_id


def _may_have_endpoint(service: str, resources: Resources) -> bool:
    """Whether a VPC endpoint of the template may be for a service, by a part of its name."""
    for endpoint in resources.of_types(_VPC_ENDPOINT):
        name = "".join(one or service for one in endpoint.properties.get("ServiceName").pieces)
        if service in name.split(".") and _may_be_asked(endpoint, resources):
            return True
    return False


def _may_be_asked(endpoint: Resource, resources: Resources) -> bool:
    """Whether what asks for the service comes to the endpoint: by its private DNS, or by another
    address, for which something refers to it."""
    others = (
        raw for name, raw in resources.template.resources.items() if name != endpoint.logical_id
    )
    own_address = endpoint.properties.get("PrivateDnsEnabled").flag is False
    return not own_address or endpoint.logical_id in repr(list(others))


def _may_leave(subnet: Resource, resources: Resources) -> bool:
    """Whether a subnet may have a route that is not to an internet gateway, which takes only what
    has a public address."""
    if resources.referred(subnet.properties.get("VpcId"), _VPC) is None:
        return True
    tables = [
        one.properties.get("RouteTableId")
        for one in resources.of_types(_TABLE_OF)
        if resources.referred(one.properties.get("SubnetId"), _SUBNET) in (None, subnet)
    ]
    own = [resources.referred(table, _TABLE) for table in tables]
    return None in own or any(
        resources.referred(route.properties.get("RouteTableId"), _TABLE) in (None, *own)
        and not route.properties.get("GatewayId").given
        for route in resources.of_types(_ROUTE)
    )


def config_facts(properties: Fact, resources: Resources) -> EndpointConfigFacts:
    """An EndpointConfig, or the arguments of CreateEndpointConfig, which are called the same."""
    asynchronous = properties.get("AsyncInferenceConfig").given
    variants, shadows = (
        tuple(
            _variant(variant, properties, resources, asynchronous)
            for variant in properties.get(name).items()
            if isinstance(variant.value, dict)
        )
        for name in ("ProductionVariants", "ShadowProductionVariants")
    )
    numbers = ("AsyncInferenceConfig", "DataCaptureConfig", "MetricsConfig")
    return EndpointConfigFacts(
        members=resources.numbered_in(properties, *numbers),
        region=resources.region,
        variants=variants,
        shadows=shadows,
    )


def used_config(endpoint: Resource | None, resources: Resources) -> Resource | None:
    """The configuration of an endpoint, where this template has both."""
    name = ABSENT if endpoint is None else endpoint.properties.get("EndpointConfigName")
    return resources.referred(name, ENDPOINT_CONFIG)


def _variant(variant: Fact, config: Fact, resources: Resources, asynchronous: bool) -> VariantFacts:
    numbers = resources.numbered(variant)
    serverless = numbers.get("ServerlessConfig")
    instance_type = variant.get("InstanceType")
    if serverless.unknown and not instance_type.given:
        instance_type = Fact(Unknown(), instance_type.where)
    if variant.get("InstancePools").given and not instance_type.given:
        instance_type = _preferred(variant.get("InstancePools"), instance_type)
    named = _model_of(variant)
    model = resources.referred(named, MODEL)
    return VariantFacts(
        region=resources.region,
        instance_type=instance_type,
        model=named,
        accelerator_type=variant.get("AcceleratorType"),
        instance_pools=variant.get("InstancePools"),
        members=numbers,
        asynchronous=asynchronous,
        containers=containers(model.properties, resources, instance_type)
        if model
        else ()
        if named.given
        else tuple(_of_components(variant, config, resources, instance_type)),
    )


def _of_components(
    variant: Fact, config: Fact, resources: Resources, instance_type: Fact
) -> Iterator[ContainerFacts]:
    """The containers of the inference components that share a variant's instances."""
    for component in resources.of_types(COMPONENT):
        properties = component.properties
        own = used_config(resources.referred(properties.get("EndpointName"), ENDPOINT), resources)
        name = properties.get("VariantName").text
        if (
            own is None
            or own.properties.where != config.where
            or name != variant.get("VariantName").text
        ):
            continue
        specification = properties.get("Specification")
        model = resources.referred(specification.get("ModelName"), MODEL)
        container = specification.get("Container")
        if model is not None:
            found = containers(model.properties, resources, instance_type)
        elif isinstance(container.value, dict):
            found = (_container(container, resources, instance_type, "ArtifactUrl"),)
        else:
            found = ()
        needs = specification.get("ComputeResourceRequirements")
        devices = resources.numbered(needs).get("NumberOfAcceleratorDevicesRequired")
        yield from (replace(one, accelerators=devices) for one in found)


def _model_of(variant: Fact) -> Fact:
    """The name of its model, or of the one that a pool of its instances has instead."""
    pools = variant.get("InstancePools").items()
    names = (variant.get("ModelName"), *(pool.get("ModelNameOverride") for pool in pools))
    return next((name for name in names if name.given), names[0])


def _preferred(pools: Fact, absent: Fact) -> Fact:
    """The instance type of the pool with the lowest Priority, as far as the template tells."""
    ordered = [pool for pool in pools.items() if pool.get("Priority").number is not None]
    if not ordered:
        return absent
    return min(ordered, key=lambda pool: pool.get("Priority").number or 0).get("InstanceType")


def containers(
    properties: Fact, resources: Resources, instance_type: Fact
) -> tuple[ContainerFacts, ...]:
    """The containers of a Model on a host of that type."""
    facts = (properties.get("PrimaryContainer"), *properties.get("Containers").items())
    vpc = properties.get("VpcConfig")
    cut_off = " and ".join(_without((), vpc.get("Subnets"), resources))
    return tuple(
        replace(
            _container(fact, resources, instance_type),
            network_isolation=properties.get("EnableNetworkIsolation"),
            private_network=Fact(cut_off or None, vpc.where / "Subnets"),
        )
        for fact in facts
        if isinstance(fact.value, dict)
    )


def _container(
    container: Fact, resources: Resources, instance_type: Fact, artifact: str = "ModelDataUrl"
) -> ContainerFacts:
    image = container.get("Image")
    environment = container.get("Environment")
    return ContainerFacts(
        where=container.where,
        region=resources.region,
        artifact=container.get(artifact),
        definition=container,
        image_uri=image if image.given else Fact(Unknown(), image.where),
        instance_type=instance_type,
        environment=dict(environment.entries()),
        environment_fact=environment,
        mode=container.get("Mode"),
    )
