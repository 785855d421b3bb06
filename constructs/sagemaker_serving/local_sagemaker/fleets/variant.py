"""One variant of a fleet: its share of the requests, and what answers them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from sagemaker_serving.catalog.instances import variant_types
from sagemaker_serving.local_sagemaker.common.store import Resource, now
from sagemaker_serving.local_sagemaker.containers.container import HEALTH_CHECK_SECONDS
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer
from sagemaker_serving.local_sagemaker.hosting import Host, Invocation, Serverless
from sagemaker_serving.local_sagemaker.observability.usage import Usage


class Variant:
    """A production or shadow variant over its host.

    However many instances a config asks for, one process serves them all; the
    count is kept and reported as asked, and at 0 there is no process.
    """

    def __init__(
        self, config: Resource, model: Resource, host: Host, *, is_shadow: bool = False
    ) -> None:
        self.name: str = config["VariantName"]
        self.weight: float = config["InitialVariantWeight"]
        self.serverless: Resource | None = config.get("ServerlessConfig")
        self.instance_count: int = config.get("InitialInstanceCount", 1)
        self.instance_type: str | None = config.get("InstanceType")
        """The type that its instances are of: the first that there was capacity for."""
        self._types = variant_types(config) if "InstancePools" in config else []
        self.model = model
        self.host = host
        self.is_shadow = is_shadow
        self.in_flight = 0
        self.asked_at = time.monotonic()
        """When it was last picked for a request, or made."""
        self.usage = Usage(*(container.plan.folder for container in host.containers))
        self._deadline: float = config.get(
            "ContainerStartupHealthCheckTimeoutInSeconds", HEALTH_CHECK_SECONDS
        )
        self._started_at = now()

    @property
    def role_arn(self) -> str | None:
        """The model's role: what is done for the variant is done in its name."""
        return self.model.get("ExecutionRoleArn")

    def start(self) -> None:
        """Start the host and return when it is healthy; raises `ContainerFailed`."""
        self.host.start(self._deadline)
        if self.instance_count == 0:
            self.host.rest()

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """The model's answer; raises `NoAnswer` and `AwsError`."""
        return self.host.ask(invocation)

    def scale(self, instance_count: int, wait_until_idle: Callable[[], None]) -> None:
        """Have so many instances; raises `ContainerFailed`, and has as many as before.

        The last one ends after ``wait_until_idle``; a request that comes meanwhile finds none.
        """
        if instance_count and not self.instance_count:
            self.host.wake(self._deadline)
        before, self.instance_count = self.instance_count, instance_count
        if before and not instance_count:
            wait_until_idle()
            self.host.rest()

    def configure(self, change: Resource) -> None:
        """Take what a ServerlessUpdateConfig says."""
        if self.serverless is not None:
            self.serverless = {**self.serverless, **change}
            if isinstance(self.host, Serverless):
                self.host.configure(self.serverless)

    def stop(self) -> None:
        """End every process for good."""
        self.host.stop()

    def describe(self) -> Resource:
        """The variant as DescribeEndpoint has it."""
        images = [container.plan.container["Image"] for container in self.host.containers]
        described: Resource = {
            "VariantName": self.name,
            "DeployedImages": [
                {
                    "SpecifiedImage": image,
                    "ResolvedImage": image,
                    "ResolutionTime": self._started_at,
                }
                for image in images
            ],
            "CurrentWeight": self.weight,
            "DesiredWeight": self.weight,
        }
        if self.serverless is not None:
            configs = ("CurrentServerlessConfig", "DesiredServerlessConfig")
            return {**described, **dict.fromkeys(configs, self.serverless)}
        return {
            **described,
            "CurrentInstanceCount": self.instance_count,
            "DesiredInstanceCount": self.instance_count,
            **({"InstancePools": self._pools()} if self._types else {}),
        }

    def _pools(self) -> list[Resource]:
        """How many instances are of each type: all of them of the one."""
        return [
            {
                "InstanceType": name,
                "CurrentInstanceCount": self.instance_count if name == self.instance_type else 0,
            }
            for name in self._types
        ]

    def summaries(self) -> list[dict[str, Any]]:
        """The variant as ``local status`` shows it: a row for each container."""
        containers = self.host.containers
        names = (
            [self.name]
            if len(containers) == 1
            else [f"{self.name}/{container.plan.name}" for container in containers]
        )
        return [
            {
                "name": name,
                "weight": self.weight,
                "instance_count": self.instance_count,
                "model": self.model["ModelName"],
                "restarts": self.host.restarts,
                "in_flight": self.in_flight,
                **({"shadow": True} if self.is_shadow else {}),
                "note": container.engine_note,
                **container.summary(),
            }
            for name, container in zip(names, containers, strict=True)
        ]
