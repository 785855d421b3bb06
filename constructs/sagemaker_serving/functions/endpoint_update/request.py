"""What CloudFormation asks of the custom resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Request:
    """One of CloudFormation's requests: Create, Update or Delete.

    ``endpoint`` is to serve ``config``; ``update`` are UpdateEndpoint's other members.
    ``former_endpoint`` is the one of before an Update. ``before`` is the config that served before
    the resource was made, None where its physical id does not tell.
    """

    kind: str
    request_id: str
    stack_id: str
    logical_id: str
    response_url: str
    endpoint: str
    config: str
    update: Mapping[str, Any]
    former_endpoint: str | None
    physical_id: str | None

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Request:
        """The request in a Lambda event."""
        properties = event["ResourceProperties"]
        return cls(
            kind=event["RequestType"],
            request_id=event["RequestId"],
            stack_id=event["StackId"],
            logical_id=event["LogicalResourceId"],
            response_url=event["ResponseURL"],
            endpoint=properties["EndpointName"],
            config=properties["EndpointConfigName"],
            update=json.loads(properties.get("Update", "{}")),
            former_endpoint=event.get("OldResourceProperties", {}).get("EndpointName"),
            physical_id=event.get("PhysicalResourceId"),
        )

    @property
    def before(self) -> str | None:
        """The config that the physical id, ``<endpoint>/<config>``, tells."""
        endpoint, _, config = (self.physical_id or "").partition("/")
        return config if endpoint == self.endpoint and config else None

    @property
    def names_another(self) -> bool:
        """Whether an Update is of another endpoint than before."""
        former = self.former_endpoint
        return self.kind == "Update" and former not in (None, self.endpoint)
