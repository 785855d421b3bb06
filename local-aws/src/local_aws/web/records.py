"""A control plane by its own HTTP model: what is told it is kept under the paths that it has.

API Gateway's two APIs are plain: POST makes something in a collection, PUT at its own path, PATCH
changes it, DELETE takes it away with all below it, GET shows one or lists them. botocore's models
have method, path and members of every operation; so this is all of them, and a service says only
what it adds.
"""

from __future__ import annotations

import re
import secrets
import string
import threading
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.protocol.models import service_model

Record = dict[str, Any]


class Records:
    """What one service was told, in every region, by ``<region><path>``: plain JSON.

    ``names`` are the members that name what is made in a collection, by the last part of the
    collection's path; others get an ``id``, under that name or the one in ``ids``.
    """

    def __init__(self, names: Mapping[str, str], id_member: str) -> None:
        self.lock = threading.RLock()
        self._names = names
        self._id_member = id_member
        self._by_path: dict[str, Record] = {}

    def find(self, path: str) -> Record | None:
        """What is kept at a path, as it is kept; None when nothing is."""
        return self._by_path.get(path)

    def get(self, path: str) -> Record:
        """The same; raises NotFoundException."""
        found = self._by_path.get(path)
        if found is None:
            raise not_found(path)
        return found

    def put(self, path: str, record: Record) -> Record:
        """Keep ``record`` at a path, in place of what was there."""
        with self.lock:
            self._by_path[path] = record
        return record

    def below(self, path: str) -> dict[str, Record]:
        """All that is below a path, by the rest of theirs: ``/resources/abc``."""
        with self.lock:
            every = list(self._by_path.items())
        return {key[len(path) :]: record for key, record in every if key.startswith(f"{path}/")}

    def listed(self, path: str) -> list[Record]:
        """What a collection has, in the order in which it was made."""
        return [record for rest, record in self.below(path).items() if rest.count("/") == 1]

    def remove(self, path: str) -> None:
        """Forget what is at a path and below it; raises NotFoundException."""
        with self.lock:
            self.get(path)
            for rest in ("", *self.below(path)):
                self._by_path.pop(path + rest, None)

    def all(self) -> Iterator[tuple[str, Record]]:
        """Every record with its path."""
        with self.lock:
            return iter(list(self._by_path.items()))

    def create(self, call: Call, **more: Any) -> tuple[str, Record]:
        """Do a POST: what is made, and its path. Raises ConflictException."""
        collection = path_of(call)
        last = collection.rpartition("/")[2]
        name = self._names.get(last)
        record = {**given(call), **more}
        if name is None:
            record.setdefault(self._id_of(last), new_id())
        key = record[name or self._id_of(last)]
        with self.lock:
            path = f"{collection}/{key}"
            if path in self._by_path:
                raise AwsError("ConflictException", f"{key} already exists", status=409)
            self._by_path[path] = record
        return path, record

    def show(self, call: Call) -> Record:
        """Do a GET: one record, or a page of a collection."""
        path = path_of(call)
        items = self.items_member(call)
        if items is None:
            return self.get(path)
        if path.count("/") > 1:
            parent = path.rpartition("/")[0]
            if parent.rpartition("/")[0].count("/") >= 1:
                self.get(parent)
        return paged(call, items, self.listed(path))

    def delete(self, call: Call) -> Record:
        """Do a DELETE."""
        self.remove(path_of(call))
        return {}

    def get_tags(self, call: Call) -> Record:
        """The tags of what an ARN names."""
        record, tags, _ = self._tagged(call)
        return {tags: record.get(tags, {})}

    def tag_resource(self, call: Call) -> Record:
        """Add tags to it."""
        record, tags, _ = self._tagged(call)
        record[tags] = {**record.get(tags, {}), **call.parameters[tags]}
        return {}

    def untag_resource(self, call: Call) -> Record:
        """Take tags from it."""
        record, tags, keys = self._tagged(call)
        gone = call.parameters[keys]
        record[tags] = {k: v for k, v in record.get(tags, {}).items() if k not in gone}
        return {}

    def items_member(self, call: Call) -> str | None:
        """The member in which an operation lists what it shows; None when it shows one."""
        shape = call.model.output_shape
        found = (each for each in ("items", "item", "Items") if shape and each in shape.members)
        return next(found, None)

    def export_state(self) -> dict[str, Any]:
        """Everything, as JSON has it."""
        return deepcopy(dict(self.all()))

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Become what `export_state` gave."""
        with self.lock:
            self._by_path = dict(state)

    def _tagged(self, call: Call) -> tuple[Record, str, str]:
        """What ``arn:aws:apigateway:eu-west-1::/restapis/abc`` names, and how its API calls tags
        and their keys. ARNs leave out the version that the paths of HTTP APIs have."""
        given = call.parameters
        newer = "ResourceArn" in given
        path = str(given["ResourceArn" if newer else "resourceArn"]).partition("::")[2]
        record = self.get(call.region + path.replace("/apis/", "/v2/apis/"))
        return record, *(("Tags", "TagKeys") if newer else ("tags", "tagKeys"))

    def _id_of(self, collection: str) -> str:
        """``id``, or ``RouteId`` of ``routes``."""
        if self._id_member:
            return self._id_member
        return f"{collection[:1].upper()}{collection[1:].removesuffix('s')}Id"


def paged(call: Call, member: str, items: Iterable[Record]) -> Record:
    """A page of items, as ``limit`` and ``position`` or ``MaxResults`` and ``NextToken`` ask.

    Raises AwsError BadRequestException for what asks for no page.
    """
    parameters = call.parameters
    token = "NextToken" if member == "Items" else "position"
    limit = _number(parameters.get("MaxResults") or parameters.get("limit") or 500)
    start = _number(parameters.get(token) or 0)
    every = list(items)
    page: Record = {member: every[start : start + limit]}
    if len(every) > start + limit:
        page[token] = str(start + limit)
    return page


def _number(asked: object) -> int:
    text = str(asked)
    if not text.isdecimal():
        raise AwsError("BadRequestException", f"Invalid paging parameter: '{text}'")
    return int(text)


def path_of(call: Call) -> str:
    """The region and the path that a call was sent to, as the operation's model has it."""
    parameters = call.parameters
    members = call.model.input_shape.members
    in_uri = {
        shape.serialization.get("name", name): str(parameters.get(name, ""))
        for name, shape in members.items()
        if shape.serialization.get("location") == "uri"
    }
    uri = call.model.http["requestUri"].partition("?")[0]
    return call.region + re.sub(r"{(.+?)\+?}", lambda name: in_uri[name[1]], uri)


def given(call: Call) -> Record:
    """The members of a call that are not in its path."""
    members = call.model.input_shape.members
    return {
        name: deepcopy(value)
        for name, value in call.parameters.items()
        if name in members
        and value is not None
        and members[name].serialization.get("location") != "uri"
    }


def new_id(length: int = 10) -> str:
    """An id as API Gateway gives them."""
    alphabet = string.ascii_lowercase + string.digits
    return secrets.choice(string.ascii_lowercase) + "".join(
        secrets.choice(alphabet) for _ in range(length - 1)
    )


def bad_request(message: str) -> AwsError:
    """API Gateway's error for what it does not take."""
    return AwsError("BadRequestException", message)


def not_found(path: str) -> AwsError:
    """API Gateway's error for what is not there, by the path at which it is not."""
    parent, _, name = path.rpartition("/")
    kind = _KINDS.get(parent.rpartition("/")[2], _KINDS.get(name, "Resource"))
    return AwsError("NotFoundException", f"Invalid {kind} identifier specified", status=404)


_KINDS = {
    "restapis": "API",
    "apis": "API",
    "resources": "Resource",
    "methods": "Method",
    "stages": "stage",
    "deployments": "Deployment",
    "authorizers": "Authorizer",
    "models": "model",
    "apikeys": "API Key",
    "usageplans": "Usage Plan",
    "keys": "API Key",
    "integrations": "Integration",
    "integration": "Integration",
    "routes": "Route",
    "responses": "Response status code",
    "requestvalidators": "Request Validator",
    "domainnames": "domain name",
    "basepathmappings": "base path mapping",
    "gatewayresponses": "Gateway response",
}
"""What errors call what stands in a collection (recorded by LocalStack's suite, 2024)."""


def service_operations(service: str) -> Mapping[str, str]:
    """The HTTP method of each operation of a service."""
    model = service_model(service)
    return {name: model.operation_model(name).http["method"] for name in model.operation_names}
