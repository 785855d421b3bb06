"""Provisioned concurrency: a process of a version or an alias that is there before anybody asks.

Messages: recorded by LocalStack's suite, 2024. However much is provisioned, one process is started
ahead, and is not ended while nobody asks; others come as they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.scaling import TrackedMetric
from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import find_function, find_version, qualifier_of
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.store import (
    LATEST,
    Configuration,
    Function,
    Store,
    now_text,
)

DIMENSION = "lambda:function:ProvisionedConcurrency"

Parameters = Mapping[str, Any]
Answer = dict[str, Any]


class ProvisionedConcurrency:
    """Each method is an action of the API; ``warm`` starts a process of a version."""

    def __init__(self, store: Store, warm: Callable[[Function, Configuration], None]) -> None:
        self._store = store
        self._warm = warm

    def put_provisioned_concurrency_config(self, region: str, given: Parameters) -> Answer:
        """Have so much of it from now on."""
        function, configuration = find_version(self._store, region, given)
        qualifier = qualifier_of(given, region)
        if qualifier in ("", LATEST):
            raise invalid(
                "Provisioned Concurrency Configs cannot be applied to unpublished function "
                "versions."
            )
        count = given["ProvisionedConcurrentExecutions"]
        reserved = function.reserved_concurrency
        if reserved is not None and count > reserved:
            raise invalid(
                "Requested Provisioned Concurrency should not be greater than the "
                "reservedConcurrentExecution for function"
            )
        config = {
            "RequestedProvisionedConcurrentExecutions": count,
            "AvailableProvisionedConcurrentExecutions": count,
            "AllocatedProvisionedConcurrentExecutions": count,
            "Status": "READY",
            "LastModified": now_text(),
        }
        with self._store.lock:
            function.provisioned[qualifier] = config
        self._warm(function, configuration)
        return config

    def get_provisioned_concurrency_config(self, region: str, given: Parameters) -> Answer:
        """How much there is."""
        function, _ = find_version(self._store, region, given)
        config = function.provisioned.get(qualifier_of(given, region))
        if config is None:
            raise AwsError(
                "ProvisionedConcurrencyConfigNotFoundException",
                "No Provisioned Concurrency Config found for this function",
                status=404,
            )
        return config

    def list_provisioned_concurrency_configs(self, region: str, given: Parameters) -> Answer:
        """That of every version and alias."""
        function = find_function(self._store, region, given)
        found = [
            {**config, "FunctionArn": f"{function.arn}:{qualifier}"}
            for qualifier, config in function.provisioned.items()
        ]
        return page("ProvisionedConcurrencyConfigs", found, given)

    def delete_provisioned_concurrency_config(self, region: str, given: Parameters) -> Answer:
        """Have none any more; what is not there is gone already."""
        function, _ = find_version(self._store, region, given)
        with self._store.lock:
            function.provisioned.pop(qualifier_of(given, region), None)
        return {}


class Scaling:
    """What Application Auto Scaling can change: ``function:<name>:<alias or version>``."""

    noun = "provisioned concurrency"

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def capacity(self, region: str, resource_id: str) -> int:
        """How much is asked for now."""
        config = self._client(region).get_provisioned_concurrency_config(**_named(resource_id))
        return int(config["RequestedProvisionedConcurrentExecutions"])

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        """Ask for so much."""
        self._client(region).put_provisioned_concurrency_config(
            **_named(resource_id), ProvisionedConcurrentExecutions=capacity
        )

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        """What is behind the one predefined metric, which nothing here sends."""
        name, qualifier = _named(resource_id).values()
        return {
            "LambdaProvisionedConcurrencyUtilization": TrackedMetric(
                namespace="AWS/Lambda",
                name="ProvisionedConcurrencyUtilization",
                dimensions={"FunctionName": name, "Resource": f"{name}:{qualifier}"},
                statistic="Maximum",
            )
        }

    def _client(self, region: str) -> Any:
        return self._context.client("lambda", region)


def _named(resource_id: str) -> dict[str, str]:
    _, name, qualifier = resource_id.split(":")
    return {"FunctionName": name, "Qualifier": qualifier}
