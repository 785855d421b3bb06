"""Tags of SageMaker's resources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.arns import written
from sagemaker_serving.local_sagemaker.common.store import Region, Resource

Parameters = Mapping[str, Any]

MAX_TAGS = 50
"""Tags of one resource (SageMaker API reference, AddTags)."""


class Tags:
    """AddTags, ListTags, DeleteTags."""

    def add(self, region: Region, parameters: Parameters) -> Resource:
        """Add tags, or change their values; a resource has at most `MAX_TAGS`."""
        with region.lock:
            tags = _tags_of(region, parameters["ResourceArn"])
            changed = {**tags, **{tag["Key"]: tag["Value"] for tag in parameters["Tags"]}}
            if len(changed) > MAX_TAGS:
                raise AwsError(
                    "ResourceLimitExceeded",
                    f"A resource has at most {MAX_TAGS} tags; this would make {len(changed)}",
                )
            tags.update(changed)
            return {"Tags": _as_list(tags)}

    def list(self, region: Region, parameters: Parameters) -> Resource:
        """Every tag of a resource, on one page."""
        with region.lock:
            return {"Tags": _as_list(_tags_of(region, parameters["ResourceArn"]))}

    def delete(self, region: Region, parameters: Parameters) -> Resource:
        """Remove tags by their keys; keys that are not there are passed over."""
        with region.lock:
            tags = _tags_of(region, parameters["ResourceArn"])
            for key in parameters["TagKeys"]:
                tags.pop(key, None)
        return {}


def _tags_of(region: Region, arn: str) -> dict[str, str]:
    """Of a resource, whose ARN may be in any case; that AWS takes either is unverified."""
    tags = region.tags.get(written(arn))
    if tags is None:
        raise AwsError("ValidationException", f'Could not find resource "{arn}".')
    return tags


def _as_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
