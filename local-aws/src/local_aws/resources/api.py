"""Resources that are made by a service's own API, as a user of boto3 makes them.

CloudFormation's properties and the API's arguments differ in little: the case
of first letters, numbers and booleans written as text, tags as a list or a
map, policies as an object or as text. `fitted` turns the one into the other by
botocore's shapes, so that a provider names only what truly differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError
from typing_extensions import override

from local_aws.context import LocalContext
from local_aws.resources.base import Attributes, Properties, Provider, Request, ResourceFailed
from local_aws.schemas import Place, schema_of

NOT_FOUND = (
    "NoSuch",
    "NotFound",
    "DoesNotExist",
    "NonExistent",
    "Could not find",
    "does not exist",
)
"""What services say, in codes and messages, of a thing that is not there."""


class ApiProvider(Provider):
    """A provider over one service's boto3 client."""

    service: str
    create_operation: str
    """The operation whose arguments are the properties that can be given."""
    also_supported: frozenset[str] = frozenset()
    """Properties that the provider carries out by other calls, or in other words."""
    deletes: tuple[str, str]
    """The operation that deletes it, and the argument that its physical id is."""
    id_attribute: str = ""
    """The attribute that its physical id is, where it has no other."""
    tag_operations: tuple[str, str] = ("TagResource", "UntagResource")
    reading: str | None = None
    """The call that tells the properties, its argument for the physical id, and the members of
    the answer that lead to them: ``DescribeAlarms AlarmNames MetricAlarms 0``."""

    @override
    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        """Whether the create operation takes the property, or the provider sees to it."""
        if not super().supports(context, region, place):
            return False
        if place[0].casefold() in {name.casefold() for name in self.also_supported}:
            return True
        shape = _shape(context.client(self.service, region), self.create_operation)
        for name in place:
            while shape.type_name == "list":
                shape = shape.member
            if shape.type_name != "structure":
                return True
            members = _members(shape)
            if name.casefold() not in members:
                return False
            shape = shape.members[members[name.casefold()]]
        return True

    @override
    def read(self, request: Request) -> Mapping[str, Any] | None:
        if self.reading is None:
            return None
        operation, argument, *steps = self.reading.split(" ")
        said: Any = self.call(request, operation, **{argument: request.physical_id})
        for step in steps:
            if step == "0":  # of lists that were asked for what begins like it, too
                ours = (each for each in said if request.physical_id in each.values())
                said = next(ours, None)
            else:
                said = said[step]
        if not said:
            absent = {"Error": {"Code": "ResourceNotFound", "Message": "it does not exist"}}
            raise ClientError(absent, operation)
        found: Mapping[str, Any] = said
        return found

    @override
    def complete(self, request: Request) -> Attributes:
        """What its physical id tells."""
        return {self.id_attribute: request.physical_id} if self.id_attribute else {}

    @override
    def delete(self, request: Request) -> None:
        """Delete it by its physical id."""
        operation, argument = self.deletes
        self.discard(request, operation, **{argument: request.physical_id})

    def call(
        self, request: Request, operation: str, *sources: Mapping[str, Any], **values: Any
    ) -> dict[str, Any]:
        """Call ``operation`` with what it takes of ``sources``, and ``values``.

        None is absent, and so are no Tags, of which many operations want one at least.

        Raises botocore's ClientError, and ResourceFailed when a nested property is none that
        the operation takes.
        """
        client = request.client(self.service)
        merged = {key: value for source in sources for key, value in source.items()} | values
        shape = _shape(client, operation)
        names = _members(shape)
        arguments = {
            names[key.casefold()]: fitted(shape.members[names[key.casefold()]], value, key)
            for key, value in merged.items()
            if value is not None and key.casefold() in names and (value or key != "Tags")
        }
        method = getattr(client, xform_name(operation))
        answer: dict[str, Any] = method(**arguments)
        return answer

    def discard(self, request: Request, operation: str, **values: Any) -> None:
        """Call ``operation``, which takes something away; that it is gone already is fine."""
        try:
            self.call(request, operation, **values)
        except ClientError as error:
            if not is_absent(error):
                raise

    def switch(self, request: Request, name: str, put: str, drop: str, **target: Any) -> None:
        """Bring a property that has operations of its own: one puts it, one takes it away."""
        if request.changed(name):
            value = request.properties.get(name)
            self.call(request, drop if value is None else put, **target, **{name: value})

    def retag(self, request: Request, **target: Any) -> None:
        """Bring the resource's tags from the previous ones to the wanted ones."""
        schema = schema_of(self.type_name, request.region)
        name = (schema and schema.tag_property) or "Tags"
        old, new = (
            tags_of({"Tags": each.get(name)}) for each in (request.previous, request.properties)
        )
        tag, untag = self.tag_operations
        gone = sorted(old.keys() - new.keys())
        changed = {key: value for key, value in new.items() if old.get(key) != value}
        if gone:
            self.call(request, untag, TagKeys=gone, **target)
        if changed:
            self.call(request, tag, Tags=tag_list(changed), **target)


class PutProvider(ApiProvider):
    """A provider whose ``create`` changes what is there already: an update is the same again."""

    @override
    def update(self, request: Request) -> Attributes:
        self.create(request)
        return self.complete(request)


class ApiPart(ApiProvider):
    """A type of an API Gateway that one operation makes, one changes, and one takes away.

    ``stem`` is how those are called (``CreateModel``, ``UpdateModel``), ``named`` the argument
    that names it to the others, ``answers`` the member of the first one's answer that Ref gives,
    which is called as that argument unless given, ``within`` the properties that name what it is
    in.
    """

    stem: str
    named: str
    answers = ""
    within: tuple[str, ...]
    verb = "Create"

    def __init__(self) -> None:
        self.create_operation = f"{self.verb}{self.stem}"

    @override
    def create(self, request: Request) -> str:
        answer = self.call(request, self.create_operation, self.wanted(request.properties))
        return str(answer[self.answers or self.named])

    @override
    def complete(self, request: Request) -> Attributes:
        return self.attributes(request)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, f"Delete{self.stem}", **self.place(request))

    def wanted(self, properties: Properties) -> Properties:
        """The properties in the API's words."""
        return properties

    def place(self, request: Request) -> dict[str, Any]:
        """The arguments that name the resource."""
        return {**given(request.properties, self.within), self.named: request.physical_id}

    def attributes(self, request: Request) -> Attributes:
        """What GetAtt gives: mostly the one id that the schema has."""
        schema = schema_of(self.type_name, request.region)
        return dict.fromkeys(schema.read_only if schema is not None else (), request.physical_id)


def fitted(shape: Any, value: Any, place: str) -> Any:
    """``value`` as the API's ``shape`` wants it; ``place`` names it in errors."""
    match shape.type_name:
        case "structure":
            return _fitted_structure(shape, value, place)
        case "list":
            items = value if isinstance(value, list) else [value]
            return [fitted(shape.member, item, f"{place}/{n}") for n, item in enumerate(items)]
        case "map":
            pairs = tags_of({"Tags": value}) if isinstance(value, list) else value
            return {
                str(key): fitted(shape.value, item, f"{place}/{key}") for key, item in pairs.items()
            }
        case "string":
            return value if isinstance(value, bytes) else _text(value)
        case "boolean":
            return value if isinstance(value, bool) else str(value).lower() == "true"
        case "integer" | "long":
            return _number(int, value, place)
        case "float" | "double":
            return _number(float, value, place)
        case "blob":
            return value if isinstance(value, bytes) else _text(value).encode()
        case _:
            return value


def is_absent(error: ClientError) -> bool:
    """Whether a service says that there is no such thing."""
    said = f"{error.response['Error'].get('Code')} {error.response['Error'].get('Message')}"
    return any(words in said for words in NOT_FOUND) or said.startswith("404 ")


def given(properties: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Those of the properties that are there."""
    return {name: properties[name] for name in names if name in properties}


def tags_of(properties: Mapping[str, Any]) -> dict[str, str]:
    """The Tags property, a list of Key and Value or a map, as a map."""
    tags = properties.get("Tags") or {}
    if isinstance(tags, list):
        return {str(tag["Key"]): _text(tag.get("Value", "")) for tag in tags}
    return {str(key): _text(value) for key, value in tags.items()}


def stack_tags(request: Request) -> dict[str, str]:
    """The tags by which AWS marks what a stack made, where a service shows them."""
    tags = {
        "logical-id": request.logical_id,
        "stack-id": request.stack_id,
        "stack-name": request.stack_name,
    }
    return {f"aws:cloudformation:{key}": value for key, value in tags.items()}


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags as a list of Key and Value."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def _fitted_structure(shape: Any, value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ResourceFailed(f"#/{place}: expected type: Object, found {value!r}")
    names = _members(shape)
    for key in value:
        if key.casefold() not in names:
            raise ResourceFailed(
                f"#/{place}: extraneous key [{key}] is not permitted", code="InvalidRequest"
            )
    return {
        names[key.casefold()]: fitted(shape.members[names[key.casefold()]], item, f"{place}/{key}")
        for key, item in value.items()
        if item is not None
    }


@lru_cache(maxsize=2048)
def _members(shape: Any) -> Mapping[str, str]:
    """The names of a structure's members, by those that a template may write in any case."""
    names = {name.casefold(): name for name in shape.members}
    is_tag = shape.members.keys() == {"TagKey", "TagValue"}
    return names | ({"key": "TagKey", "value": "TagValue"} if is_tag else {})


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _number(kind: type[int] | type[float], value: Any, place: str) -> int | float:
    try:
        return kind(value)
    except (TypeError, ValueError):
        raise ResourceFailed(
            f"#/{place}: expected a number, found {value!r}", code="InvalidRequest"
        ) from None


def _shape(client: Any, operation: str) -> Any:
    return client.meta.service_model.operation_model(operation).input_shape
