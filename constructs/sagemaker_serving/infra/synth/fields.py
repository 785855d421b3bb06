"""Fields of an environment file as arguments of constructs, and as properties of resources.

What a user writes by CloudFormation's own names is laid over these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any

from sagemaker_serving.spec.base import Spec

if TYPE_CHECKING:
    import aws_cdk as cdk


class Unjudged(Spec, arbitrary_types_allowed=True):
    """Takes every value as it is, since a token may stand for any."""

    if not TYPE_CHECKING:

        def __init__(self, **given: Any) -> None:
            fields = type(self).model_fields
            strange = [f"unexpected {name}" for name in given if name not in fields]
            missing = [
                f"missing {name}"
                for name, field in fields.items()
                if name not in given and field.is_required()
            ]
            if strange or missing:
                raise TypeError(f"{type(self).__name__}: {', '.join([*strange, *missing])}")
            whole = {
                name: given[name]
                if name in given
                else field.get_default(call_default_factory=True, validated_data=given)
                for name, field in fields.items()
            }
            object.__setattr__(self, "__dict__", whole)
            object.__setattr__(self, "__pydantic_fields_set__", set(given))
            object.__setattr__(self, "__pydantic_extra__", None)
            object.__setattr__(self, "__pydantic_private__", None)


def plain(value: Any) -> Any:
    """A value's fields, those that are absent left out, down to plain data."""
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if not isinstance(value, Spec):
        return value
    return {name: plain(each) for name, each in vars(value).items() if each is not None}


def given_fields(value: Spec, spec: type[Spec], *, but: int) -> list[Any]:
    """The fields of ``spec`` in their order: the first ``but`` whatever they are, others if given.

    What identifies a resource stays the same when a field is added that nobody has set yet.
    """
    each = [(name, plain(getattr(value, name))) for name in spec.model_fields]
    later = {name: said for name, said in each[but:] if said not in (None, [], {}, ())}
    return [*(said for _, said in each[:but]), *([later] if later else [])]


def properties_of(members: Mapping[str, Any]) -> dict[str, Any]:
    """AWS's members as the arguments of the L1 construct of their resource."""
    return {_argument(name): _in_cdk_words(value) for name, value in members.items()}


def add_unknown(resource: cdk.CfnResource, members: Mapping[str, Any]) -> None:
    """Lays those of AWS's members over ``resource`` that its L1 construct does not know yet, and
    would leave out in silence."""
    for path, value in _unknown(type(resource), type(resource), members):
        resource.add_property_override(path, value)


def add_extra(resource: cdk.CfnResource, extra: Mapping[str, Any], *, below: str = "") -> None:
    """Lays ``extra`` over the properties of ``resource``, mappings member by member.

    ``below`` is where in them, with dots: ``ProductionVariants.0``. Nothing is checked here; the
    rules ``extra-…`` do that for environment files.
    """
    for name, value in extra.items():
        path = f"{below}.{name}" if below else name
        if isinstance(value, Mapping):
            add_extra(resource, value, below=path)
        elif name in _IN_ORDER:
            for index, entry in enumerate(value):
                add_extra(resource, entry, below=f"{path}.{index}")
        else:
            resource.add_property_override(path, value)


def _unknown(
    of: type[cdk.CfnResource], struct: type, members: Mapping[str, Any], above: str = ""
) -> Iterator[tuple[str, Any]]:
    known = _arguments(struct)
    for name, value in members.items():
        path = f"{above}{name}"
        if _argument(name) not in known:
            yield path, value
        elif (inner := known[_argument(name)]) is not None:
            entries = enumerate(value) if isinstance(value, list) else [("", value)]
            for index, entry in entries:
                if isinstance(entry, Mapping):
                    place = f"{path}.{index}." if isinstance(value, list) else f"{path}."
                    yield from _unknown(of, getattr(of, inner), entry, place)


@cache
def _arguments(struct: type) -> Mapping[str, str | None]:
    """The arguments of an L1 construct or of one of its structures, each with its structure."""
    found = {}
    for name, argument in signature(struct.__init__).parameters.items():  # type: ignore[misc]
        inner = _STRUCTURE.search(str(argument.annotation))
        found[name] = None if inner is None else inner[1]
    return found


@cache
def _argument(name: str) -> str:
    return _CAPITAL.sub("_", _in_camel_case(name)).lower()


@cache
def _in_camel_case(name: str) -> str:
    """``volumeSizeInGb`` for VolumeSizeInGB, as CDK has it."""
    rest = _ACRONYM.sub(lambda found: found[0].title(), name[1:])
    return f"{name[0].lower()}{rest}"


def _in_cdk_words(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_cdk_words(each) for each in value]
    if not isinstance(value, dict):
        return value
    # The names of variables are the user's.
    return {
        _in_camel_case(name): each if name == "Environment" else _in_cdk_words(each)
        for name, each in value.items()
    }


_IN_ORDER = ("Containers", "InstancePools")
"""Lists whose entries are laid over those that there are; any other is given whole."""

_STRUCTURE = re.compile(r"\bCfn\w+\.(\w+Property)\b")
_ACRONYM = re.compile(r"[A-Z]{2,}(?=[A-Z][a-z]|$)")
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
