"""What the transform AWS::LanguageExtensions makes of a template."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from local_aws.services.cloudformation.engine.refusals import refuse
from local_aws.services.cloudformation.engine.template import LANGUAGE_EXTENSIONS, Template
from local_aws.template import (
    NO_VALUE,
    Evaluator,
    Names,
    TemplateError,
    function_name,
    has_unknown,
    repeated,
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
            made: dict[str, Any] = repeated(document, self._evaluator)
            return {
                section: self._worked_out(content) if section in _WORKED_OUT else content
                for section, content in made.items()
            }
        except TemplateError as error:
            raise TransformFailed(error) from None

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
