"""The JSON Schema of an environment file, made from the types, for editors."""

from __future__ import annotations

import json
from functools import cache

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from sagemaker_serving.spec.descriptions import descriptions
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
