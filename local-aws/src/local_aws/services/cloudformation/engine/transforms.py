"""What a template's transforms make of it: AWS::LanguageExtensions and AWS::Include."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from local_aws.services.cloudformation.engine.refusals import Refused, refuse
from local_aws.services.cloudformation.engine.template import (
    FOR_EACH,
    LANGUAGE_EXTENSIONS,
    Template,
    load,
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

_INCLUDE = "AWS::Include"
_KNOWN = frozenset({_INCLUDE, LANGUAGE_EXTENSIONS})
_WORKED_OUT = ("Resources", "Outputs")


class TransformFailed(TemplateError):
    """A transform could not be carried out: a change set of the template fails by it."""

    def __init__(self, name: str, reason: Exception | str) -> None:
        super().__init__(f"Transform {name} failed with: {reason}")


def transformed(template: Template, names: Names, fetch: Callable[[str], str]) -> str | None:
    """The template that is deployed, as JSON; None where nothing transforms the written one.

    ``names`` know the parameters, and nothing of resources; ``fetch`` gives the text at an
    address in S3. Raises AwsError ``ValidationError`` for transforms that are not here, and
    `TransformFailed` for those that cannot be carried out.
    """
    refuse(_absent(name) for name in template.transforms if name not in _KNOWN)
    if not template.is_transformed:
        return None
    document = _Transformation(template, names, fetch).document()
    return None if document == template.document else json.dumps(document)


class _Transformation:
    def __init__(self, template: Template, names: Names, fetch: Callable[[str], str]) -> None:
        self._template = template
        self._fetch = fetch
        self._evaluator = Evaluator(
            names, mappings=template.mappings, conditions=template.conditions
        )

    def document(self) -> dict[str, Any]:
        document = dict(self._template.document)
        declared = document.pop("Transform", [])
        for each in declared if isinstance(declared, list) else [declared]:
            if isinstance(each, dict) and each.get("Name") == _INCLUDE:
                for section, content in self._content(each).items():
                    document[section] = {**content, **document.get(section, {})}
        included: dict[str, Any] = self._included(document)
        if LANGUAGE_EXTENSIONS not in self._template.transforms:
            return included
        try:
            repeated: dict[str, Any] = self._repeated(included)
            return {
                section: self._worked_out(content) if section in _WORKED_OUT else content
                for section, content in repeated.items()
            }
        except TemplateError as error:
            raise TransformFailed(LANGUAGE_EXTENSIONS, error) from None

    def _included(self, value: Any) -> Any:
        """``value`` with what each Fn::Transform in it names; what stands beside it stays."""
        if isinstance(value, list):
            return [self._included(item) for item in value]
        if not isinstance(value, dict):
            return value
        beside = {
            key: self._included(item) for key, item in value.items() if key != "Fn::Transform"
        }
        if "Fn::Transform" not in value:
            return beside
        content = self._content(value["Fn::Transform"])
        return {**content, **beside} if isinstance(content, dict) else content

    def _content(self, transform: Any) -> Any:
        name = transform.get("Name") if isinstance(transform, dict) else transform
        if name != _INCLUDE:
            raise TemplateError(_absent(str(name)))
        location = self._evaluator.evaluate(transform.get("Parameters", {})).get("Location")
        if not isinstance(location, str):
            raise TransformFailed(_INCLUDE, "Location must be an address in S3")
        try:
            return load(self._fetch(location))
        except Refused as error:
            raise TransformFailed(_INCLUDE, error) from None

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


def _absent(name: str) -> str:
    return f"Transform {name} cannot be deployed on the local AWS"
