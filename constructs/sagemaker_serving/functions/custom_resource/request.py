"""What CloudFormation asks of a custom resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

Properties = Mapping[str, Any]

STACK_TAG = "sagemaker-serving:stack"
RESOURCE_TAG = "sagemaker-serving:resource"
REQUEST_TAG = "sagemaker-serving:request"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One of CloudFormation's requests: Create, Update or Delete.

    ``properties`` are the resource's own; every scalar in them is text. ``previous`` are those of
    before an Update.
    """

    kind: str
    request_id: str
    stack_id: str
    logical_id: str
    physical_id: str | None
    response_url: str
    properties: Properties
    previous: Properties | None

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Self:
        """The request in a Lambda event."""
        return cls(
            kind=event["RequestType"],
            request_id=event["RequestId"],
            stack_id=event["StackId"],
            logical_id=event["LogicalResourceId"],
            physical_id=event.get("PhysicalResourceId"),
            response_url=event["ResponseURL"],
            properties=event["ResourceProperties"],
            previous=event.get("OldResourceProperties"),
        )

    @property
    def tags(self) -> list[dict[str, str]]:
        """What marks that which this request has made."""
        return [
            {"Key": STACK_TAG, "Value": self.stack_id},
            {"Key": RESOURCE_TAG, "Value": self.logical_id},
            {"Key": REQUEST_TAG, "Value": self.request_id},
        ]

    def owns(self, tags: Mapping[str, str]) -> bool:
        """Whether what has these tags was made by this resource."""
        mine = (self.stack_id, self.logical_id)
        return (tags.get(STACK_TAG), tags.get(RESOURCE_TAG)) == mine

    def began(self, tags: Mapping[str, str]) -> bool:
        """Whether what has these tags was made by this very request."""
        return self.owns(tags) and tags.get(REQUEST_TAG) == self.request_id
