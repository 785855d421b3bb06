"""How most resource types of REST APIs are made, changed by patches, and taken away."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider, fitted, given, tags_of
from local_aws.resources.base import Attributes, Properties, Request
from local_aws.schemas import schema_of

from .patches import patches_between


class Part(ApiProvider):
    """A type that one operation makes, one changes by patches, and one takes away.

    ``stem`` is how those are called (``CreateModel``, ``UpdateModel``), ``answers`` the member of
    the first one's answer that Ref gives, ``named`` the argument that names it to the others,
    ``within`` the properties that name what it is in.
    """

    service = "apigateway"
    stem: str
    answers = "id"
    named: str
    within: tuple[str, ...] = ("RestApiId",)
    verb = "Create"

    def __init__(self) -> None:
        self.create_operation = f"{self.verb}{self.stem}"

    @override
    def create(self, request: Request) -> str:
        answer = self.call(request, self.create_operation, self.wanted(request.properties))
        return str(answer[self.answers])

    @override
    def complete(self, request: Request) -> Attributes:
        return self.attributes(request)

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
    def delete(self, request: Request) -> None:
        self.discard(request, f"Delete{self.stem}", **self.place(request))

    def wanted(self, properties: Properties) -> Properties:
        """The properties in the API's words."""
        tags = {"Tags": tags_of(properties)} if "Tags" in properties else {}
        return {**properties, **tags}

    def place(self, request: Request) -> dict[str, Any]:
        """The arguments that name the resource."""
        own = {self.named: request.physical_id}
        return {**given(request.properties, self.within), **own}

    def attributes(self, request: Request) -> Attributes:
        """What GetAtt gives: mostly the one id that the schema has."""
        schema = schema_of(self.type_name, request.region)
        return dict.fromkeys(schema.read_only if schema is not None else (), request.physical_id)

    def _as_api(self, shape: Any, properties: Properties) -> dict[str, Any]:
        members = {name.casefold(): name for name in shape.members}
        outside = {name.casefold() for name in self.within}
        return {
            members[name.casefold()]: fitted(shape.members[members[name.casefold()]], value, name)
            for name, value in properties.items()
            if name.casefold() in members and name.casefold() not in outside
        }
