"""What the transform AWS::LanguageExtensions makes of a template."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from local_aws.services.cloudformation.engine.refusals import refuse
from local_aws.services.cloudformation.engine.template import (
    FOR_EACH,
    LANGUAGE_EXTENSIONS,
    Template,
)
from local_aws.template import (
    NO_VALUE,
    Evaluator,
    Names,
    TemplateError,
    as_text,
    function_name,
    has_unknown,
)

_WORKED_OUT = ("Resources", "Outputs")


class TransformFailed(TemplateError):
    """The transform could not be carried out: a change set of the template fails by it."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(f"Transform {LANGUAGE_EXTENSIONS} failed with: {reason}")


def transformed(template: Template, names: Names) -> str | None:
    """The template that is deployed, as JSON; None where nothing transforms the written one.

    ``names`` know the parameters, and nothing of resources. Raises AwsError ``ValidationError`` for
    transforms that are not here, and `TransformFailed` where this one cannot be carried out.
    """
    others = [*template.transforms, *_called(template.document)]
    refuse(
        f"Transform {name} cannot be deployed on the local AWS"
        for name in others
        if name != LANGUAGE_EXTENSIONS
    )
    if not template.transforms:
        return None
    document = _Transformation(template, names).document()
    return None if document == template.document else json.dumps(document)


def _called(value: Any) -> Iterator[str]:
    """The names of the transforms that Fn::Transform calls within a template."""
    if isinstance(value, dict) and "Fn::Transform" in value:
        transform = value["Fn::Transform"]
        yield str(transform.get("Name") if isinstance(transform, dict) else transform)
    inner = value.values() if isinstance(value, dict) else value
    for item in inner if isinstance(value, dict | list) else ():
        yield from _called(item)


class _Transformation:
    def __init__(self, template: Template, names: Names) -> None:
        self._template = template
        self._evaluator = Evaluator(
            names, mappings=template.mappings, conditions=template.conditions
        )

    def document(self) -> dict[str, Any]:
        document = {
            section: content
            for section, content in self._template.document.items()
            if section != "Transform"
        }
        try:
            repeated: dict[str, Any] = self._repeated(document)
            return {
                section: self._worked_out(content) if section in _WORKED_OUT else content
                for section, content in repeated.items()
            }
        except TemplateError as error:
            raise TransformFailed(error) from None

    def _repeated(self, value: Any) -> Any:
        """``value`` with the entries that each Fn::ForEach in it makes."""
        if isinstance(value, list):
            return [self._repeated(item) for item in value]
        if not isinstance(value, dict):
            return value
        repeated: dict[str, Any] = {}
        for key, item in value.items():
            loop = str(key).startswith(FOR_EACH)
            for name, each in self._entries(key, item) if loop else [(key, self._repeated(item))]:
                if name in repeated:
                    raise TemplateError(f"Template error: {key} makes {name} a second time")
                repeated[name] = each
        return repeated

    def _entries(self, key: str, argument: Any) -> Iterator[tuple[str, Any]]:
        match argument:
            case [str() as identifier, written, dict() as body]:
                collection = self._evaluator.evaluate(written)
            case _:
                collection = None
        if not isinstance(collection, list) or has_unknown(collection):
            raise TemplateError(
                f"Template error: every {key} object requires an identifier, a list that is known "
                "before the deployment, and a map"
            )
        for item in collection:
            yield from self._repeated(_bound(body, identifier, as_text(item))).items()

    def _worked_out(self, value: Any) -> Any:
        """``value`` with every function in it that needs no resource replaced by its result."""
        if isinstance(value, list):
            return [self._worked_out(item) for item in value]
        if not isinstance(value, dict):
            return value
        if function_name(value) is not None:
            result = self._evaluator.evaluate(value)
            if result is not NO_VALUE and not has_unknown(result):
                return result
        return {key: self._worked_out(item) for key, item in value.items()}


def _bound(value: Any, identifier: str, item: str) -> Any:
    """``value`` with a loop's identifier replaced: by ``&{…}`` without what no name may have."""
    if isinstance(value, str):
        bare = "".join(filter(str.isalnum, item))
        return value.replace(f"${{{identifier}}}", item).replace(f"&{{{identifier}}}", bare)
    if isinstance(value, list):
        return [_bound(each, identifier, item) for each in value]
    if not isinstance(value, dict):
        return value
    if value == {"Ref": identifier}:
        return item
    return {
        _bound(key, identifier, item): _bound(each, identifier, item) for key, each in value.items()
    }
