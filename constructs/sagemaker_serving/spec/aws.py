"""Which member of AWS's each field becomes: a field says so itself, all others ask here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from sagemaker_serving.spec.base import Spec


@dataclass(frozen=True, init=False)
class Aws:
    """The member of AWS's that a field becomes: ``Annotated[int, Aws("VolumeSizeInGB")]``.

    Dots lead into structures, as in ``Aws("RoutingConfig.RoutingStrategy")``. A field may become
    several, or with ``Aws()`` none. One without it becomes the member of the same words in AWS's
    case: ``instance_type`` is InstanceType.
    """

    members: tuple[str, ...]

    def __init__(self, *members: str) -> None:
        object.__setattr__(self, "members", members)


@dataclass(frozen=True, kw_only=True)
class AwsField:
    """A field and the ``members`` of AWS's that it becomes; ``inner`` has the fields below it."""

    name: str
    members: tuple[str, ...]
    inner: type[Spec] | None


@cache
def aws_fields(spec: type[Spec]) -> tuple[AwsField, ...]:
    """The fields of ``spec``, in its order."""
    return tuple(
        AwsField(
            name=name,
            members=next(
                (mark.members for mark in field.metadata if isinstance(mark, Aws)),
                ("".join(word.capitalize() for word in name.split("_")),),
            ),
            inner=next(
                (
                    kind
                    for kind in (field.annotation, *get_args(field.annotation))
                    if _is_spec(kind)
                ),
                None,
            ),
        )
        for name, field in spec.model_fields.items()
    )


def written_members(
    spec: type[Spec], field: str = "", above: str = ""
) -> Iterator[tuple[str, str]]:
    """Each member below ``above`` with the field that writes it, below ``field``."""
    for each in aws_fields(spec):
        for member in each.members:
            path, name = f"{above}{member}", f"{field}{each.name}"
            if each.inner is None:
                yield path, name
            else:
                yield from written_members(each.inner, f"{name}.", f"{path}.")


def aws_values(spec: type[Spec], values: Mapping[str, Any]) -> dict[str, Any]:
    """What the fields in ``values`` write, by AWS's names; of those that become one member each.

    None writes nothing.
    """
    made: dict[str, Any] = {}
    for field in aws_fields(spec):
        value = values.get(field.name)
        if value is None or len(field.members) != 1:
            continue
        *above, last = field.members[0].split(".")
        place = made
        for name in above:
            place = place.setdefault(name, {})
        place[last] = value if field.inner is None else aws_values(field.inner, vars(value))
    return made


def _is_spec(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Spec)
