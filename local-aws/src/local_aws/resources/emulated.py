"""Every other type that the emulator itself can make from CloudFormation properties.

moto's model classes are called in this process, so these types take no part in
the gateway's errors and faults. They read a part of a type's properties only, and some of what they
read they forget: `CARRIED_OUT` has what was read back through the service's own API, and whatever
else a template gives is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from typing_extensions import override

from local_aws.context import LocalContext
from local_aws.credentials import ACCOUNT_ID
from local_aws.resources.api import NOT_FOUND, stack_tags, tag_list
from local_aws.resources.base import Attributes, Made, Provider, Request, ResourceFailed
from local_aws.schemas import Place, schema_of

CARRIED_OUT: Mapping[str, frozenset[str]] = {
    f"AWS::{type_name}": frozenset(properties.split())
    for type_name, properties in {
        "AutoScaling::AutoScalingGroup": (
            "AutoScalingGroupName Cooldown DesiredCapacity HealthCheckGracePeriod HealthCheckType "
            "LaunchConfigurationName LaunchTemplate MaxSize MinSize "
            "NewInstancesProtectedFromScaleIn Tags TargetGroupARNs TerminationPolicies "
            "VPCZoneIdentifier"
        ),
        "AutoScaling::LaunchConfiguration": (
            "AssociatePublicIpAddress EbsOptimized IamInstanceProfile ImageId InstanceMonitoring "
            "InstanceType KernelId KeyName LaunchConfigurationName SecurityGroups SpotPrice "
            "UserData"
        ),
        "EC2::LaunchTemplate": "LaunchTemplateData LaunchTemplateName VersionDescription",
        "IAM::AccessKey": "Serial Status UserName",
        "IAM::InstanceProfile": "InstanceProfileName Path Roles",
    }.items()
}
"""By type, the properties that are carried out, with all within them; of one that is named with
what is in it, that alone."""

WITHOUT_EFFECT: Mapping[str, frozenset[str]] = {
    f"AWS::{type_name}": frozenset(properties.split())
    for type_name, properties in {
        "AutoScaling::AutoScalingGroup": (
            "CapacityRebalance Context DefaultInstanceWarmup LoadBalancerNames MaxInstanceLifetime "
            "MetricsCollection NotificationConfigurations"
        ),
        "EC2::LaunchTemplate": "TagSpecifications",
    }.items()
}
"""By type, the properties that would do something to instances alone, of which none runs here."""

_SHOWING_STACKS = "AWS::EC2::"
"""Whose types show the tags by which AWS marks what a stack made (recorded by LocalStack's suite,
2025); other services keep them to themselves, or are not known to show them."""


class Emulated(Provider):
    """One type, as moto's class for it makes, changes and deletes it."""

    def __init__(self, type_name: str, model: Any) -> None:
        self.type_name = type_name
        self.name_property = model.cloudformation_name_type() or None
        self.model = model
        self.without_effect = WITHOUT_EFFECT.get(type_name, frozenset())
        self.made: dict[str, Any] = {}
        """What was made and not deleted, by `_key`: objects of the emulator's."""

    @override
    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        """Whether it is one of `CARRIED_OUT`, within one, or around one."""
        name = f"{'.'.join(place)}."
        known = [f"{each}." for each in CARRIED_OUT[self.type_name]]
        return any(name.startswith(each) or each.startswith(name) for each in known)

    @override
    def create(self, request: Request) -> str:
        name = request.properties.get(self.name_property or "") or request.name(63)
        made = self.model.create_from_cloudformation_json(
            name, self._json(request), request.context.account_id, request.region
        )
        self.made[_key(request, made.physical_resource_id)] = made
        return str(made.physical_resource_id)

    @override
    def complete(self, request: Request) -> Attributes:
        return self._attributes(request, self.made[_key(request, request.physical_id)])

    @override
    def update(self, request: Request) -> Made:
        if not _implemented(self.model, "update_from_cloudformation_json"):
            raise ResourceFailed(
                f"the emulator cannot change a {self.type_name} in place; give it a new logical id",
                code="NotUpdatable",
            )
        current = self.made.get(_key(request, request.physical_id))
        made = self.model.update_from_cloudformation_json(
            original_resource=current,
            new_resource_name=getattr(current, "name", request.physical_id),
            cloudformation_json=self._json(request),
            account_id=request.context.account_id,
            region_name=request.region,
        )
        # Some of the emulator's classes make another one in its place.
        self.made.pop(_key(request, request.physical_id), None)
        self.made[_key(request, made.physical_resource_id)] = made
        return Made(
            physical_id=made.physical_resource_id, attributes=self._attributes(request, made)
        )

    @override
    def delete(self, request: Request) -> None:
        with request.context.write_lock.change():
            try:
                self._delete(request, self.made.get(_key(request, request.physical_id)))
            except Exception as error:  # moto's classes raise whatever they like
                if not _says_absent(error):
                    raise
            self.made.pop(_key(request, request.physical_id), None)

    def _delete(self, request: Request, made: Any) -> None:
        place = (request.context.account_id, request.region)
        if hasattr(made, "delete"):
            made.delete(*place)
        else:
            self.model.delete_from_cloudformation_json(
                request.physical_id, self._json(request), *place
            )

    def _json(self, request: Request) -> dict[str, Any]:
        given = request.properties.items()
        properties = {name: value for name, value in given if name not in self.without_effect}
        schema = schema_of(self.type_name, request.region)
        if self.type_name.startswith(_SHOWING_STACKS) and schema and schema.tag_property == "Tags":
            properties["Tags"] = [*properties.get("Tags", []), *tag_list(stack_tags(request))]
        return {"Type": self.type_name, "Properties": properties}

    def _attributes(self, request: Request, made: Any) -> Attributes:
        schema = schema_of(self.type_name, request.region)
        attributes = {}
        for name in schema.read_only if schema is not None else ():
            # moto's classes raise whatever they like for an attribute that they do not have
            with suppress(Exception):
                attributes[name] = made.get_cfn_attribute(name)
        return attributes


def made_by(module: str) -> dict[str, dict[str, Any]]:
    """What was made of the types whose classes are in ``module``, by type and `_key`."""
    return {
        provider.type_name: dict(provider.made)
        for provider in _providers()
        if provider.model.__module__ == module and provider.made
    }


def restore_made(made: Mapping[str, Mapping[str, Any]]) -> None:
    """Take `made_by`'s answer for what was made, in another process."""
    for type_name, by_id in made.items():
        provider = emulated(type_name)
        if provider is not None:
            provider.made.update(by_id)


def forget_made() -> None:
    """Nothing was made: the emulator begins empty."""
    for provider in _providers():
        provider.made.clear()


def emulated(type_name: str) -> Emulated | None:
    """The provider of a type of `CARRIED_OUT`, or None."""
    if type_name in CARRIED_OUT and type_name not in _FOUND:
        _FOUND[type_name] = _find(type_name)
    return _FOUND.get(type_name)


_FOUND: dict[str, Emulated] = {}
"""The provider of every type that was asked for."""


def _providers() -> list[Emulated]:
    return list(_FOUND.values())


def _find(type_name: str) -> Emulated:
    service = type_name.split("::")[1]
    import_module(f"moto.{service.lower()}.models")
    from moto.core.common_models import CloudFormationModel

    models = CloudFormationModel.__subclasses__()
    return Emulated(
        type_name, next(each for each in models if each.cloudformation_type() == type_name)
    )


def _key(request: Request, physical_id: str) -> str:
    """A physical id, which is one of its account alone; of the first account, by itself."""
    account = request.context.account_id
    return physical_id if account == ACCOUNT_ID else f"{account} {physical_id}"


def _says_absent(error: Exception) -> bool:
    """Whether an error of the emulator's says that there is no such thing."""
    said = f"{type(error).__name__} {error}"
    return isinstance(error, KeyError) or any(words in said for words in NOT_FOUND)


def _implemented(model: Any, method: str) -> bool:
    return not getattr(getattr(model, method), "__isabstractmethod__", False)
