"""Which member of AWS's each field becomes: a field says so itself, all others ask here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from sagemaker_serving.spec.base import Spec


@dataclass(frozen=True, init=False)
class Aws:
    """The member of AWS's that a field becomes: ``Annotated[int, Aws("VolumeSizeInGB")]``.

    Dots lead into structures, as in ``Aws("RoutingConfig.RoutingStrategy")``, and brackets into a
    list that has one for each entry of the field: ``Aws("CaptureOptions[].CaptureMode")``. A field
    may become several members, or with ``Aws()`` none. One without it becomes the member of the
    same words in AWS's case: ``instance_type`` is InstanceType. With a dot at the end that is a
    member of this structure: ``Aws("TransformResources.")``.

    ``also`` is what AWS is told besides where the field is given, by member:
    ``also={"RoutingConfig.RoutingStrategy": "PREFIX_AWARE"}``. A field of that member comes first.
    """

    members: tuple[str, ...]
    also: tuple[tuple[str, Any], ...]

    def __init__(self, *members: str, also: Mapping[str, Any] | None = None) -> None:
        object.__setattr__(self, "members", members)
        object.__setattr__(self, "also", tuple({} if also is None else also.items()))


@dataclass(frozen=True, kw_only=True)
class AwsField:
    """A field and the ``members`` of AWS's that it becomes.

    ``inner`` has the fields below it, or those of each of its entries; ``also`` is `Aws`'s.
    """

    name: str
    members: tuple[str, ...]
    also: tuple[tuple[str, Any], ...]
    inner: type[Spec] | None


@cache
def aws_fields(spec: type[Spec]) -> tuple[AwsField, ...]:
    """The fields of ``spec``, in its order."""
    return tuple(
        AwsField(
            name=name,
            members=mark.members,
            also=mark.also,
            inner=next(
                (
                    kind
                    for kind in (field.annotation, *get_args(field.annotation))
                    if isinstance(kind, type) and issubclass(kind, Spec)
                ),
                None,
            ),
        )
        for name, field in spec.model_fields.items()
        for mark in (_mark(name, field.metadata),)
    )


def written_members(
    spec: type[Spec], field: str = "", above: str = ""
) -> Iterator[tuple[str, str]]:
    """Each member below ``above`` with the field that writes it, below ``field``."""
    for each in aws_fields(spec):
        for member, _ in each.also:
            yield f"{above}{member}", f"{field}{each.name}"
    for each in aws_fields(spec):
        for member in each.members:
            path, name = f"{above}{member.replace('[]', '')}", f"{field}{each.name}"
            if each.inner is None:
                yield path, name
            else:
                yield from written_members(each.inner, f"{name}.", f"{path}.")


def aws_values(spec: type[Spec], values: Mapping[str, Any]) -> dict[str, Any]:
    """What the fields in ``values`` write, by AWS's names; of those that become one member at most.

    None, and an empty list or mapping, write nothing. A mapping has AWS's names already.
    """
    made: dict[str, Any] = {}
    given = [each for each in aws_fields(spec) if values.get(each.name) not in (None, [], (), {})]
    for field in given:
        if len(field.members) == 1:
            value = values[field.name]
            if field.inner is not None:
                value = _inner_values(field.inner, value)
            *above, last = field.members[0].split(".")
            if above and above[-1].endswith("[]"):
                value = [{last: each} for each in value]
                last = above.pop().removesuffix("[]")
            _place(made, above)[last] = value
    for member, value in (one for field in given for one in field.also):
        *above, last = member.split(".")
        _place(made, above).setdefault(last, value)
    return made


def _place(made: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    for name in names:
        made = made.setdefault(name, {})
    return made


def _inner_values(spec: type[Spec], value: Any) -> Any:
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Spec):
        return aws_values(spec, vars(value))
    return [aws_values(spec, vars(each)) for each in value]


def _mark(name: str, metadata: Iterable[Any]) -> Aws:
    word = "".join(part.capitalize() for part in name.split("_"))
    mark = next((each for each in metadata if isinstance(each, Aws)), Aws(word))
    members = (f"{each}{word}" if each.endswith(".") else each for each in mark.members)
    return Aws(*members, also=dict(mark.also))
