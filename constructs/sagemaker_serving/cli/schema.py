"""``sagemaker-serving schema``: the JSON Schemas of environment files and of output."""

from __future__ import annotations

import json

import click


@click.command()
@click.argument(
    "what", type=click.Choice(["environment", "output"]), default="environment", required=False
)
def schema(what: str) -> None:
    """Print the JSON Schema of environment files, or of the OUTPUT that --json prints.

    \b
    Examples, the second with the first line of an environment file that uses it:
      sagemaker-serving schema output
      sagemaker-serving schema > environments/environment.schema.json
      # yaml-language-server: $schema=environment.schema.json
    """
    from sagemaker_serving.spec import environment_schema

    text = environment_schema() if what == "environment" else json.dumps(OUTPUT, indent=2) + "\n"
    click.echo(text, nl=False)


def _object(says: str, **members: dict[str, object]) -> dict[str, object]:
    """An object that has these members, and maybe others."""
    return {
        "description": says,
        "type": "object",
        "required": list(members),
        "properties": members,
    }


def _array(items: str, says: str) -> dict[str, object]:
    return {"description": says, "type": "array", "items": {"$ref": f"#/$defs/{items}"}}


_TEXT: dict[str, object] = {"type": "string"}
_OR_NULL: dict[str, object] = {"type": ["string", "null"]}
_COUNT: dict[str, object] = {"type": "integer", "minimum": 0}
_SEVERITY: dict[str, object] = {"enum": ["error", "warning", "note"]}

OUTPUT: dict[str, object] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "What the commands of sagemaker-serving print with --json",
    "anyOf": [
        {"$ref": f"#/$defs/{name}"}
        for name in ("findings", "answers", "table", "rule", "demand", "batch", "dashboard")
    ]
    + [_object("What a command describes; its --help says what it has.")],
    "$defs": {
        "findings": _array("finding", "check: every mistake, [] where there is none."),
        "finding": _object(
            "One mistake. Its message ends with what is allowed, or with what to write.",
            rule=_TEXT,
            severity=_SEVERITY,
            file=_TEXT,
            line={"type": ["integer", "null"], "minimum": 1},
            path={"description": "Where in the file, as `models.digits.artifact`.", **_TEXT},
            message=_TEXT,
            acknowledged={"description": "The reason why it is meant to stay.", **_OR_NULL},
        ),
        "answers": _array("answer", "predict: one for each request."),
        "answer": {
            **_object(
                "A model's answer: its `body`, JSON or text, or `base64` of it.",
                file={"description": "Whose content was sent.", **_OR_NULL},
                variant=_TEXT,
                content_type=_TEXT,
                seconds={"type": "number", "minimum": 0},
                attempts=_COUNT,
            ),
            "oneOf": [{"required": ["body"]}, {"required": ["base64"]}],
        },
        "dashboard": _object(
            "dashboard: alarms' states, and graphs whose points are pairs of a time and a value.",
            dashboard=_TEXT,
            start=_TEXT,
            end=_TEXT,
            alarms={"type": "array", "items": {"type": "object"}},
            graphs={"type": "array", "items": {"type": "object"}},
        ),
        "table": _array(
            "row",
            "archives, diff, docs, golden, images, instances, local deploy, prices and "
            "rollback --list: a row each.",
        ),
        "row": {"description": "All rows of a table have the same members.", "type": "object"},
        "rule": _object(
            "explain RULE.",
            rule=_TEXT,
            severity=_SEVERITY,
            demands=_TEXT,
            why=_TEXT,
            source=_TEXT,
            example=_TEXT,
        ),
        "demand": _object("explain of a finding that is of no rule.", rule=_TEXT, demands=_TEXT),
        "batch": _object(
            "transform: the report of a batch that has ended.",
            status={"enum": ["COMPLETE", "QUARANTINED", "UNANSWERED", "INCOMPLETE"]},
            counts={"type": "object", "additionalProperties": _COUNT},
            reasons={"type": "array", "items": {"type": "object"}},
            quarantined=_array("unanswered", "The first that are in quarantine."),
            unaccounted=_array("unanswered", "The first that are not done."),
        ),
        "unanswered": {
            **_object("An object or a record without an answer.", object=_TEXT, error=_TEXT),
            "properties": {
                "object": _TEXT,
                "error": _TEXT,
                "record": {"description": "From 1; absent for a whole object.", **_COUNT},
            },
        },
    },
}
