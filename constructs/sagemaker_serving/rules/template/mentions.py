"""Reads a whole template for what it declares and what it mentions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.template import TemplateError, attribute_reference, references
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.template import Mention, TemplateFacts
from sagemaker_serving.rules.template.reading import Template, shown
from sagemaker_serving.rules.template.schemas import type_attributes

_SECTIONS = ("Parameters", "Mappings", "Conditions", "Resources", "Outputs", "Rules")
_PREPROCESSED = ("Fn::Transform", "Fn::Rain::")
"""Macros, and what ``rain pkg`` works out before CloudFormation sees the template."""
_EXTENSIONS = "AWS::LanguageExtensions"
_Step = tuple[tuple[str | int, ...], Any, bool]
"""A path in the document, what stands there, and whether it counts whatever the conditions are."""


def whole_template(template: Template, region: str | None) -> TemplateFacts | None:
    """The facts of a template that was read from a file; None for one that is a part of one."""
    document = template.document
    if document is None:
        return None
    transforms = document.get("Transform")
    named = transforms if isinstance(transforms, list) else [transforms]
    sections = {
        name: {
            str(key): Fact(value, place(template.where, (name, str(key))))
            for key, value in _mapping(document.get(name)).items()
        }
        for name in _SECTIONS
    }
    reader = _Reader(template.where)
    for name in ("Conditions", "Resources", "Outputs"):
        for key, value in _mapping(document.get(name)).items():
            reader.read(name, str(key), value)
    resources = sections["Resources"].values()
    loops = any(name.startswith("Fn::ForEach") for _, name, _ in reader.functions) or any(
        key.startswith("Fn::") for section in sections.values() for key in section
    )
    return TemplateFacts(
        where=template.where,
        document=Fact(document, template.where),
        size=template.size,
        sections=sections,
        description=Fact(document.get("Description"), place(template.where, ("Description",))),
        mentions=tuple(reader.mentions),
        functions=tuple(reader.functions),
        macros=loops
        or "Modules" in document
        or any(_is_module(one.get("Type").value) for one in resources)
        or any(one not in (None, _EXTENSIONS) for one in named)
        or any(name.startswith(_PREPROCESSED) for _, name, _ in reader.functions),
        extended=_EXTENSIONS in named,
        region=region,
        attributes=type_attributes,
    )


def place(where: Where, path: tuple[str | int, ...]) -> Where:
    """The place of a path of the document, as the rules on resources write it."""
    return where.inside(shown(path))


class _Reader:
    """Walks what is declared in a section and notes functions and the names in them."""

    def __init__(self, where: Where) -> None:
        self._where = where
        self.mentions: list[Mention] = []
        self.functions: list[tuple[Where, str, Any]] = []

    def read(self, section: str, name: str, declared: Any) -> None:
        """Notes what ``declared`` mentions, which stands in ``section`` as ``name``."""
        owner, path = (section, name), (section, name)
        certain = True
        if section != "Conditions" and isinstance(declared, Mapping):
            condition = declared.get("Condition")
            certain = condition is None
            if isinstance(condition, str):
                self._mention(owner, (*path, "Condition"), "Condition", condition)
            waited = declared.get("DependsOn")
            for other in waited if isinstance(waited, list) else [waited]:
                if isinstance(other, str):
                    self._mention(owner, (*path, "DependsOn"), "DependsOn", other, certain=certain)
        parts = {"Resources": ("Properties",), "Outputs": ("Value", "Export")}.get(section)
        if parts is None:
            self._walk(owner, (path, declared, certain))
        elif isinstance(declared, Mapping):
            for part in parts:
                self._walk(owner, ((*path, part), declared.get(part), certain))

    def _walk(self, owner: tuple[str, str], start: _Step) -> None:
        stack = [start]
        while stack:
            path, value, certain = stack.pop()
            if isinstance(value, list):
                stack += [((*path, index), one, certain) for index, one in enumerate(value)]
            elif isinstance(value, Mapping):
                name = next(iter(value), None) if len(value) == 1 else None
                if isinstance(name, str) and (name == "Ref" or name.startswith("Fn::")):
                    stack += self._function(owner, (path, value[name], certain), name)
                elif owner[0] == "Conditions" and isinstance(value.get("Condition"), str):
                    self._mention(owner, path, "Condition", value["Condition"])
                else:
                    stack += [((*path, str(key)), one, certain) for key, one in value.items()]

    def _function(self, owner: tuple[str, str], step: _Step, name: str) -> Iterator[_Step]:
        path, argument, certain = step
        self.functions.append((place(self._where, path), name, argument))
        if name in ("Ref", "Fn::Sub"):
            self._refer(owner, step, name)
            if isinstance(argument, list):
                yield (*path, 1), argument[1:], certain
        elif name == "Fn::GetAtt":
            try:
                resource, attribute = attribute_reference(argument)
            except TemplateError:
                return
            self._mention(owner, path, name, resource, (attribute,), certain)
            yield path, attribute, certain
        elif name == "Fn::FindInMap" and isinstance(argument, list) and len(argument) >= 3:
            if isinstance(argument[0], str):
                self._mention(owner, path, name, argument[0], tuple(argument[1:]), certain)
            yield path, argument, certain
        elif name == "Fn::If" and isinstance(argument, list) and argument:
            if isinstance(argument[0], str):
                self._mention(owner, path, name, argument[0])
            for index, branch in enumerate(argument[1:]):
                yield (*path, index), branch, False
        else:
            yield path, argument, certain

    def _refer(self, owner: tuple[str, str], step: _Step, name: str) -> None:
        path, argument, certain = step
        whole = [*argument[:1], {}] if isinstance(argument, list) else argument
        try:
            found = list(references({name: whole}))
        except TemplateError:
            return
        variables = argument[1] if isinstance(argument, list) and len(argument) > 1 else {}
        for one in found:
            text = one.name if one.attribute is None else f"{one.name}.{one.attribute}"
            if text in _mapping(variables):
                continue
            keys = () if one.attribute is None else (one.attribute,)
            self._mention(owner, path, name, one.name, keys, certain)

    def _mention(
        self,
        owner: tuple[str, str],
        path: tuple[str | int, ...],
        function: str,
        name: str,
        keys: tuple[object, ...] = (),
        certain: bool = True,
    ) -> None:
        self.mentions.append(
            Mention(
                where=place(self._where, path),
                function=function,
                name=name,
                owner=owner,
                keys=keys,
                certain=certain,
            )
        )


def _is_module(kind: Any) -> bool:
    """Whether resources come from elsewhere: a registered module, or one of rain's."""
    if isinstance(kind, Mapping):
        return any("Rain::" in str(name) for name in kind)
    return isinstance(kind, str) and kind.endswith("::MODULE")


def _mapping(value: Any) -> Mapping[Any, Any]:
    return value if isinstance(value, Mapping) else {}
