"""The servers of one endpoint config: a container for each production variant."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from sagemaker_serving.local.sagemaker.container import (
    HEALTH_CHECK_SECONDS,
    Container,
    ContainerFailed,
)
from sagemaker_serving.local.sagemaker.store import Resource, now
from sagemaker_serving.local.sagemaker.usage import Usage

_POLL_SECONDS = 0.25
_FIRST_RESTART_SECONDS = 0.5
_LONGEST_RESTART_SECONDS = 30.0
_STEADY_SECONDS = 60.0
DRAIN_SECONDS = 65.0
"""How long a fleet that was replaced may finish its requests: a little over their own limit."""


class Variant:
    """One production variant: its share of the requests and its one server process.

    However many instances a config asks for, one process serves them all; the
    count is kept and reported as asked.
    """

    def __init__(self, config: Resource, container: Container) -> None:
        self.name: str = config["VariantName"]
        self.weight: float = config["InitialVariantWeight"]
        self.instance_count: int = config["InitialInstanceCount"]
        self.container = container
        self.restarts = 0
        self.in_flight = 0
        self._deadline: float = config.get(
            "ContainerStartupHealthCheckTimeoutInSeconds", HEALTH_CHECK_SECONDS
        )
        self.usage = Usage(container.plan.folder)
        self._stopped = threading.Event()
        self._started_at = now()

    def start(self) -> None:
        """Start the container and return when it is healthy; raises `ContainerFailed`."""
        self.container.start(self._deadline)
        threading.Thread(
            target=self._keep_alive, name=f"watch {self.container.plan.title}", daemon=True
        ).start()

    def stop(self) -> None:
        """End the process; it is not started again."""
        self._stopped.set()
        self.container.stop()

    def describe(self) -> Resource:
        """The variant as DescribeEndpoint has it."""
        image = self.container.plan.container["Image"]
        return {
            "VariantName": self.name,
            "DeployedImages": [
                {
                    "SpecifiedImage": image,
                    "ResolvedImage": image,
                    "ResolutionTime": self._started_at,
                }
            ],
            "CurrentWeight": self.weight,
            "DesiredWeight": self.weight,
            "CurrentInstanceCount": self.instance_count,
            "DesiredInstanceCount": self.instance_count,
        }

    def summary(self) -> dict[str, Any]:
        """The variant as ``local status`` shows it."""
        return {
            "name": self.name,
            "weight": self.weight,
            "instance_count": self.instance_count,
            "model": self.container.plan.model["ModelName"],
            "restarts": self.restarts,
            "in_flight": self.in_flight,
            **self.container.summary(),
        }

    def _keep_alive(self) -> None:
        """Start the server again whenever it dies, each time after a longer pause.

        One that has run for `_STEADY_SECONDS` is started again at once the next time.
        """
        pause, started_at = _FIRST_RESTART_SECONDS, time.monotonic()
        while not self._stopped.wait(_POLL_SECONDS):
            if self.container.is_running():
                continue
            if time.monotonic() - started_at > _STEADY_SECONDS:
                pause = _FIRST_RESTART_SECONDS
            self.restarts += 1
            self.container.note(f"the model server has ended; restart {self.restarts} in {pause} s")
            if self._stopped.wait(pause):
                return
            pause = min(2 * pause, _LONGEST_RESTART_SECONDS)
            started_at = time.monotonic()
            with suppress(ContainerFailed):  # it is tried again
                self.container.restart(self._deadline)


class Fleet:
    """The variants that serve together; requests are shared out by their weights."""

    def __init__(self, config: Resource, variants: Sequence[Variant]) -> None:
        self.config = config
        self.config_name: str = config["EndpointConfigName"]
        self.variants = {variant.name: variant for variant in variants}
        self._idle = threading.Condition()

    def start(self) -> None:
        """Start every variant at once; return when all are healthy.

        Raises the first `ContainerFailed`, with nothing left running.
        """
        failures: list[ContainerFailed] = []

        def start(variant: Variant) -> None:
            try:
                variant.start()
            except ContainerFailed as failed:
                failures.append(failed)
                self.stop()  # the others need not wait for their own deadlines

        in_parallel([partial(start, variant) for variant in self.variants.values()])
        if failures:
            raise failures[0]

    def stop(self) -> None:
        """End every process at once, whatever it is doing."""
        in_parallel([variant.stop for variant in self.variants.values()])

    def drain_and_stop(self) -> None:
        """End every process once its requests are answered, or after `DRAIN_SECONDS`."""
        with self._idle:
            self._idle.wait_for(self._is_idle, timeout=DRAIN_SECONDS)
        self.stop()

    def pick(self, target: str | None) -> Variant | None:
        """The variant that serves a request: the target, or one at random by weight.

        A variant of weight 0 gets only what names it. None when the target is
        not of this fleet, or every weight is 0. The caller must `release` it.
        """
        if target is not None:
            variant = self.variants.get(target)
        else:
            variants = [variant for variant in self.variants.values() if variant.weight > 0]
            weights = [variant.weight for variant in variants]
            variant = random.choices(variants, weights)[0] if variants else None
        if variant is not None:
            with self._idle:
                variant.in_flight += 1
        return variant

    def release(self, variant: Variant) -> None:
        """A request that `pick` gave to the variant is answered."""
        with self._idle:
            variant.in_flight -= 1
            self._idle.notify_all()

    def describe(self) -> list[Resource]:
        """The variants as DescribeEndpoint has them."""
        return [variant.describe() for variant in self.variants.values()]

    def export(self) -> Resource:
        """``config``, with the weights and counts of now, and the ``models`` by name."""
        variants = []
        for variant in self.config["ProductionVariants"]:
            live = self.variants[variant["VariantName"]]
            variants.append(
                {
                    **variant,
                    "InitialVariantWeight": live.weight,
                    "InitialInstanceCount": live.instance_count,
                }
            )
        models = [variant.container.plan.model for variant in self.variants.values()]
        return {
            "config": {**self.config, "ProductionVariants": variants},
            "models": {model["ModelName"]: model for model in models},
        }

    def _is_idle(self) -> bool:
        return all(variant.in_flight == 0 for variant in self.variants.values())


def in_parallel(tasks: Sequence[Callable[[], None]]) -> None:
    """Do every task at once, each in a thread; return when all are done."""
    threads = [threading.Thread(target=task, daemon=True) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
