"""Resource types that say only which operations make, change, describe and delete them.

The rest is read from botocore's models and CloudFormation's schemas: how an operation names a
resource, by ``VpcId`` or ``VpcIds``; which properties an operation takes; what has tags; which
attribute is the resource's id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from local_aws.context import LocalContext
from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Provider, Request, ResourceFailed
from local_aws.schemas import Place, Schema, schema_of


class Declared(ApiProvider):
    """One type, by its service's operations.

    ``id_argument`` names the resource in calls, and in the answer of ``create``; None is one that
    its own properties name, and whose physical id is ``made_id`` of the request, or else what its
    schema says that it is known by, with ``|`` between.
    The operations of ``modify`` change what ``create`` does not take, and what is changed later;
    ``replace`` is an
    operation that takes all of ``create``'s arguments again. ``attributes`` are read from the one
    item that ``describe`` lists. ``renamed`` are arguments by properties of another name;
    ``defaults`` what a property is that a template has not, absent False.
    """

    def __init__(
        self,
        type_name: str,
        create: str,
        delete: str,
        *,
        id_argument: str | None = None,
        made_id: Callable[[Request], str] | None = None,
        describe: str | None = None,
        attributes: Mapping[str, str] | None = None,
        modify: Iterable[str] = (),
        replace: str | None = None,
        renamed: Mapping[str, str] | None = None,
        defaults: Mapping[str, Any] | None = None,
        name_property: str | None = None,
        not_carried_out: Iterable[str] = (),
        unchangeable: Iterable[str] = (),
    ) -> None:
        self.type_name = type_name
        self.create_operation = create
        self.delete_operation = delete
        self.id_argument = id_argument
        self.made_id = made_id
        self.describe_operation = describe
        self.attributes = attributes or {}
        self.modify_operations = tuple(modify)
        self.replace_operation = replace
        self.renamed = renamed or {}
        self.defaults = defaults or {}
        self.name_property = name_property
        self.not_carried_out = frozenset(not_carried_out)
        self.unchangeable = frozenset(unchangeable)

    @override
    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        """Whether the operation that creates it takes the property, or one that changes it."""
        if not Provider.supports(self, context, region, place):
            return False
        schema = schema_of(self.type_name, region)
        if schema is not None and place[0] == schema.tag_property:
            return True
        argument = (self.renamed.get(place[0], place[0]), *place[1:])
        if super().supports(context, region, argument):
            return True
        client = context.client(self.service, region)
        return any(
            {argument[0], f"Add{argument[0]}"} & self._taken(client, operation).keys()
            for operation in self.modify_operations
        )

    @override
    def create(self, request: Request) -> str:
        made_id = None if self.made_id is None else self.made_id(request)
        answer = self.call(request, self.create_operation, self.arguments(request), Tags=None)
        for failed in answer.get("Unsuccessful", ()):
            raise ResourceFailed(failed["Error"]["Message"], code="InvalidRequest")
        if made_id is None and self.id_argument is None:
            return "|".join(
                str(request.properties[name]) for name in self._schema(request).identifier
            )
        return str(made_id or next(_named(answer, self.id_argument or "")))

    @override
    def complete(self, request: Request) -> Attributes:
        taken = self._taken(request.client(self.service), self.create_operation)
        late = {name for name in request.properties if self.renamed.get(name, name) not in taken}
        self._modify(request, late)
        self._tag(request)
        return self.attributes_now(request)

    @override
    def update(self, request: Request) -> Attributes:
        changed = {
            name
            for name in {*request.previous, *request.properties}
            if request.changed(name) and name != "Tags"
        }
        if changed and self.replace_operation is not None:
            self.call(request, self.replace_operation, self.arguments(request))
        self._modify(request, changed)
        self._tag(request)
        return self.attributes_now(request)

    @override
    def delete(self, request: Request) -> None:
        self.discard(request, self.delete_operation, **self.named(request, self.delete_operation))

    @override
    def attributes_now(self, request: Request) -> Attributes:
        schema = self._schema(request)
        own = [name for name in schema.identifier if name in schema.read_only]
        itself = {own[0]: request.physical_id} if len(own) == 1 else {}
        described = self.described(request) if self.attributes else {}
        return itself | {name: at(described, path) for name, path in self.attributes.items()}

    def arguments(self, request: Request) -> Mapping[str, Any]:
        """What the operation that creates it is given; the properties, in its words."""
        return self.worded(request.properties)

    def worded(self, properties: Properties) -> dict[str, Any]:
        """Properties in the operations' words."""
        given = {**self.defaults, **properties}
        return {self.renamed.get(name, name): value for name, value in given.items()}

    def named(self, request: Request, operation: str) -> dict[str, Any]:
        """How ``operation`` names the resource: one, or a list of one."""
        if self.id_argument is None:
            return self.worded(request.properties)
        taken = self._taken(request.client(self.service), operation)
        for name in (self.id_argument, f"{self.id_argument}s"):
            if name in taken:
                return {name: [request.physical_id] if name.endswith("s") else request.physical_id}
        return {}

    def described(self, request: Request) -> Mapping[str, Any]:
        """What the service says of the resource."""
        assert self.describe_operation is not None
        operation = self.describe_operation
        answer = self.call(request, operation, **self.named(request, operation))
        (item,) = next(listed for listed in answer.values() if isinstance(listed, list))
        return dict(item)

    def _modify(self, request: Request, names: set[str]) -> None:
        """Change properties by the operations that do so: values as they are, lists by what is to
        be added and removed, each of what stands in a structure of its own by a call of its own."""
        for operation in self.modify_operations:
            taken = self._taken(request.client(self.service), operation)
            together: dict[str, Any] = {}
            for name in sorted(names):
                argument = self.renamed.get(name, name)
                value = request.properties.get(name, self.defaults.get(name))
                if f"Add{argument}" in taken:
                    together |= _difference(request, name, taken[f"Remove{name}"].member)
                elif argument in taken and set(getattr(taken[argument], "members", ())) == {
                    "Value"
                }:
                    self._do(request, operation, {argument: {"Value": value or False}})
                elif argument in taken:
                    together[argument] = value
            if any(value not in (None, []) for value in together.values()):
                self._do(request, operation, together)

    def _do(self, request: Request, operation: str, arguments: Mapping[str, Any]) -> None:
        self.call(request, operation, **self.named(request, operation), **arguments)

    def _tag(self, request: Request) -> None:
        schema = schema_of(self.type_name, request.region)
        if schema is not None and schema.tag_property is not None:
            self.retag(request)

    def _schema(self, request: Request) -> Schema:
        schema = schema_of(self.type_name, request.region)
        assert schema is not None
        return schema

    def _taken(self, client: Any, operation: str) -> Mapping[str, Any]:
        """The arguments of an operation, by name."""
        shape = client.meta.service_model.operation_model(operation).input_shape
        members: Mapping[str, Any] = shape.members
        return members


def at(answer: Any, path: str) -> Any:
    """What lies at a path of names and numbers: ``Vpc.VpcId``, ``Ids.0``; ``*`` is each item.

    What is not there is None.
    """
    for number, step in enumerate(steps := path.split(".")):
        if step == "*":
            return [at(item, ".".join(steps[number + 1 :])) for item in answer or ()]
        if step.isdigit():
            answer = answer[int(step)] if answer and len(answer) > int(step) else None
        else:
            answer = answer.get(step) if isinstance(answer, Mapping) else None
    return answer


def _named(answer: Any, name: str) -> Iterator[Any]:
    """What is called ``name`` in an answer, or is the first of a list of such, outermost first."""
    members = answer.items() if isinstance(answer, Mapping) else ()
    yield from (value for key, value in members if key == name)
    yield from (value[0] for key, value in members if key == f"{name}s" and value)
    for item in answer if isinstance(answer, list) else dict(members).values():
        yield from _named(item, name)


def _difference(request: Request, name: str, removed: Any) -> dict[str, Any]:
    """What is to be added to a list property, and removed from it as ``removed`` names an item."""
    old, new = (each.get(name) or [] for each in (request.previous, request.properties))
    gone = [item for item in old if item not in new]
    if removed.type_name == "structure":
        gone = [{key: item[key] for key in item.keys() & removed.members.keys()} for item in gone]
    return {f"Add{name}": [item for item in new if item not in old], f"Remove{name}": gone}
