"""Terraform's plans, as ``terraform show -json`` writes them, read as CloudFormation templates.

Source: Terraform's JSON output format 1.2
(developer.hashicorp.com/terraform/internals/json-format).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Problem, ProblemsFound, Where, why_unread
from sagemaker_serving.rules.template.reading import Template
from sagemaker_serving.rules.template.terraform import TYPES, arguments
from sagemaker_serving.spec.yaml_text import text_of

_OPEN = {"Fn::ImportValue": "known after apply"}
"""What stands for a value that only the apply knows: rules pass over it."""

_GONE_FIRST = ["delete", "create"]
"""The actions of a replacement without ``create_before_destroy``."""

_MADE_FIRST = ["create", "delete"]

_ELSEWHERE: dict[str, dict[str, Any]] = {
    "AWS::SageMaker::Endpoint": {"RetainAllVariantProperties": _OPEN}
}
"""What Terraform has no argument for, so that nothing is said of it
(hashicorp/terraform-provider-aws issue 48990)."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A plan's resources in one region as a template.

    ``names`` has Terraform's path for each path of the template.
    """

    region: str | None
    template: Template
    names: Mapping[tuple[str | int, ...], tuple[str | int, ...]] = field(repr=False)

    def told(self, problem: Problem) -> Problem:
        """A problem of the template as Terraform's user wrote it: its place, and its names."""
        where, path = self._place(problem.where), problem.where.path
        if path[1:2] == ("DefinitionString",) and len(path) > 2:
            return replace(problem, where=where)  # a machine's definition has AWS's names
        renamed = {str(path[-1]): str(where.path[-1])} if path else {}
        return replace(
            problem,
            where=where,
            message=_WORD.sub(
                lambda word: renamed.get(word[0], arguments().get(word[0], word[0])),
                problem.message,
            ),
        )

    def _place(self, where: Where) -> Where:
        for length in range(len(where.path), 0, -1):
            named = self.names.get(where.path[:length])
            if named is not None:
                return Where(where.source, (*named, *where.path[length:]))
        return where


_WORD = re.compile(r"\b[A-Z][a-z]+[A-Za-z0-9]*\b(?!')")
"""A word of a message that may be a property's name; one in quotes is a value."""


ZIP = b"PK\x03\x04"
"""How a plan begins that is not written as JSON."""


def read_plan(path: Path) -> list[Plan]:
    """The SageMaker resources that the plan ``path`` creates, changes or keeps, by region.

    Raises `ProblemsFound` for a file that is not the JSON form of a plan.
    """
    if path.is_file() and path.read_bytes().startswith(ZIP):
        message = (
            "this is a plan as Terraform packs it, in a zip; write it as JSON, and check that: "
            f"terraform show -json {path.name} > plan.json"
        )
        raise ProblemsFound.of("plan", Where(str(path)), message)
    text = text_of(path, "name a plan that exists")
    try:
        data = json.loads(text)
        # A plan of an empty configuration has no changes (Terraform, JSON Output Format).
        if "planned_values" in data:
            data.setdefault("resource_changes", [])
        changes = [one for one in data["resource_changes"] if one["type"] in TYPES]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"this is no plan in JSON ({why_unread(error)})"
        if isinstance(error, KeyError) and "values" in data:
            what = "this is Terraform's state, not a plan"
        message = (
            f"{what}; write one by "
            "terraform plan -out plan && terraform show -json plan > plan.json"
        )
        raise ProblemsFound.of("plan", Where(str(path)), message) from None
    written = dict(_written(data.get("configuration", {}).get("root_module", {})))
    resources: dict[str | None, dict[str, Any]] = {}
    names: dict[tuple[str | int, ...], tuple[str | int, ...]] = {}
    known = {change["address"] for change in changes}
    order = _Order(written, known)
    for change in changes:
        after = change["change"].get("after")
        if after is None or change.get("mode") == "data":
            continue
        address = change["address"]
        configured = written.get(_without_index(address), {})
        read_as = TYPES[change["type"]]
        kind = read_as.kind
        reader = _Reader(
            names=names,
            renamed=read_as.renamed,
            known=known,
            module=address.rpartition(f"{change['type']}.")[0],
            index="".join(re.findall(r"\[[^\]]*\]$", address)),
        )
        region = after.get("region") or _region(configured.get("provider_config_key"), data)
        resources.setdefault(region, {})[address] = {
            "Type": kind,
            "DependsOn": sorted(order.above(address) & known - {address}),
            "Properties": _ELSEWHERE.get(kind, {})
            | reader.members(
                after,
                change["change"].get("after_unknown") or {},
                configured.get("expressions", {}),
                read_as.properties,
                ((address,), (address,)),
            ),
        }
    gone_first = frozenset(
        change["address"] for change in changes if change["change"]["actions"] == _GONE_FIRST
    )
    same_name = frozenset(
        one["address"]
        for one in changes
        if one["change"]["actions"] == _MADE_FIRST
        if _name(one, "after") is not None and _name(one, "after") == _name(one, "before")
    )
    return [
        Plan(
            region=region,
            names=names,
            template=Template(
                resources=of, where=Where(str(path)), gone_first=gone_first, same_name=same_name
            ),
        )
        for region, of in resources.items()
    ]


def _name(change: Mapping[str, Any], when: str) -> Any:
    return (change["change"].get(when) or {}).get("name")


def _written(module: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What the configuration says of each resource, by its address without an index."""
    for resource in module.get("resources", ()):
        yield above + resource["address"], resource
    for name, call in module.get("module_calls", {}).items():
        yield from _written(call.get("module", {}), f"{above}module.{name}.")


class _Order:
    """What each resource is made after, by the configuration's references and ``depends_on``.

    What a local, a module or an argument of a module brings may be anything that is ``known``.
    """

    def __init__(self, written: Mapping[str, Mapping[str, Any]], known: set[str]) -> None:
        self._written = written
        self._addresses: dict[str, set[str]] = {}
        for address in known:
            self._addresses.setdefault(_without_index(address), set()).add(address)

    def above(self, address: str) -> set[str]:
        """The addresses of all that it waits for."""
        found: set[str] = set()
        seen: set[str] = set()
        waiting = [_without_index(address)]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            written = self._written.get(name, {})
            module = "".join(re.findall(r"module\.[^.]+\.", name))
            parts = [written.get("expressions"), written.get("depends_on")]
            for reference in _references([*parts, written.get("for_each_expression")]):
                kind = reference.partition(".")[0]
                if kind in ("local", "module", "each") or (kind == "var" and module):
                    return set().union(*self._addresses.values())
                steps = reference.split(".")[: 3 if kind == "data" else 2]
                other = f"{module}{_without_index('.'.join(steps))}"
                found |= self._addresses.get(other, set())
                waiting.append(other)
        return found


def _references(written: Any) -> Iterator[str]:
    """What expressions refer to, as ``aws_iam_role.serving.arn``; a list of addresses is itself."""
    if isinstance(written, str):
        yield written
    elif isinstance(written, list):
        for one in written:
            yield from _references(one)
    elif isinstance(written, Mapping):
        if "references" in written or "constant_value" in written:
            yield from written.get("references", ())
        else:
            for inner in written.values():
                yield from _references(inner)


def _without_index(address: str) -> str:
    return re.sub(r"\[[^\]]*\]", "", address)


def _region(provider: str | None, data: Mapping[str, Any]) -> str | None:
    """The provider's region where the plan has it: as a constant, or as a variable's value."""
    configured = data.get("configuration", {}).get("provider_config", {}).get(provider or "", {})
    said = configured.get("expressions", {}).get("region", {})
    region = said.get("constant_value")
    for reference in said.get("references", ()):
        if region is None and reference.startswith("var."):
            region = data.get("variables", {}).get(reference[4:], {}).get("value")
    return region if isinstance(region, str) else None


Paths = tuple[tuple[str | int, ...], tuple[str | int, ...]]
"""A path in the template, and Terraform's."""


@dataclass(frozen=True, kw_only=True)
class _Reader:
    """Turns Terraform's arguments and blocks of one resource into CloudFormation's properties."""

    names: dict[tuple[str | int, ...], tuple[str | int, ...]]
    renamed: Mapping[str, str]
    known: set[str]
    module: str
    index: str

    def members(
        self,
        after: Mapping[str, Any],
        unknown: Mapping[str, Any],
        written: Mapping[str, Any],
        shape: Mapping[str, Any],
        paths: Paths,
    ) -> dict[str, Any]:
        by_name = {name.lower(): name for name in shape}
        read: dict[str, Any] = {}
        for argument in dict.fromkeys((*after, *unknown)):
            above = [part for part in paths[1][1:] if isinstance(part, str)]
            name = self.renamed.get(".".join([*above, argument]))
            name = name or by_name.get(argument.replace("_", ""))
            if name is None:
                continue
            here = (*paths[0], name), (*paths[1], argument)
            self.names[here[0]] = here[1]
            if unknown.get(argument) is True:
                # A computed argument that nobody wrote is left out, as in the configuration.
                if argument in written:
                    read[name] = self._reference(argument, written[argument])
                continue
            value = self._value(
                after.get(argument),
                unknown.get(argument),
                written.get(argument),
                shape.get(name),
                here,
            )
            if value not in (None, [], {}):
                read[name] = value
        return read

    def _value(self, after: Any, unknown: Any, written: Any, shape: Any, paths: Paths) -> Any:
        if isinstance(after, list) and isinstance(shape, Mapping):
            # A block that may stand once is a list of one.
            return self._value(
                after[0] if after else None, _nth(unknown, 0), _nth(written, 0), shape, paths
            )
        if isinstance(after, list):
            inner = shape[0] if isinstance(shape, list) and shape else None
            return [
                self._value(
                    one,
                    _nth(unknown, index),
                    _nth(written, index),
                    inner,
                    ((*paths[0], index), (*paths[1], index)),
                )
                for index, one in enumerate(after)
            ]
        if isinstance(after, Mapping) and isinstance(shape, Mapping):
            return self.members(
                after,
                unknown if isinstance(unknown, Mapping) else {},
                written if isinstance(written, Mapping) else {},
                shape,
                paths,
            )
        if isinstance(after, Mapping) and paths[0][-1] == "Tags":
            return [{"Key": key, "Value": value} for key, value in after.items()]
        if isinstance(after, Mapping) and shape == "pairs":
            later = unknown if isinstance(unknown, Mapping) else {}
            pairs = {**after, **{key: _OPEN for key, no in later.items() if no is True}}
            return [{"Name": key, "Value": value} for key, value in pairs.items()]
        if isinstance(unknown, Mapping):
            return {**(after or {}), **{key: _OPEN for key, no in unknown.items() if no is True}}
        return _OPEN if unknown is True else after

    def _reference(self, argument: str, written: Any) -> Any:
        """The resource of this module that a value comes from, if it is one of those read.

        It may be any of several, and a part of each. ``aws_iam_role.serving[each.key].arn`` is
        the one of this resource's own key, and what of it is not told (Terraform 1.11).
        """
        references: Sequence[str] = (
            written.get("references", ()) if isinstance(written, Mapping) else ()
        )
        if len(references) == 2 and references[1] in ("each.key", "count.index"):
            end = ".arn" if argument.endswith("arn") else ""
            references = [f"{references[0]}{self.index}{end}"]
        found: dict[str, Any] = {}
        for reference in references:
            parts = reference.split(".")
            address = f"{self.module}{'.'.join(parts[:2])}"
            if address in self.known:
                # Ref stands for whatever else is referred to: of a name and an id it is the same.
                is_arn = parts[2:] == ["arn"]
                said = {"Fn::GetAtt": [address, "arn"]} if is_arn else {"Ref": address}
                found.setdefault(address, said)
        return _OPEN if len(found) != 1 else next(iter(found.values()))


def _nth(value: Any, index: int) -> Any:
    if isinstance(value, Sequence) and not isinstance(value, str) and index < len(value):
        return value[index]
    return value if value is True else None
