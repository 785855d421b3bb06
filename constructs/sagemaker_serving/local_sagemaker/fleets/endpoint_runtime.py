"""What runs for one endpoint: a fleet that serves, one that comes, and those that finish."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import Literal

from sagemaker_serving.local_sagemaker.async_inference.service import AsyncQueue
from sagemaker_serving.local_sagemaker.common.store import Resource, now
from sagemaker_serving.local_sagemaker.fleets.fleet import Fleet

Stage = Literal["Creating", "ActivatingTraffic", "Baking"]
"""Where a deployment is (botocore: VariantStatus)."""


@dataclass
class EndpointRuntime:
    """Hold the region's lock to read or change it.

    ``share`` is how much of the traffic ``starting`` gets, 0 to 1. ``kept`` is what served when
    the local AWS was last saved, until it serves again; ``resumed`` is set once that is decided.
    """

    serving: Fleet | None = None
    starting: Fleet | None = None
    share: float = 0.0
    stage: Stage = "Creating"
    stage_since: float = field(default_factory=now)
    draining: list[Fleet] = field(default_factory=list)
    queue: AsyncQueue | None = None
    kept: Resource | None = None
    resumed: threading.Event = field(default_factory=threading.Event)

    def export(self) -> Resource | None:
        """The config and the models that serve, or that are to serve again; None for neither."""
        return self.serving.export() if self.serving is not None else self.kept

    def fleets(self) -> list[Fleet]:
        """All of them, the one that serves first."""
        every = (self.serving, self.starting, *self.draining)
        return [fleet for fleet in every if fleet is not None]

    def route(self) -> Fleet | None:
        """The fleet for the next request: the one that starts, by its share, or the old one."""
        if self.starting is not None and random.random() < self.share:
            return self.starting
        return self.serving

    def enter(self, stage: Stage, share: float | None = None) -> None:
        """The deployment goes on: another stage, and another share of the traffic."""
        self.stage, self.stage_since = stage, now()
        if share is not None:
            self.share = share

    def pending(self, started_at: float) -> Resource | None:
        """The PendingDeploymentSummary of what starts; None when nothing does."""
        if self.starting is None:
            return None
        status = {"Status": self.stage, "StartTime": self.stage_since}
        kinds = {
            "ProductionVariants": self.starting.variants,
            "ShadowProductionVariants": self.starting.shadows,
        }
        return {
            "EndpointConfigName": self.starting.config_name,
            **{
                kind: [
                    {
                        **variant.describe(),
                        **(
                            {"InstanceType": variant.instance_type}
                            if variant.instance_type is not None
                            else {}
                        ),
                        "VariantStatus": [status],
                    }
                    for variant in variants.values()
                ]
                for kind, variants in kinds.items()
                if variants
            },
            "StartTime": started_at,
        }
