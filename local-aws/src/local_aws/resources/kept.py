"""Every type that CloudFormation's schemas know and nothing here carries out: it is only kept.

Its properties are judged by its schema, it gets a physical id and attributes of the right form, is
updated or replaced as the schema says, and deleted. What it would do on AWS is not done, which is
told: see `Provider.only_kept`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

from typing_extensions import override

from local_aws.arn import Arn, arn_in
from local_aws.clock import iso, now
from local_aws.context import LocalContext
from local_aws.permissions.reference import reference
from local_aws.resources.base import Attributes, Made, Provider, Request, ResourceFailed
from local_aws.resources.patterns import text_like
from local_aws.schemas import Place, Schema, schema_of
from local_aws.template.regions import region_names

REFUSED = frozenset({"AWS::CloudFormation::WaitCondition", "AWS::Lambda::ResourcePolicy"})
"""Types that are never only kept: a deploy would go on without the signal that it has to wait for,
and what a policy forbids would be allowed here."""

_REF = {
    "AWS::Batch::JobDefinition": "JobDefinitionArn",
    "AWS::CodeBuild::Project": "Name",
    "AWS::Route53::RecordSet": "Name",
    "AWS::SecretsManager::RotationSchedule": "SecretId",
    "AWS::SecretsManager::SecretTargetAttachment": "SecretId",
}
"""The property that Ref gives where it is not the identifier (each type's page in the
CloudFormation template reference, "Return values")."""

_REF_IS_A_MEMBER = ("ApiGateway", "ApiGatewayV2", "AppConfig", "Cognito", "ECS", "Glue", "RDS")
"""Services whose types with an identifier of several members are older than identifiers: Ref gives
the member that names the resource in its parent. All others give them all, with ``|`` between
(same pages; LocalStack's ``quirks.py``)."""


class Kept(Provider):
    """One type that is only kept."""

    judged_whole = True

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name

    @override
    def create(self, request: Request) -> Made:
        schema = self._judged(request)
        self._refuse_another(schema, request)
        forms = _Forms(schema, request)
        attributes = forms.attributes()
        return Made(physical_id=forms.ref(attributes), attributes=attributes)

    @override
    def update(self, request: Request) -> Attributes:
        self._judged(request)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        return None

    @override
    def only_kept(self, context: LocalContext, region: str, places: Iterable[Place]) -> list[str]:
        return [self.whole]

    def _refuse_another(self, schema: Schema, request: Request) -> None:
        """Raise ResourceFailed where a stack has one of the name that the template gives it."""
        (name, *more) = schema.identifier
        if more or name not in request.properties or self.type_name in _REF:
            return
        cloudcontrol, identifier = request.client("cloudcontrol"), str(request.properties[name])
        with suppress(cloudcontrol.exceptions.ResourceNotFoundException):
            cloudcontrol.get_resource(TypeName=self.type_name, Identifier=identifier)
            raise ResourceFailed(
                f"Resource of type '{self.type_name}' with identifier '{identifier}' already "
                "exists.",
                code="AlreadyExists",
            )

    def _judged(self, request: Request) -> Schema:
        """The schema, once the properties are what it says. Raises ResourceFailed."""
        schema = schema_of(self.type_name, request.region)
        assert schema is not None, f"{self.type_name} was not refused beforehand"
        problems = schema.problems(request.properties, whole=True)
        if problems:
            raise ResourceFailed(
                f"Properties validation failed for resource {request.logical_id} with message: "
                + "; ".join(problems),
                code=None,
            )
        return schema


class _Forms:
    """The names and attributes of one resource, each of the form that its schema says."""

    def __init__(self, schema: Schema, request: Request) -> None:
        self._schema = schema
        self._request = request
        self._name = self._named()
        self._id = secrets.token_hex(8)

    def attributes(self) -> Attributes:
        """What only the service sets, and the identifier, where it was not given."""
        found: Attributes = {}
        names = [name for name in self._schema.identifier if name in self._schema.properties]
        for path in [(name,) for name in names] + sorted(self._schema.read_only_places):
            if path[0] not in self._request.properties or len(path) > 1:
                self._put(found, path)
        return found

    def ref(self, attributes: Attributes) -> str:
        """The physical id."""
        known = {**attributes, **self._request.properties}
        type_name, names = self._schema.type_name, self._schema.identifier
        if type_name in _REF:
            names = (_REF[type_name],)
        elif len(names) > 1 and type_name.split("::")[1] in _REF_IS_A_MEMBER:
            own = [name for name in names if name in self._schema.read_only]
            names = (own[0] if len(own) == 1 else names[-1],)
        return "|".join(str(known[name]) for name in names if name in known) or self._name

    def _put(self, found: Attributes, path: Place) -> None:
        """The value at a path, where there is a schema of it and no list on the way."""
        shape: Any = {"properties": self._schema.properties}
        for name in path:
            shape = self._schema.resolved(shape).get("properties", {}).get(name)
            if shape is None:
                return
        for name in path[:-1]:
            found = found.setdefault(name, {})
            if not isinstance(found, dict):
                return
        found.setdefault(path[-1], self._value(path[-1], shape, 0))

    def _named(self) -> str:
        """The resource's own name: as given, or made."""
        properties = self._request.properties
        names = [name for name in self._schema.identifier if not name.lower().endswith("arn")]
        for name in names:
            shape = self._schema.resolved(self._schema.properties.get(name, {}))
            if name not in self._schema.read_only:
                return str(properties[name] if name in properties else self._made(shape))
            if len(self._schema.identifier) == 1:
                return text_like(shape, secrets.token_hex(8)) or self._made(shape)
        last = self._schema.type_name.split("::")[2]
        given = (properties.get(name) for name in ("Name", f"{last}Name"))
        return next((each for each in given if isinstance(each, str)), None) or self._made({})

    def _made(self, shape: Mapping[str, Any]) -> str:
        name = self._request.name(min(int(shape.get("maxLength", 63)), 63))
        bare = re.sub(r"\W", "", name)
        return text_like(shape, name, name.lower(), bare, bare.lower()) or name

    def _value(self, name: str, shape: Any, depth: int) -> Any:
        shape = self._schema.resolved(shape)
        kind = shape.get("type", "string")
        match kind if isinstance(kind, str) else "string":
            case "boolean":
                return False
            case "integer" | "number":
                return shape.get("minimum", shape.get("default", 1))
            case "array":
                within = self._schema.resolved(shape.get("items") or {})
                simple = within.get("type") == "string"
                return [self._text(name.removesuffix("s"), within)] if simple else []
            case "object":
                inner = shape.get("properties") or {}
                deep = depth < 4  # some contain themselves
                return {
                    key: self._value(key, each, depth + 1) for key, each in inner.items() if deep
                }
            case _:
                return self._text(name, shape)

    def _text(self, name: str, shape: Mapping[str, Any]) -> str:
        if shape.get("enum"):
            return str(shape["enum"][0])
        if re.search(r"(?i)arn$", name):
            return self._arn(shape)
        given = name not in self._schema.read_only or len(self._schema.identifier) == 1
        if name in self._schema.identifier and given:
            return self._name
        region = self._request.region
        suffix = region_names(region)["AWS::URLSuffix"]
        host = f"{self._name.lower()}.{self._schema.service_prefix}.{region}.{suffix}"
        forms = {
            r"(?i)(ur[il]|website)$": f"https://{host}",
            r"(?i)(endpoint|address|dns|dnsname|domainname|host|hostname)$": host,
            r"(At|Time|Date|Timestamp)$": iso(now()),
            r"(?i)account(id)?$": self._request.context.account_id,
            r"Region$": region,
            r"(Name|Identifier)$": self._name,
            r"(Status|State)$": "ACTIVE",
            r"Version$": "1",
            r"Port$": "443",
            r"Id$": secrets.token_hex(8),
        }
        by_name = (form for ending, form in forms.items() if re.search(ending, name))
        return text_like(shape, *by_name, secrets.token_hex(8)) or self._name

    def _versioned_name(self) -> str:
        """The name, as ARNs have it: those of Image Builder go on with the version, and with a
        build's number where there are builds (Image Builder API reference, CreateContainerRecipe,
        CreateComponent, CreateWorkflow)."""
        version = self._request.properties.get("Version")
        if self._schema.service_prefix != "imagebuilder" or version is None:
            return self._name
        is_built = "Data" in self._schema.properties
        name = re.sub(r"[^a-z0-9-]+", "-", self._name.lower())
        return f"{name}/{version}{'/1' if is_built else ''}"

    def _arn(self, shape: Mapping[str, Any]) -> str:
        """As the service authorization reference writes it, or the schema's pattern."""
        request, service = self._request, self._schema.service_prefix
        last = self._schema.type_name.split("::")[2]
        written = _arn_formats(service).get(last.lower())
        resource = f"{last.lower()}/{self._name}"
        if written is not None:
            resource = Arn.parse(written).resource.replace(".*", self._versioned_name())
        arn = arn_in(request.region, service, request.context.account_id, resource)
        made = text_like(shape, arn)
        if made in (None, arn):
            return arn
        parts = Arn.parse(made or arn)
        here = Arn.parse(arn)
        placed = parts._replace(
            partition=here.partition,
            region=here.region if parts.region else "",
            account=here.account if parts.account else "",
        )
        return text_like(shape, str(placed)) or arn


@lru_cache
def _arn_formats(service: str) -> dict[str, str]:
    """How a service's ARNs are written, by the resource's name in lower case."""
    kinds = reference(service).get("Resources", {})
    return {
        re.sub(r"\W", "", name): each["ARNFormats"][0]
        for name, each in kinds.items()
        if each.get("ARNFormats")
    }
