"""Members of SageMaker's resources, each as the field of an environment file that it becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local_aws.template import Unknown
from sagemaker_serving.operations.adoption.draft import Draft, Path
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.spec.aws import aws_fields
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.members import (
    ENDPOINT,
    ENDPOINT_CONFIG,
    MODEL,
    field_below,
    not_writable,
    written_as,
)
from sagemaker_serving.spec.network import ExistingNetwork
from sagemaker_serving.spec.update import TELLTALES, WAYS, AllAtOnceUpdate

_EXTRA = {MODEL: "model", ENDPOINT_CONFIG: "endpoint_config", ENDPOINT: "endpoint"}
_BUCKET = "here it is the environment's bucket"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What is read, and the draft that it is written into; ``name`` is the new environment's."""

    draft: Draft
    resources: Resources
    name: str

    def of(self, kind: str) -> Iterator[Resource]:
        """The resources of one type."""
        found = map(self.resources.find, self.resources)
        return (one for one in found if one is not None and one.type == kind)

    def by_table(self, kind: str, members: Any, base: Path, place: Path = ()) -> None:
        """Writes members that become a field of the same value, and what has no field.

        ``place`` is where they stand in the resource of type ``kind``, ``base`` where their fields
        begin.
        """
        for path, field, value in _leaves(kind, members, place):
            names = _names(path)
            if field is None and not_writable(kind, names) is not None:
                self.draft.remark(base, f"{names} is left out: {not_writable(kind, names)}")
            elif field is not None and field.startswith("nothing"):
                continue
            elif is_unknown(value):
                at = base if field is None else (*base, *field.split("."))
                self.draft.remark(at, open_(names))
            elif field is None:
                self.draft.set(_extra(kind, path, base), value)
            else:
                self.draft.set((*base, *field.split(".")), value)

    def by_fields(self, spec: type[Spec], members: Any, base: Path) -> None:
        """Takes out of ``members`` what the fields of ``spec`` write, and writes these below
        ``base``: of several members of one field the first that is given. A value that is told with
        another meaning than a field has is a remark."""
        for field in aws_fields(spec):
            at = (*base, field.name)
            taken = [take(members, *member.split(".")) for member in field.members]
            value = next((each for each in taken if each is not None), None)
            for member, said in field.also if value is not None else ():
                told = take(members, *member.split("."))
                if told not in (None, said):
                    self.draft.remark(at, f"was {value} of {member} {told}; here {said}")
                    value = None
            if field.inner is not None and isinstance(value, dict):
                self.by_fields(field.inner, value, at)
            elif field.inner is not None and isinstance(value, list) and _are_structures(value):
                for index, each in enumerate(value):
                    self.by_fields(field.inner, each, (*at, index))
            elif is_unknown(value):
                self.draft.remark(at, open_(field.members[0]))
            elif value is not None:
                self.draft.set(at, value)

    def tags(self, tags: Any) -> None:
        """Tags become the environment's, which all its resources have."""
        if isinstance(tags, Unknown):
            self.draft.remark(("tags",), open_("them"))
        for tag in tags if isinstance(tags, list) else ():
            key, value = (
                tag.get(name) if isinstance(tag, Mapping) else tag for name in ("Key", "Value")
            )
            if is_unknown(key):
                self.draft.remark(("tags",), open_("one of them"))
            elif is_unknown(value):
                self.draft.remark(("tags", str(key)), open_("it"))
            elif not str(key).startswith(("aws:", "sagemaker-serving:")):
                self.draft.set(("tags", str(key)), str(value))

    def keys(self, *keys: Any) -> None:
        """Any key becomes the environment's own."""
        for key in keys:
            if key is not None:
                self.draft.set(("storage", "kms"), True)
                known = "another key" if is_unknown(key) else key
                self.draft.remark(
                    ("storage", "kms"), f"was {known}; here the environment makes a key of its own"
                )

    def network(self, vpc: Any) -> None:
        """The subnets become the environment's, for all its models."""
        if vpc is None:
            return
        found = {
            field.name: vpc.get(field.members[0]) if isinstance(vpc, Mapping) else vpc
            for field in aws_fields(ExistingNetwork)
        }
        already = self.draft.get(("network",))
        if is_unknown(found):
            self.draft.remark(("network",), open_("VpcConfig"))
        elif already not in (None, found):
            self.draft.remark(
                ("network",), f"all models of an environment share one network; another had {found}"
            )
        else:
            self.draft.set(("network",), found)

    def bucket(self, field: Path, names: str, place: Any) -> None:
        """Says what was kept at ``place``, which the environment's bucket keeps here."""
        if place is not None:
            known = "a place that only a deploy knows" if is_unknown(place) else place
            self.draft.remark(field, f"{names} was {known}; {_BUCKET}")


def read_endpoint(reading: Reading, properties: Fact, base: Path) -> None:
    """Writes an Endpoint's own members: how it is updated, and its tags."""
    rest = plain(reading.resources.numbered(properties).value)
    reading.tags(take(rest, "Tags"))
    alarms = take(rest, "DeploymentConfig", "AutoRollbackConfiguration", "Alarms") or []
    for name in ("EndpointName", "EndpointConfigName", *_RETAINED):
        take(rest, name)
    update = (*base, "update")
    deployment = rest.get("DeploymentConfig")
    given = deployment if isinstance(deployment, Mapping) else {}
    blue_green = given.get("BlueGreenUpdatePolicy")
    if isinstance(given.get("RollingUpdatePolicy"), Mapping):
        _read_update(reading, update, rest, "ROLLING")
    elif isinstance(blue_green, Mapping):
        routing = blue_green.get("TrafficRoutingConfiguration")
        kind = routing.get("Type") if isinstance(routing, Mapping) else None
        _read_update(reading, update, rest, str(kind))
    reading.by_table(ENDPOINT, rest, base)
    listed = alarms if isinstance(alarms, list) else [alarms]
    names = [alarm.get("AlarmName") for alarm in listed if isinstance(alarm, Mapping)]
    known = [name for name in names if isinstance(name, str)]
    if len(known) < len(listed):
        reading.draft.remark(
            (*update, "alarms"),
            "only a deploy knows the names of some; monitoring makes alarms of its own, so write "
            "those of yours",
        )
    if known:
        reading.draft.set((*update, "alarms"), known)
    if reading.draft.get(update) is not None and not (
        set(TELLTALES.values()) & set(reading.draft.get(update))
    ):
        reading.draft.set((*update, "all_at_once"), True)


_RETAINED = ("ExcludeRetainedVariantProperties", "RetainAllVariantProperties")
"""What the stacks say themselves wherever the file scales."""


def _read_update(reading: Reading, path: Path, rest: Any, kind: str) -> None:
    way = next((each for name, each in WAYS.items() if name == kind), None)
    if way is None:
        reading.draft.remark(path, open_("TrafficRoutingConfiguration.Type"))
        return
    policy = rest["DeploymentConfig"][way.policy]
    reading.by_fields(way, policy, path)
    take(policy, "TrafficRoutingConfiguration")
    if way is AllAtOnceUpdate:
        reading.draft.set((*path, "all_at_once"), True)


def read_config(reading: Reading, properties: Fact, base: Path) -> None:
    """Writes an EndpointConfig's members but for its variants, which `read_variants` writes."""
    rest = plain(reading.resources.numbered(properties).value)
    for name in ("ProductionVariants", "ShadowProductionVariants", "ExecutionRoleArn"):
        take(rest, name)
    reading.tags(take(rest, "Tags"))
    reading.network(take(rest, "VpcConfig"))
    output = ("AsyncInferenceConfig", "OutputConfig")
    reading.keys(
        take(rest, "KmsKeyId"),
        take(rest, "DataCaptureConfig", "KmsKeyId"),
        take(rest, *output, "KmsKeyId"),
    )
    if rest.get("AsyncInferenceConfig") is not None:
        field = (*base, "asynchronous")
        reading.draft.set(field, {})
        for name in ("S3OutputPath", "S3FailurePath"):
            reading.bucket(field, name, take(rest, *output, name))
    capture = take(rest, "DataCaptureConfig")
    if isinstance(capture, Mapping):
        _capture(reading, dict(capture), base)
    elif capture is not None:
        reading.draft.remark((*base, "data_capture"), open_("DataCaptureConfig"))
    reading.by_table(ENDPOINT_CONFIG, rest, base)


def _capture(reading: Reading, capture: dict[str, Any], base: Path) -> None:
    if capture.pop("EnableCapture", None) is False:
        reading.draft.remark((*base, "data_capture"), "was written down, and switched off")
        return
    place, modes = capture.pop("DestinationS3Uri", None), capture.pop("CaptureOptions", None)
    reading.by_table(ENDPOINT_CONFIG, capture, base, ("DataCaptureConfig",))
    if isinstance(modes, list) and not is_unknown(modes):
        parts = [mode.get("CaptureMode") for mode in modes]
        both = ["Input", "Output"] if "InputAndOutput" in parts else parts
        reading.draft.set((*base, "data_capture", "capture"), both)
    reading.bucket((*base, "data_capture"), "DestinationS3Uri", place)


def take(members: Any, *path: str) -> Any:
    """Takes the value at ``path`` out of ``members``; None where there is none."""
    for name in path[:-1]:
        members = members.get(name) if isinstance(members, Mapping) else None
    return members.pop(path[-1], None) if isinstance(members, dict) else None


def plain(value: Any) -> Any:
    """A copy in which booleans that are spelt as text are booleans, as a file has them."""
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def is_unknown(value: Any) -> bool:
    """Whether only a deploy knows it, or a part of it."""
    if isinstance(value, Mapping):
        return any(is_unknown(inner) for inner in value.values())
    if isinstance(value, list):
        return any(is_unknown(inner) for inner in value)
    return isinstance(value, Unknown)


def _are_structures(values: list[Any]) -> bool:
    return all(isinstance(each, dict) for each in values)


def open_(what: str) -> str:
    """The remark on a value that is not to be read."""
    return f"only a deploy knows {what}; write it here"


def _leaves(kind: str, value: Any, path: Path) -> Iterator[tuple[Path, str | None, Any]]:
    """Each value with its path and its field; what has none, nor anything below, as a whole."""
    if not field_below(kind, _names(path)):
        if value is not None:
            yield path, written_as(kind, _names(path)), value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(kind, inner, (*path, str(name)))
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, inner in enumerate(value):
            yield from _leaves(kind, inner, (*path, index))
    elif value is not None:
        yield path, written_as(kind, _names(path)), value


def _names(path: Path) -> str:
    return ".".join(part for part in path if isinstance(part, str))


def _extra(kind: str, path: Path, base: Path) -> Path:
    """Where the stacks lay it over what they make: a variant's own, or the resource's."""
    if path[0] in ("ProductionVariants", "ShadowProductionVariants"):
        return (*base, "extra", *path[2:])
    return (*base[:2], "extra", _EXTRA[kind], *path)
