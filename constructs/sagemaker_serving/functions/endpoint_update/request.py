"""What CloudFormation asks of the custom resource."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sagemaker_serving.functions.custom_resource import request as custom_resource


class Request(custom_resource.Request):
    """A request for ``endpoint`` to serve ``config``."""

    @property
    def endpoint(self) -> str:
        """The endpoint that is moved."""
        return str(self.properties["EndpointName"])

    @property
    def config(self) -> str:
        """What it is to serve."""
        return str(self.properties["EndpointConfigName"])

    def has_content_of(self, config: str) -> bool:
        """Whether another config was made of the same content, as far as its name tells.

        ``Content`` is a logical id that ends in a hash of the content, and CloudFormation makes
        names of that and a random part (aws/aws-cli#4021). In a name that is cut it does not stand.
        """
        content = self.properties.get("Content")
        return content is not None and f"-{content}-" in f"-{config}"

    @property
    def update(self) -> Mapping[str, Any]:
        """UpdateEndpoint's other members."""
        found: Mapping[str, Any] = json.loads(self.properties.get("Update", "{}"))
        return found

    @property
    def former_endpoint(self) -> str | None:
        """The endpoint of before an Update."""
        return None if self.previous is None else self.previous.get("EndpointName")

    @property
    def former_config(self) -> str | None:
        """What an Update leaves; on the way back of a stack, what the failed deploy wanted."""
        return None if self.previous is None else self.previous.get("EndpointConfigName")

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
