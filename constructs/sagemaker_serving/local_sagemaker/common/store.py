"""What SageMaker remembers, region by region, as its API describes it."""

from __future__ import annotations

import threading
import time
from collections import UserDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sagemaker_serving.local_sagemaker.common.arns import arn_of

Resource = dict[str, Any]
"""One resource as Describe answers it: plain JSON values, times in seconds since the epoch."""


class ByName(UserDict[str, Resource]):
    """Resources by their names, which are the same in any case.

    So CreateEndpoint takes an endpoint's (botocore's documentation of EndpointName). That the
    other actions, and the other kinds, do too is inferred: their ARNs are
    in lower case, and CloudFormation knows a resource by its ARN alone.
    """

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.lower() in self.data

    def __getitem__(self, name: str) -> Resource:
        return self.data[name.lower()]

    def __setitem__(self, name: str, resource: Resource) -> None:
        self.data[name.lower()] = resource

    def __delitem__(self, name: str) -> None:
        del self.data[name.lower()]


@dataclass
class Region:
    """Everything SageMaker keeps in one region.

    Hold ``lock`` while reading or changing several things that belong
    together; values are plain, so that the whole can be written as JSON.
    """

    name: str
    account: str
    models: ByName = field(default_factory=ByName)
    endpoint_configs: ByName = field(default_factory=ByName)
    endpoints: ByName = field(default_factory=ByName)
    model_package_groups: dict[str, Resource] = field(default_factory=dict)
    """By name, whose case counts: their ARNs keep it."""
    model_packages: dict[str, Resource] = field(default_factory=dict)
    """By ARN."""
    inference_components: ByName = field(default_factory=ByName)
    inference_routers: dict[str, Resource] = field(default_factory=dict)
    """By name, whose case counts."""
    transform_jobs: ByName = field(default_factory=ByName)
    compilation_jobs: ByName = field(default_factory=ByName)
    tags: dict[str, dict[str, str]] = field(default_factory=dict)
    """By ARN: a resource's tags."""
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False)
    changed: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)
    """Called when something here has changed by itself, after the call that began it."""

    def arn(self, kind: str, name: str) -> str:
        """The ARN of what is called so here, as `arn_of` writes it."""
        return arn_of(self.account, self.name, kind, name)

    def tag(self, arn: str, tags: list[dict[str, str]] | None) -> None:
        """Add tags to a resource; the last value of a key stays."""
        kept = self.tags.setdefault(arn, {})
        kept.update({tag["Key"]: tag["Value"] for tag in tags or ()})


class Store:
    """An account's regions, each made when it is first asked for; ``changed`` is given to each."""

    def __init__(self, account: str, changed: Callable[[], None] = lambda: None) -> None:
        self._account = account
        self._changed = changed
        self._regions: dict[str, Region] = {}
        self._lock = threading.Lock()

    def region(self, name: str) -> Region:
        """The region of that name."""
        with self._lock:
            return self._regions.setdefault(
                name, Region(name, self._account, changed=self._changed)
            )

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
