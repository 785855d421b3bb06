"""From a config to a fleet: which host each variant has, where its files and logs are."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from local_aws.context import LocalContext
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.common.store import Region, Resource
from sagemaker_serving.local_sagemaker.containers.container import Container, ContainerFailed, Plan
from sagemaker_serving.local_sagemaker.containers.model_client import PRIMARY
from sagemaker_serving.local_sagemaker.engines.engines import NO_ENGINES, Engines
from sagemaker_serving.local_sagemaker.fleets.capture import capture_of
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet
from sagemaker_serving.local_sagemaker.fleets.variant import Variant
from sagemaker_serving.local_sagemaker.hosting import (
    NEEDS_COMPONENT,
    Bare,
    Host,
    KeptContainer,
    MultiModel,
    Observe,
    Pipeline,
    Serverless,
)
from sagemaker_serving.local_sagemaker.hosting.multi_model import CONTAINER as MULTI_MODEL
from sagemaker_serving.local_sagemaker.models.models import (
    Models,
    containers_of,
    is_multi_model,
)
from sagemaker_serving.local_sagemaker.models.network_access import NetworkRefused, check_network
from sagemaker_serving.local_sagemaker.models.roles import role_client
from sagemaker_serving.local_sagemaker.observability.log_files import endpoint_log
from sagemaker_serving.local_sagemaker.observability.log_shipper import LogShipper, instance_id
from sagemaker_serving.local_sagemaker.observability.metrics import Metrics, Series
from sagemaker_serving.log_groups import component_log_group, endpoint_log_group

ModelsByName = Mapping[str, Resource]


class FleetBuilder:
    """Makes fleets; nothing of them runs yet."""

    def __init__(
        self,
        context: LocalContext,
        engines: Engines,
        *,
        logs: LogShipper,
        metrics: Metrics,
        settings: Settings,
    ) -> None:
        self._context = context
        self._engines = engines
        self._logs = logs
        self._metrics = metrics
        self._settings = settings

    def fleet(
        self,
        region: Region,
        endpoint: str,
        config: Resource,
        models: ModelsByName | None,
        number: int,
    ) -> Fleet:
        """The fleet of a config; ``number`` is its generation.

        ``models`` are those that the config names, when they are not the
        region's. Raises `AwsError` for a model that is gone.
        """
        variants = [
            self._variant(region, endpoint, config, variant, models, number, is_shadow=is_shadow)
            for kind, is_shadow in _KINDS
            for variant in config.get(kind, ())
        ]
        capture = capture_of(
            config, endpoint, lambda role: role_client(self._context, role, "s3", region.name)
        )
        return Fleet(config, variants, capture)

    def folder(self, region: Region, endpoint: str) -> Path:
        """Where everything that an endpoint unpacks is."""
        return self._context.state_dir / "endpoints" / region.name / endpoint

    def _variant(
        self,
        region: Region,
        endpoint: str,
        fleet_config: Resource,
        config: Resource,
        models: ModelsByName | None,
        number: int,
        *,
        is_shadow: bool,
    ) -> Variant:
        name = config.get("ModelName")
        if name is None:
            role = {"ExecutionRoleArn": fleet_config.get("ExecutionRoleArn"), "ModelName": ""}
            check = partial(self._check_network, region, fleet_config)
            return Variant(config, role, Bare(NEEDS_COMPONENT, check=check), is_shadow=is_shadow)
        component = fleet_config.get("InferenceComponentName")
        model = Models.find(region, name) if models is None else models[name]
        containers = [
            Container(plan, self._context, self._engines, self._logs)
            for plan in self._plans(
                region, endpoint, config["VariantName"], model, number, component
            )
        ]
        host = self._host(config, containers, self._observe(region, endpoint, config))
        return Variant(config, model, host, is_shadow=is_shadow)

    def _check_network(self, region: Region, config: Resource) -> None:
        """Instances for components stand in the config's VPC, in the name of its role."""
        role, vpc = config.get("ExecutionRoleArn"), config.get("VpcConfig")
        try:
            check_network(self._context, role, region.name, vpc)
        except NetworkRefused as refused:
            raise ContainerFailed(str(refused)) from None

    def _host(self, config: Resource, containers: list[Container], observe: Observe) -> Host:
        if self._engines.are_off:
            return Bare(NO_ENGINES, containers)
        first = containers[0]
        if is_multi_model(first.plan.container):
            return MultiModel(first, self._settings, observe)
        if "ServerlessConfig" in config:
            kept = KeptContainer(first)
            return Serverless(kept, config["ServerlessConfig"], self._settings, observe)
        return Pipeline([KeptContainer(container) for container in containers])

    def _plans(
        self,
        region: Region,
        endpoint: str,
        variant: str,
        model: Resource,
        number: int,
        component: str | None,
    ) -> list[Plan]:
        definitions = containers_of(model)
        plans = []
        for position, definition in enumerate(definitions, start=1):
            name, label, part = PRIMARY, PRIMARY, variant
            if component is not None:
                part = f"{variant}-{component}"
            if is_multi_model(definition):
                name = MULTI_MODEL
            elif len(definitions) > 1:
                name = label = definition.get("ContainerHostname", f"container-{position}")
                part = f"{part}-{name}"
            place = f"{part}-{number}"
            instance = instance_id(region.name, endpoint, f"{variant}-{number}")
            plans.append(
                Plan(
                    title=f"The {label} container for production variant {variant}",
                    model=model,
                    region=region.name,
                    folder=self.folder(region, endpoint) / place,
                    log_path=endpoint_log(self._context.state_dir, region.name, endpoint, place),
                    log_group=endpoint_log_group(endpoint)
                    if component is None
                    else component_log_group(component),
                    log_stream="/".join(
                        (variant, instance, *([name] if len(definitions) > 1 else []))
                    ),
                    environment=_MULTI_MODEL if is_multi_model(definition) else {},
                    name=name,
                    definition=definition,
                )
            )
        return plans

    def _observe(self, region: Region, endpoint: str, config: Resource) -> Observe:
        dimensions = (("EndpointName", endpoint), ("VariantName", config["VariantName"]))
        return partial(_observe, self._metrics, region.name, dimensions)


_KINDS = (("ProductionVariants", False), ("ShadowProductionVariants", True))
"""Where a config has its variants, and whether those are shadows."""

_MULTI_MODEL = {"SAGEMAKER_MULTI_MODEL": "true"}
"""What the platform tells a container whose models come as they are asked for (SageMaker
TensorFlow Serving container, README)."""


def _observe(
    metrics: Metrics,
    region: str,
    dimensions: tuple[tuple[str, str], ...],
    name: str,
    value: float,
    unit: str,
) -> None:
    metrics.observe(Series(region=region, dimensions=dimensions, name=name, unit=unit), value)
