"""The variants of one endpoint config, which serve together."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from functools import partial

from sagemaker_serving.local_sagemaker.common.parallel import in_parallel
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed
from sagemaker_serving.local_sagemaker.fleets.capture import Capture
from sagemaker_serving.local_sagemaker.fleets.variant import Variant

DRAIN_SECONDS = 485.0
"""How long a fleet that was replaced may finish its requests: a little over a stream's own limit,
which is the longest."""


class Fleet:
    """The variants that serve together; requests are shared out by their weights."""

    def __init__(
        self, config: Resource, variants: Sequence[Variant], capture: Capture | None = None
    ) -> None:
        self.config = config
        self.config_name: str = config["EndpointConfigName"]
        self.variants = {each.name: each for each in variants if not each.is_shadow}
        self.shadows = {each.name: each for each in variants if each.is_shadow}
        self.capture = capture
        self._idle = threading.Condition()

    @property
    def every(self) -> list[Variant]:
        """Production variants, then shadow variants."""
        return [*self.variants.values(), *self.shadows.values()]

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

        in_parallel([partial(start, variant) for variant in self.every])
        if failures:
            raise failures[0]

    def stop(self) -> None:
        """End every process at once, whatever it is doing."""
        in_parallel([variant.stop for variant in self.every])
        if self.capture is not None:
            self.capture.write()

    def drain_and_stop(self) -> None:
        """End every process once its requests are answered, or after `DRAIN_SECONDS`."""
        with self._idle:
            self._idle.wait_for(self._is_idle, timeout=DRAIN_SECONDS)
        self.stop()

    def scale(self, variant: Variant, instance_count: int) -> None:
        """Have so many instances of a variant; raises `ContainerFailed`, and has as many as before.

        At 0 its process ends once its requests are answered, or after `DRAIN_SECONDS`.
        """

        def wait_until_idle() -> None:
            with self._idle:
                self._idle.wait_for(lambda: variant.in_flight == 0, timeout=DRAIN_SECONDS)

        variant.scale(instance_count, wait_until_idle)

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
        return self._taken(variant)

    def pick_shadow(self, served_by: Variant) -> Variant | None:
        """The shadow variant that gets a copy of a request, or None.

        Its weight held against the production variant's is the share of
        requests that are copied, at most all of them. The caller must
        `release` it.
        """
        for shadow in self.shadows.values():
            if served_by.weight > 0 and random.random() < shadow.weight / served_by.weight:
                return self._taken(shadow)
        return None

    def release(self, variant: Variant) -> None:
        """A request that `pick` gave to the variant is answered."""
        with self._idle:
            variant.in_flight -= 1
            self._idle.notify_all()

    def describe(self) -> list[Resource]:
        """The production variants as DescribeEndpoint has them."""
        return [variant.describe() for variant in self.variants.values()]

    def describe_shadows(self) -> list[Resource]:
        """The shadow variants as DescribeEndpoint has them."""
        return [variant.describe() for variant in self.shadows.values()]

    def export(self) -> Resource:
        """``config``, with the weights and counts of now, and the ``models`` by name."""
        kinds = {"ProductionVariants": self.variants, "ShadowProductionVariants": self.shadows}
        return {
            "config": {
                **self.config,
                **{
                    kind: [_now(variant, live[variant["VariantName"]]) for variant in given]
                    for kind, live in kinds.items()
                    if (given := self.config.get(kind))
                },
            },
            "models": {variant.model["ModelName"]: variant.model for variant in self.every},
        }

    def _taken(self, variant: Variant | None) -> Variant | None:
        if variant is not None:
            with self._idle:
                variant.in_flight += 1
                variant.asked_at = time.monotonic()
        return variant

    def _is_idle(self) -> bool:
        return all(variant.in_flight == 0 for variant in self.every)


def _now(variant: Resource, live: Variant) -> Resource:
    if live.serverless is not None:
        return {
            **variant,
            "InitialVariantWeight": live.weight,
            "ServerlessConfig": live.serverless,
        }
    return {
        **variant,
        "InitialVariantWeight": live.weight,
        "InitialInstanceCount": live.instance_count,
    }
