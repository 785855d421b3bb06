"""What CloudFormation asks of the custom resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.functions.custom_resource import request as custom_resource


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the model is held to, None for what it is not."""

    max_error: float | None = None
    agreement: float | None = None
    speedup: None = None


class Request(custom_resource.Request):
    """A request to judge ``model``, as ``variant`` serves it."""

    @property
    def name(self) -> str:
        """The name of the temporary endpoint, and of its config; also the physical id."""
        return str(self.properties["EndpointName"])

    @property
    def model(self) -> str:
        """The stack's Model."""
        return str(self.properties["ModelName"])

    @property
    def told(self) -> str:
        """What messages call it: ``neo on ml.c5.xlarge``."""
        return str(self.properties["Told"])

    @property
    def config(self) -> dict[str, Any]:
        """CreateEndpointConfig's arguments but for name and tags."""
        members: Mapping[str, Any] = json.loads(self.properties["Variant"])
        key = self.properties.get("KmsKeyId")
        return {
            "ProductionVariants": [
                {"VariantName": "compiled", "ModelName": self.model, **members},
            ],
            **({} if key is None else {"KmsKeyId": key}),
        }

    @property
    def golden(self) -> tuple[str, str]:
        """Bucket and key of the golden requests."""
        bucket, _, key = str(self.properties["GoldenUrl"]).removeprefix("s3://").partition("/")
        return bucket, key

    @property
    def limits(self) -> Limits:
        """What the model is held to."""
        return Limits(**json.loads(self.properties["Accept"]))

    def is_left_by_it(self, tags: Mapping[str, str]) -> bool:
        """Whether what has these tags is this resource's, of this stack or one of its name before.

        ``arn:…:stack/<name>/<id>`` has another id when a stack is made anew.
        """
        stack, resource = tags.get(custom_resource.STACK_TAG, ""), custom_resource.RESOURCE_TAG
        same_stack = stack.rpartition("/")[0] == self.stack_id.rpartition("/")[0]
        return same_stack and tags.get(resource) == self.logical_id
