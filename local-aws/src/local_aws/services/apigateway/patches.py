"""patchOperations by botocore's shapes: carried out on what is kept, and made of two versions.

Source: API Gateway API reference, "PatchOperation" and "Patch Operations".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from local_aws.protocol import AwsError
from local_aws.web.records import bad_request

Patch = Mapping[str, str]

_SETTINGS = {
    "metrics/enabled": "metricsEnabled",
    "logging/loglevel": "loggingLevel",
    "logging/dataTrace": "dataTraceEnabled",
    "throttling/burstLimit": "throttlingBurstLimit",
    "throttling/rateLimit": "throttlingRateLimit",
    "caching/enabled": "cachingEnabled",
    "caching/ttlInSeconds": "cacheTtlInSeconds",
    "caching/dataEncrypted": "cacheDataEncrypted",
}
"""How paths of a stage's methodSettings end: ``/{resource}/{method}/logging/loglevel``."""

_PAIRS = {"apiStages": ("apiId", "stage")}
"""Lists of structures, whose items patches name by these members: ``abc:prod``."""


def patched(shape: Any, record: Mapping[str, Any], patches: Iterable[Patch]) -> dict[str, Any]:
    """A record of ``shape`` with patches carried out. Raises BadRequestException."""
    changed: dict[str, Any] = _copied(record)
    for patch in patches:
        path = patch.get("path", "")
        names = [each.replace("~1", "/").replace("~0", "~") for each in path.split("/")[1:]]
        if len(names) >= 4 and "methodSettings" in shape.members and "variables" not in names[:1]:
            method, ending = "/".join(names[:-2]), "/".join(names[-2:])
            if ending not in _SETTINGS:
                raise _invalid(patch)
            method = method.removeprefix("/") if method.startswith("//") else method
            names = ["methodSettings", method, _SETTINGS[ending]]
        if not names or not names[0]:
            raise _invalid(patch)
        _apply(shape, changed, names, patch)
    return changed


def patches_between(
    shape: Any, old: Mapping[str, Any], new: Mapping[str, Any], path: str = ""
) -> Iterator[dict[str, str]]:
    """The patches that make ``new`` of ``old``, both as ``shape`` has them."""
    for name in sorted(old.keys() | new.keys()):
        member = shape.value if shape.type_name == "map" else shape.members[name]
        before, after = old.get(name), new.get(name)
        if before == after:
            continue
        here = f"{path}/{_escaped(name)}"
        if member.type_name == "list":
            gone, come = (_items(name, each) for each in (before or (), after or ()))
            for op, items in (("remove", gone - come), ("add", come - gone)):
                for item in sorted(items):
                    if name in _PAIRS:
                        yield {"op": op, "path": here, "value": item}
                    else:
                        yield {"op": op, "path": f"{here}/{_escaped(item)}"}
        elif member.type_name in ("map", "structure") and after is not None:
            yield from patches_between(member, before or {}, after, here)
        elif after is None:
            yield {"op": "remove", "path": here}
        else:
            text = str(after).lower() if isinstance(after, bool) else str(after)
            yield {"op": "replace", "path": here, "value": text}


def _apply(shape: Any, value: Any, names: list[str], patch: Patch) -> None:
    name, *rest = names
    if shape.type_name == "structure" and name not in shape.members:
        raise _invalid(patch, sorted(shape.members))
    member = shape.members[name] if shape.type_name == "structure" else shape.value
    if member.type_name == "list":
        items = value.setdefault(name, [])
        _apply_to_list(name, items, rest[0] if rest else patch.get("value", ""), rest, patch)
    elif rest and member.type_name in ("structure", "map"):
        _apply(member, value.setdefault(name, {}), rest, patch)
    elif rest:
        raise _invalid(patch)
    elif patch.get("op") == "remove":
        value.pop(name, None)
    elif member.type_name in ("structure", "map"):
        raise _invalid(patch)
    else:
        value[name] = _converted(member, patch.get("value", ""), patch)


def _apply_to_list(name: str, items: list[Any], item: str, rest: list[str], patch: Patch) -> None:
    members = _PAIRS.get(name)
    made: Any = item if members is None else dict(zip(members, item.split(":"), strict=False))
    match patch.get("op"):
        case "add":
            if made not in items:
                items.append(made)
        case "remove":
            if made in items:
                items.remove(made)
        case "replace" if rest:
            wanted = patch.get("value", "")
            items[:] = [wanted if each == item else each for each in items] or [wanted]
        case "replace":
            items[:] = [made]
        case _:
            raise _invalid(patch)


def _converted(shape: Any, text: str, patch: Patch) -> Any:
    try:
        match shape.type_name:
            case "boolean":
                return text.lower() == "true"
            case "integer" | "long":
                return int(text)
            case "double" | "float":
                return float(text)
            case _:
                return text
    except ValueError:
        raise _invalid(patch) from None


def _items(name: str, items: Iterable[Any]) -> set[str]:
    members = _PAIRS.get(name)
    if members is None:
        return {str(each) for each in items}
    return {":".join(str(each.get(member, "")) for member in members) for each in items}


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _invalid(patch: Patch, known: Iterable[str] = ()) -> AwsError:
    """As AWS says it (recorded by LocalStack's suite, 2024)."""
    allowed = ", ".join(f"/{name}" for name in known)
    said = f" Must be one of: [{allowed}]" if allowed else ""
    return bad_request(
        f"Invalid patch path  '{patch.get('path', '')}' specified for op '{patch.get('op', '')}'."
        f"{said}"
    )
