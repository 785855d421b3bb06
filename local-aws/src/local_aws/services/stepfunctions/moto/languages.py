"""Parsing and query languages."""

from __future__ import annotations

import json
import re
from typing import Any

from moto.stepfunctions.parser.api import HistoryEventType
from moto.stepfunctions.parser.asl.antlr.runtime.ASLParser import ASLParser
from moto.stepfunctions.parser.asl.component.common.query_language import QueryLanguage
from moto.stepfunctions.parser.asl.component.common.string import string_expression
from moto.stepfunctions.parser.asl.component.common.string.string_expression import StringJSONata
from moto.stepfunctions.parser.asl.component.intrinsic import jsonata as own_functions
from moto.stepfunctions.parser.asl.eval import states, variable_store
from moto.stepfunctions.parser.asl.jsonata import jsonata as emulated
from moto.stepfunctions.parser.asl.parse import preprocessor
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor

from local_aws.emulator.replacing import Original, replaces
from local_aws.services.stepfunctions.engine import jsonata, language
from local_aws.services.stepfunctions.engine.interpreter import compact, failure

_JSON = (str, int, float, list, dict, type(None))
"""What an expression may yield; a function is no value."""


def apply() -> None:
    """Apply every patch of this file."""
    read_distributed_maps()
    read_each_definition_by_itself()
    read_jsonpath_within_jsonata()
    read_text_as_json()
    evaluate_jsonata()
    declare_any_text()
    assign_at_the_states_end()
    say_which_expression_failed()


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

    @replaces(Preprocessor, "_open_query_language_scope")
    def open_scope(original: Original, self: Any, parse_tree: Any) -> None:
        try:
            original(self, parse_tree)
        except ValueError:  # raised for nothing else; the definition was judged before
            self._query_language_per_scope.append(QueryLanguage())


def read_text_as_json() -> None:
    """Escapes in a definition's text stay as they are written, or are taken for Python's.

    In a path, the library that reads it takes a backslash for an escape: to AWS it is one only
    before a quote. Recorded by LocalStack's suite, 2025.
    """
    paths = (ASLParser.String_jsonpathContext, ASLParser.String_context_pathContext)

    def text(parser_rule_context: Any) -> str | None:
        written = parser_rule_context.getText()
        value: str | None = json.loads(written) if written[:1] in ('"', "n") else written
        if value is not None and isinstance(parser_rule_context, paths):
            return re.sub(r"\\(?!')", r"\\\\", value)
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
    variables". A text with a quote in it is told as JSON, too.
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


def say_which_expression_failed() -> None:
    """An expression that fails ends the execution, and one that finds nothing does not say where.

    On AWS both are States.QueryEvaluationError, with the field: recorded by LocalStack's suite,
    2024; its developer guide, "Transforming data with JSONata".
    """

    @replaces(Preprocessor, "visitString_jsonata")
    def visit_string_jsonata(original: Original, self: Any, ctx: Any) -> Any:
        read = original(self, ctx)
        read.field = None if language.is_template() else _field(ctx)
        return read

    @replaces(StringJSONata, "_eval_body")
    def eval_body(original: Original, self: Any, env: Any) -> None:
        env.field = self.field
        try:
            original(self, env)
        except emulated.JSONataException as error:
            what = f"threw an error during evaluation. {error.details}"
            raise _failure(env, self.expression, what) from None

    string_expression.validate_jsonata_expression_output = _judge


def _judge(env: Any, expression: str, whole: str, result: Any) -> None:
    if result is None and not emulated.eval_jsonata_expression(f"$exists({whole})"):
        raise _failure(env, expression, "returned nothing (undefined).")
    if not isinstance(result, _JSON):
        raise _failure(env, expression, "returned an unsupported result type.")


def _failure(env: Any, expression: str, what: str) -> Any:
    """The exception of an expression that failed, of which the history is told."""
    where = {} if env.field is None else {"location": env.field}
    named = "" if env.field is None else f" specified for the field '{env.field}'"
    kind = HistoryEventType.EvaluationFailed
    cause = f"The JSONata expression '{expression}'{named} {what}"
    failed: Any = failure(env, "States.QueryEvaluationError", cause, kind, where)
    env.event_manager.add_event(
        env.event_history_context,
        kind,
        {"evaluationFailedEventDetails": failed.get_evaluation_failed_event_details()},
    )
    return failed


def _field(ctx: Any) -> str | None:
    """Where in its state an expression stands: ``Output/result``; None within a list."""
    names: list[str] = []
    while not isinstance(ctx, ASLParser.State_declContext):
        parts = [part.getText() for part in (ctx.children or [])[:2]]
        if parts[:1] == ["["]:
            return None
        if parts[1:] == [":"]:
            names.insert(0, json.loads(parts[0]))
        ctx = ctx.parentCtx
    return "/".join(names)


def _declarations(bindings: dict[str, Any]) -> str:
    return "".join(f"{name}:={compact(value)};" for name, value in bindings.items())


def _evaluate(expression: str) -> Any:
    try:
        return jsonata.evaluate(expression)
    except jsonata.JsonataError as error:
        raise emulated.JSONataException("UNKNOWN", str(error)) from None
