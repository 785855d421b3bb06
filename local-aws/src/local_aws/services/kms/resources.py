"""KMS keys and their aliases."""

from __future__ import annotations

from botocore.exceptions import ClientError
from typing_extensions import override

from local_aws.resources.api import ApiProvider, is_absent
from local_aws.resources.base import Attributes, Request


class Key(ApiProvider):
    """``AWS::KMS::Key``: Ref is the key's id; deleting it schedules the deletion."""

    type_name = "AWS::KMS::Key"
    service = "kms"
    create_operation = "CreateKey"
    reading = "DescribeKey KeyId KeyMetadata"
    also_supported = frozenset({"EnableKeyRotation", "Enabled", "KeyPolicy", "PendingWindowInDays"})
    unchangeable = frozenset({"KeySpec", "KeyUsage", "MultiRegion", "Origin"})

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        answer = self.call(request, "CreateKey", wanted, Policy=wanted.get("KeyPolicy"))
        return str(answer["KeyMetadata"]["KeyId"])

    @override
    def complete(self, request: Request) -> Attributes:
        self._switch(request)
        metadata = self.call(request, "DescribeKey", KeyId=request.physical_id)["KeyMetadata"]
        return {"Arn": metadata["Arn"], "KeyId": request.physical_id}

    @override
    def update(self, request: Request) -> Attributes:
        key = {"KeyId": request.physical_id}
        if request.changed("KeyPolicy") and "KeyPolicy" in request.properties:
            policy = request.properties["KeyPolicy"]
            self.call(request, "PutKeyPolicy", **key, PolicyName="default", Policy=policy)
        if request.changed("Description"):
            description = request.properties.get("Description", "")
            self.call(request, "UpdateKeyDescription", **key, Description=description)
        self._switch(request)
        self.retag(request, **key)
        return dict(request.attributes)

    @override
    def delete(self, request: Request) -> None:
        window = request.properties.get("PendingWindowInDays", 30)
        try:
            self.call(
                request,
                "ScheduleKeyDeletion",
                KeyId=request.physical_id,
                PendingWindowInDays=window,
            )
        except ClientError as error:
            if not is_absent(error) and "pending deletion" not in str(error):
                raise

    def _switch(self, request: Request) -> None:
        key = {"KeyId": request.physical_id}
        wanted = request.properties
        if request.changed("Enabled"):
            enabled = _true(wanted.get("Enabled", True))
            self.call(request, "EnableKey" if enabled else "DisableKey", **key)
        if request.changed("EnableKeyRotation", "RotationPeriodInDays"):
            if _true(wanted.get("EnableKeyRotation", False)):
                self.call(request, "EnableKeyRotation", wanted, **key)
            else:
                self.call(request, "DisableKeyRotation", **key)


class Alias(ApiProvider):
    """``AWS::KMS::Alias``: Ref is the alias, ``alias/`` included."""

    type_name = "AWS::KMS::Alias"
    name_property = "AliasName"
    service = "kms"
    create_operation = "CreateAlias"
    deletes = ("DeleteAlias", "AliasName")

    @override
    def create(self, request: Request) -> str:
        self.call(request, "CreateAlias", request.properties)
        return str(request.properties["AliasName"])

    @override
    def update(self, request: Request) -> Attributes:
        self.call(request, "UpdateAlias", request.properties)
        return {}


def _true(value: object) -> bool:
    return str(value).lower() == "true"
