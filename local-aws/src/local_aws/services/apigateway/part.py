"""How most resource types of REST APIs are made, changed by patches, and taken away."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiPart, fitted, tags_of
from local_aws.resources.base import Attributes, Properties, Request

from .patches import patches_between


class Part(ApiPart):
    """A type that patches change."""

    service = "apigateway"
    answers = "id"
    within: tuple[str, ...] = ("RestApiId",)

    @override
    def update(self, request: Request) -> Attributes:
        operation = f"Update{self.stem}"
        shape = (
            request.client("apigateway").meta.service_model.operation_model(operation).output_shape
        )
        patches = list(
            patches_between(
                shape,
                self._as_api(shape, self.wanted(request.previous)),
                self._as_api(shape, self.wanted(request.properties)),
            )
        )
        if patches:
            self.call(request, operation, **self.place(request), patchOperations=patches)
        return self.attributes(request)

    @override
    def wanted(self, properties: Properties) -> Properties:
        tags = {"Tags": tags_of(properties)} if "Tags" in properties else {}
        return {**properties, **tags}

    def _as_api(self, shape: Any, properties: Properties) -> dict[str, Any]:
        members = {name.casefold(): name for name in shape.members}
        outside = {name.casefold() for name in self.within}
        return {
            members[name.casefold()]: fitted(shape.members[members[name.casefold()]], value, name)
            for name, value in properties.items()
            if name.casefold() in members and name.casefold() not in outside
        }
