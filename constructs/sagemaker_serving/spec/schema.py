"""The JSON Schema of an environment file, made from the types, for editors."""

from __future__ import annotations

import json

from sagemaker_serving.spec.environment import Environment


def environment_schema() -> str:
    """The schema as JSON text, as committed in ``environments/environment.schema.json``.

    An editor with a YAML language server completes and checks a file whose
    first line is ``# yaml-language-server: $schema=environment.schema.json``.
    """
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Environment.model_json_schema(),
    }
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
