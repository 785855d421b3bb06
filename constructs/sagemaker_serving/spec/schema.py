"""The JSON Schema of an environment file, made from the types, for editors."""

from __future__ import annotations

import ast
import inspect
import json
import textwrap
from functools import cache
from itertools import pairwise

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from sagemaker_serving.spec.environment import Environment


@cache
def environment_schema() -> str:
    """The schema as JSON text, as committed in ``environments/environment.schema.json``.

    An editor with a YAML language server completes and checks a file whose
    first line is ``# yaml-language-server: $schema=environment.schema.json``.
    """
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Environment.model_json_schema(schema_generator=_Described),
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


class _Described(GenerateJsonSchema):
    """With the descriptions of fields."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        texts = descriptions(schema["cls"])
        for name, field in made.get("properties", {}).items():
            if name in texts:
                field["description"] = texts[name]
        return made


def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """The text of each field that has one, the parents' fields included.

    They are read here and not by pydantic, which would read the source of every type whenever
    the types are made: a tenth of what ``check`` takes.
    """
    return {
        field: text
        for parent in reversed(model.__mro__)
        if issubclass(parent, BaseModel) and parent is not BaseModel
        for field, text in _below_fields(parent).items()
    }


def _below_fields(model: type[BaseModel]) -> dict[str, str]:
    (made,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    statements = made.body if isinstance(made, ast.ClassDef) else []
    texts = {}
    for field, below in pairwise(statements):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                texts[name] = inspect.cleandoc(text)
    return texts
