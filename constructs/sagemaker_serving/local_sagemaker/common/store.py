"""What SageMaker remembers, region by region, as its API describes it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from local_aws.arn import arn_in
from local_aws.context import ACCOUNT_ID

Resource = dict[str, Any]
"""One resource as Describe answers it: plain JSON values, times in seconds since the epoch."""


@dataclass
class Region:
    """Everything SageMaker keeps in one region, by name.

    Hold ``lock`` while reading or changing several things that belong
    together; values are plain, so that the whole can be written as JSON.
    """

    name: str
    models: dict[str, Resource] = field(default_factory=dict)
    endpoint_configs: dict[str, Resource] = field(default_factory=dict)
    endpoints: dict[str, Resource] = field(default_factory=dict)
    model_package_groups: dict[str, Resource] = field(default_factory=dict)
    model_packages: dict[str, Resource] = field(default_factory=dict)
    """By ARN."""
    inference_components: dict[str, Resource] = field(default_factory=dict)
    transform_jobs: dict[str, Resource] = field(default_factory=dict)
    compilation_jobs: dict[str, Resource] = field(default_factory=dict)
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    """By ARN: a resource's tags."""
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    changed: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)
    """Called when something here has changed by itself, after the call that began it."""

    def arn(self, kind: str, name: str) -> str:
        """``arn:aws:sagemaker:<region>:<account>:<kind>/<name>``."""
        return arn_in(self.name, "sagemaker", ACCOUNT_ID, f"{kind}/{name}")

    def tag(self, arn: str, tags: list[dict[str, str]] | None) -> None:
        """Add tags to a resource; the last value of a key stays."""
        kept = self.tags.setdefault(arn, {})
        kept.update({tag["Key"]: tag["Value"] for tag in tags or ()})


class Store:
    """The regions, each made when it is first asked for; ``changed`` is given to each."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self._changed = changed
        self._regions: dict[str, Region] = {}
        self._lock = threading.Lock()

    def region(self, name: str) -> Region:
        """The region of that name."""
        with self._lock:
            return self._regions.setdefault(name, Region(name, changed=self._changed))

    def regions(self) -> list[Region]:
        """Every region that was ever asked for."""
        with self._lock:
            return list(self._regions.values())


def without_tags(parameters: Mapping[str, Any]) -> Resource:
    """What was given of a resource, but for its tags, which are kept by its ARN."""
    return {name: value for name, value in parameters.items() if name != "Tags"}


def now() -> float:
    """Seconds since the epoch, to the millisecond, as SageMaker's times are."""
    return round(time.time(), 3)
