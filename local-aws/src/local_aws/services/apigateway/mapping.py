"""What of a request becomes what of an integration's, and back: parameters and templates.

Sources: API Gateway developer guide, "Parameter mapping examples for REST APIs", "Variables for
data transformations"; what JSON functions print was recorded by LocalStack's
suite, 2024.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote_plus, unquote_plus

from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.ext.parser import parse

from local_aws.web.request import WebRequest, grouped

from .velocity import render


@dataclass
class Sides:
    """What mappings may read: the request, the stage, and what is known of the call.

    ``overrides`` is what a template has set: ``requestOverride`` and ``responseOverride``.
    """

    request: WebRequest
    path_parameters: Mapping[str, str]
    context: dict[str, Any]
    stage_variables: Mapping[str, str]
    overrides: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def variables(self) -> dict[str, Any]:
        """``$context`` and ``$stageVariables``."""
        return {"context": self.context, "stageVariables": dict(self.stage_variables)}

    def parameters(self) -> dict[str, dict[str, str]]:
        """The request's, by place: the last of several values."""
        request = self.request
        return {
            "path": dict(self.path_parameters),
            "querystring": {k: v[-1] for k, v in grouped(request.query).items()},
            "header": {k: v[-1] for k, v in grouped(request.headers).items()},
        }

    def mapped(self, expressions: Mapping[str, str], prefix: str) -> dict[str, dict[str, str]]:
        """Parameters of the integration's request, by place: ``integration.request.path.x``."""
        found: dict[str, dict[str, str]] = {"path": {}, "querystring": {}, "header": {}}
        for target, expression in expressions.items():
            place, _, name = target.removeprefix(prefix).partition(".")
            value = self._value(expression)
            if value is not None and value != "":
                found.setdefault(place, {})[name] = _as_header(value)
        return found

    def response_headers(
        self, expressions: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> dict[str, str]:
        """Headers of the method's response: ``method.response.header.x``."""
        known = {name.lower(): value for name, value in headers.items()}
        found = {}
        for target, expression in expressions.items():
            value: Any
            if expression.startswith("integration.response.header."):
                value = known.get(expression.removeprefix("integration.response.header.").lower())
            elif expression.startswith("integration.response.multivalueheader."):
                name = expression.removeprefix("integration.response.multivalueheader.")
                value = known.get(name.lower())
            elif expression.startswith("integration.response.body"):
                value = at_path(_json(body), f"${expression[len('integration.response.body') :]}")
            else:
                value = self._value(expression)
            if value is not None:
                found[target.removeprefix("method.response.header.")] = _as_header(value)
        return found

    def render(self, template: str, body: str) -> str:
        """What a template makes of a body, keeping what it overrides. Raises `TemplateError`."""
        context = deepcopy(self.context)
        for name in ("requestOverride", "responseOverride"):
            context[name] = {
                "header": {},
                "path": {},
                "querystring": {},
                **self.overrides.get(name, {}),
            }
        known = {
            "input": _input(body, self.parameters()),
            "util": _UTIL,
            "context": context,
            "stageVariables": dict(self.stage_variables),
        }
        text = render(template.strip(), known)
        self.overrides = {name: context[name] for name in ("requestOverride", "responseOverride")}
        return text

    def _value(self, expression: str) -> Any:
        place, _, name = expression.partition(".")
        if expression.startswith("'"):
            return expression[1:].removesuffix("'")
        if place in ("context", "stageVariables"):
            value: Any = self.variables[place]
            for each in name.split("."):
                value = value.get(each) if isinstance(value, Mapping) else None
            return value
        place, _, name = expression.removeprefix("method.request.").partition(".")
        if place == "body":
            return at_path(_json(self.request.body), f"$.{name}" if name else "$")
        if place in ("multivaluequerystring", "multivalueheader"):
            pairs = self.request.query if "query" in place else self.request.headers
            return ",".join(grouped(pairs).get(name, ())) or None
        return self.parameters().get(place, {}).get(name)


def at_path(value: Any, path: str) -> Any:
    """What is at a JSONPath: one match itself, several as a list; None without one."""
    try:
        found = [match.value for match in parse(path).find(value)]
    except (JSONPathError, AttributeError, KeyError, TypeError):
        raise ValueError(f"'{path}' is no JSONPath") from None
    return (found[0] if len(found) == 1 else found) if found else None


def _json(body: bytes | str) -> Any:
    try:
        return json.loads(body or "{}")
    except ValueError:
        return None


def _as_header(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _input(body: str, parameters: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """``$input``."""

    def params(name: str | None = None) -> Any:
        if name is None:
            return {place: dict(found) for place, found in parameters.items()}
        return next((found[name] for found in parameters.values() if found.get(name)), "")

    def as_json(path: str = "$") -> str:
        found = at_path(_json(body), path)
        return json.dumps("" if found is None else found, separators=(",", ":"), ensure_ascii=False)

    return {
        "body": body or "{}",
        "json": as_json,
        "path": lambda path: at_path(_json(body), path),
        "params": params,
    }


def _escaped(value: Any) -> str:
    """JavaScript's escapes (recorded by LocalStack's suite: of nothing, ``{}`` and ``null``)."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)[1:-1] if value.strip() else "{}"
    return str(value).lower() if isinstance(value, bool) else str(value)


_UTIL = {
    "escapeJavaScript": _escaped,
    "parseJson": json.loads,
    "urlEncode": lambda value: quote_plus(str(value)),
    "urlDecode": lambda value: unquote_plus(str(value)),
    "base64Encode": lambda value: base64.b64encode(str(value).encode()).decode(),
    "base64Decode": lambda value: base64.b64decode(str(value)).decode(),
}
"""``$util``."""
