"""Parsing and query languages."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.stepfunctions.parser.asl.component.common.query_language import QueryLanguage
from moto.stepfunctions.parser.asl.component.intrinsic import jsonata as own_functions
from moto.stepfunctions.parser.asl.eval import states, variable_store
from moto.stepfunctions.parser.asl.jsonata import jsonata as emulated
from moto.stepfunctions.parser.asl.parse.asl_parser import AmazonStateLanguageParser
from moto.stepfunctions.parser.asl.parse.preprocessor import Preprocessor

from local_aws.services.stepfunctions.engine import jsonata, language
from local_aws.services.stepfunctions.engine.interpreter import compact


def apply() -> None:
    """Apply every patch of this file."""
    read_distributed_maps()
    read_each_definition_by_itself()
    read_jsonpath_within_jsonata()
    evaluate_jsonata()
    declare_any_text()


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


def _declarations(bindings: dict[str, Any]) -> str:
    return "".join(f"{name}:={compact(value)};" for name, value in bindings.items())


def _evaluate(expression: str) -> Any:
    try:
        return jsonata.evaluate(expression)
    except jsonata.JsonataError as error:
        raise emulated.JSONataException("UNKNOWN", str(error)) from None
