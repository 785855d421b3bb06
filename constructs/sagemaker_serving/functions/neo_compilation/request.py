"""What CloudFormation asks of the custom resource."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.functions.custom_resource import request as custom_resource


class Request(custom_resource.Request):
    """A request whose properties are CreateCompilationJob's, beside ``CompilationJobName``."""

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
            "Tags": self.tags,
        }
