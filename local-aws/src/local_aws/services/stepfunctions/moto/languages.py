"""Parsing and query languages."""

from __future__ import annotations

import json
from functools import wraps
from typing import Any

from moto.stepfunctions.parser.asl.component.common.query_language import QueryLanguage
from moto.stepfunctions.parser.asl.component.intrinsic import jsonata as own_functions
from moto.stepfunctions.parser.asl.eval import states, variable_store
from moto.stepfunctions.parser.asl.jsonata import jsonata as emulated
from moto.stepfunctions.parser.asl.parse import preprocessor
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor

from local_aws.services.stepfunctions.engine import jsonata, language
from local_aws.services.stepfunctions.engine.interpreter import compact


def apply() -> None:
    """Apply every patch of this file."""
    read_distributed_maps()
    read_each_definition_by_itself()
    read_jsonpath_within_jsonata()
    read_text_as_json()
    evaluate_jsonata()
    declare_any_text()
    assign_at_the_states_end()


def read_distributed_maps() -> None:
    """The grammar lacks ItemBatcher, EXPRESS children and more: see `language`."""
    AmazonStateLanguageParser.parse = staticmethod(language.parse)


def read_each_definition_by_itself() -> None:
    """The stack of query languages is the class's: what a refused definition left on it held for
    every following one."""

    def initialise(self: Any) -> None:
        self._query_language_per_scope = []

    Preprocessor.__init__ = initialise


def read_jsonpath_within_jsonata() -> None:
    """A state of a JSONata Map may be in JSONPath, if the machine as a whole is."""
    opened = getattr(
        Preprocessor._open_query_language_scope,
        "__wrapped__",
        Preprocessor._open_query_language_scope,
    )

    @wraps(opened)
    def open_scope(self: Any, parse_tree: Any) -> None:
        try:
            opened(self, parse_tree)
        except ValueError:  # raised for nothing else; the definition was judged before
            self._query_language_per_scope.append(QueryLanguage())

    Preprocessor._open_query_language_scope = open_scope


def read_text_as_json() -> None:
    """Escapes in a definition's text stay as they are written, or are taken for Python's."""

    def text(parser_rule_context: Any) -> str | None:
        written = parser_rule_context.getText()
        value: str | None = json.loads(written) if written[:1] in ('"', "n") else written
        return value

    Preprocessor._inner_string_of = staticmethod(text)
    preprocessor.from_string_literal = text


def evaluate_jsonata() -> None:
    """The emulator has the language but no engine: each expression ends in "NoneType".

    Step Functions' own functions come with the engine; the emulator's stand-ins, of which
    some only say that they are missing, would hide them.
    """
    emulated._eval_jsonata = _evaluate
    own_functions._DECLARATION_BY_VARIABLE_REFERENCE.clear()


def declare_any_text() -> None:
    """Variables are put before an expression as text; a quote in a string broke it."""
    for module in (emulated, states, variable_store):
        module.encode_jsonata_variable_declarations = _declarations


def assign_at_the_states_end() -> None:
    """What a state assigns is there at once, and changes what its Output is.

    On AWS it holds from the next state on: its developer guide, "Passing data between states with
    variables", read 2026-11-22. A text with a quote in it is told as JSON, too.
    """

    def assign(self: Any, variable_identifier: str, variable_value: Any) -> None:
        if variable_identifier in self._outer_scope:
            raise variable_store.IllegalOuterScopeWrite(
                variable_identifier=variable_identifier, variable_value=variable_value
            )
        vars(self).setdefault("assigned", {})[variable_identifier] = variable_value

    def get_assigned_variables(self: Any) -> dict[str, str]:
        assigned: dict[str, Any] = vars(self).pop("assigned", {})
        self._inner_scope.update(assigned)
        self._variable_declarations_cache = None
        return {name: compact(value) for name, value in assigned.items()}

    variable_store.VariableStore.set = assign
    variable_store.VariableStore.get_assigned_variables = get_assigned_variables


def _declarations(bindings: dict[str, Any]) -> str:
    return "".join(f"{name}:={compact(value)};" for name, value in bindings.items())


def _evaluate(expression: str) -> Any:
    try:
        return jsonata.evaluate(expression)
    except jsonata.JsonataError as error:
        raise emulated.JSONataException("UNKNOWN", str(error)) from None
