"""What CloudFormation asks of the custom resource."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Properties = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Request:
    """One of CloudFormation's requests: Create, Update or Delete.

    ``properties`` are the resource's own, in CreateCompilationJob's words beside
    ``CompilationJobName``; every scalar in them is text. ``previous`` are those of before an
    Update.
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
    def of(cls, event: Mapping[str, Any]) -> Request:
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
    def job_name(self) -> str:
        """The name of the content's first attempt; also the resource's physical id."""
        return str(self.properties["CompilationJobName"])

    @property
    def replaced_job_name(self) -> str | None:
        """On an Update, the job of the content that is left behind, if it is another."""
        if self.kind != "Update" or self.previous is None:
            return None
        name = self.previous.get("CompilationJobName")
        return None if name == self.job_name else name

    @property
    def output_url(self) -> str:
        """The S3 prefix that belongs to this content alone, with a slash at its end."""
        location: str = self.properties["OutputConfig"]["S3OutputLocation"]
        return f"{location.rstrip('/')}/"

    @property
    def model_url(self) -> str:
        """The archive that is compiled."""
        return str(self.properties["InputConfig"]["S3Uri"])

    @property
    def brings_code(self) -> bool:
        """Whether the archive may hold a ``code/`` folder; known to hold none, it is False."""
        return str(self.properties.get("BringsCode", "true")).lower() == "true"

    @property
    def arguments(self) -> dict[str, Any]:
        """CreateCompilationJob's arguments but for the name; numbers are numbers again."""
        wanted = ("RoleArn", "InputConfig", "OutputConfig", "VpcConfig")
        stopping = self.properties.get("StoppingCondition", {})
        return {
            **{key: self.properties[key] for key in wanted if key in self.properties},
            "StoppingCondition": {key: int(value) for key, value in stopping.items()},
            "Tags": [
                {"Key": STACK_TAG, "Value": self.stack_id},
                {"Key": RESOURCE_TAG, "Value": self.logical_id},
                {"Key": REQUEST_TAG, "Value": self.request_id},
            ],
        }

    def owns(self, tags: Mapping[str, str]) -> bool:
        """Whether a job with these tags was begun by this resource."""
        mine = (self.stack_id, self.logical_id)
        return (tags.get(STACK_TAG), tags.get(RESOURCE_TAG)) == mine

    def began(self, tags: Mapping[str, str]) -> bool:
        """Whether a job with these tags was begun by this very request."""
        return self.owns(tags) and tags.get(REQUEST_TAG) == self.request_id


STACK_TAG = "sagemaker-serving:stack"
RESOURCE_TAG = "sagemaker-serving:resource"
REQUEST_TAG = "sagemaker-serving:request"
