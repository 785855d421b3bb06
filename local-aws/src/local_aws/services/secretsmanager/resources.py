"""Secrets and their policies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider, PutProvider
from local_aws.resources.base import Attributes, Properties, Request, ResourceFailed


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


class ResourcePolicy(PutProvider):
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
        secret = request.properties["SecretId"]
        return str(self.call(request, "DescribeSecret", SecretId=secret)["ARN"])


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
