"""Secrets, their policies, and what is written into them of the database that they open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Request, ResourceFailed
from local_aws.resources.declared import at


class Secret(ApiProvider):
    """``AWS::SecretsManager::Secret``: Ref is the ARN; deleting it leaves no time to recover it."""

    type_name = "AWS::SecretsManager::Secret"
    name_property = "Name"
    service = "secretsmanager"
    create_operation = "CreateSecret"
    reading = "DescribeSecret SecretId"
    id_attribute = "Id"
    also_supported = frozenset({"GenerateSecretString"})
    not_carried_out = frozenset({"Type"})
    without_effect = frozenset({"ReplicaRegions"})

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get("Name") or request.name(512, stack=False)
        text = self._text(request)
        made = self.call(
            request, "CreateSecret", request.properties, Name=name, SecretString=text, Type=None
        )
        return str(made["ARN"])

    @override
    def update(self, request: Request) -> Attributes:
        changed = request.changed("SecretString", "GenerateSecretString")
        self.call(
            request,
            "UpdateSecret",
            SecretId=request.physical_id,
            SecretString=self._text(request) if changed else None,
            Description=request.properties.get("Description"),
            KmsKeyId=request.properties.get("KmsKeyId"),
        )
        self.retag(request, SecretId=request.physical_id)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        secret = {"SecretId": request.physical_id}
        self.discard(request, "DeleteSecret", **secret, ForceDeleteWithoutRecovery=True)

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        """What no secret can be made of."""
        if {"SecretString", "GenerateSecretString"} <= properties.keys():
            yield "has both SecretString and GenerateSecretString, of which it takes one"

    def _text(self, request: Request) -> str | None:
        """As given, or made: a password, alone or in the template under its key; None: empty."""
        made = request.properties.get("GenerateSecretString")
        if made is None:
            text: str | None = request.properties.get("SecretString")
            return text
        password: str = self.call(request, "GetRandomPassword", made)["RandomPassword"]
        if "SecretStringTemplate" not in made:
            return password
        return json.dumps({**_members(made["SecretStringTemplate"]), _key(made): password})


class SecretTargetAttachment(ApiProvider):
    """``AWS::SecretsManager::SecretTargetAttachment``: where the database is, in the secret's JSON.

    Ref is the secret's ARN. Of a database that is only kept it is what is kept of it. Sources: the
    type's page in the CloudFormation template reference; Secrets Manager user guide, "JSON
    structure of AWS Secrets Manager secrets".
    """

    type_name = "AWS::SecretsManager::SecretTargetAttachment"
    service = "secretsmanager"
    create_operation = "PutSecretValue"
    id_attribute = "Id"
    also_supported = frozenset({"TargetId", "TargetType"})

    @override
    def create(self, request: Request) -> str:
        self._put(request, _told_of(request))
        return _arn(self, request)

    @override
    def update(self, request: Request) -> Attributes:
        self._put(request, _told_of(request))
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        try:
            self._put(request, {})
        except request.client(self.service).exceptions.ResourceNotFoundException:
            return

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        """Targets of which nothing is known."""
        target = properties.get("TargetType")
        if isinstance(target, str) and target not in _TARGETS:
            yield f"TargetType is {target}; {', '.join(_TARGETS)} are carried out"

    def _put(self, request: Request, told: Mapping[str, Any]) -> None:
        secret = {"SecretId": request.properties["SecretId"]}
        found = _members(self.call(request, "GetSecretValue", **secret).get("SecretString"))
        own = {key: value for key, value in found.items() if key not in _TOLD}
        self.call(request, "PutSecretValue", **secret, SecretString=json.dumps({**own, **told}))


class ResourcePolicy(ApiProvider):
    """``AWS::SecretsManager::ResourcePolicy``: Ref is the secret's ARN."""

    type_name = "AWS::SecretsManager::ResourcePolicy"
    service = "secretsmanager"
    create_operation = "PutResourcePolicy"
    deletes = ("DeleteResourcePolicy", "SecretId")
    id_attribute = "Id"
    without_effect = frozenset({"BlockPublicPolicy"})

    @override
    def create(self, request: Request) -> str:
        self.call(request, "PutResourcePolicy", request.properties)
        return _arn(self, request)

    @override
    def update(self, request: Request) -> Attributes:
        self.call(request, "PutResourcePolicy", request.properties)
        return dict(request.attributes)


_INSTANCE, _CLUSTER = "dbInstanceIdentifier", "dbClusterIdentifier"
_TARGETS: Mapping[str, Mapping[str, str]] = {
    "AWS::RDS::DBInstance": {
        "host": "Endpoint.Address",
        "port": "Endpoint.Port",
        "dbname": "DBName",
        "engine": "Engine",
        _INSTANCE: "DBInstanceIdentifier",
    },
    "AWS::RDS::DBCluster": {
        "host": "Endpoint.Address",
        "port": "Endpoint.Port",
        "dbname": "DatabaseName",
        "engine": "Engine",
        _CLUSTER: "DBClusterIdentifier",
    },
    "AWS::DocDB::DBInstance": {
        "host": "Endpoint",
        "port": "Port",
        _INSTANCE: "DBInstanceIdentifier",
    },
    "AWS::DocDB::DBCluster": {
        "host": "Endpoint",
        "port": "Port",
        _CLUSTER: "DBClusterIdentifier",
    },
    "AWS::Redshift::Cluster": {
        "host": "Endpoint.Address",
        "port": "Endpoint.Port",
        "dbname": "DBName",
        _CLUSTER: "ClusterIdentifier",
    },
}
"""What a secret is told of its database, and where that stands among the database's properties."""

_ENGINES = {"DocDB": "mongo", "Redshift": "redshift"}
"""What a service's databases are called that have no property for it."""

_TOLD = {"engine", *(name for names in _TARGETS.values() for name in names)}


def _told_of(request: Request) -> dict[str, Any]:
    """What a secret is told of its database."""
    target = request.properties["TargetType"]
    answer = request.client("cloudcontrol").get_resource(
        TypeName=target, Identifier=request.properties["TargetId"]
    )
    known = json.loads(answer["ResourceDescription"]["Properties"])
    found = {name: at(known, path) for name, path in _TARGETS[target].items()}
    told = {"engine": _ENGINES.get(target.split("::")[1]), **found}
    return {name: value for name, value in told.items() if value is not None}


def _arn(provider: ApiProvider, request: Request) -> str:
    secret = request.properties["SecretId"]
    return str(provider.call(request, "DescribeSecret", SecretId=secret)["ARN"])


def _key(made: Mapping[str, Any]) -> str:
    if "GenerateStringKey" not in made:
        raise ResourceFailed(
            "GenerateSecretString has a SecretStringTemplate and no GenerateStringKey, which "
            "names the password in it",
            code="InvalidRequest",
        )
    return str(made["GenerateStringKey"])


def _members(text: Any) -> dict[str, Any]:
    """The members of a JSON object; of no text, none. Raises ResourceFailed for all else."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ResourceFailed("the secret's text is not a JSON object", code="InvalidRequest")
    return found
