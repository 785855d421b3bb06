"""What a value is, and what a schema allows in its place, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from local_aws.schemas import Fault, format_in_words
from local_aws.suggest import nearest

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "null",
}
_LISTED = 15
"""How many names are told."""


def shown(value: Any) -> str:
    """A value in a sentence: what is large by its kind alone."""
    match value:
        case dict():
            return f"a mapping of {len(value)}"
        case list():
            return f"a list of {len(value)}"
        case None:
            return "null"
        case str() if len(value) > 60:
            return f"{value[:50]!r}… of {len(value)} characters"
        case _:
            return repr(value)


def allowed(fault: Fault) -> str:
    """What the schema wants in the place of a fault's value, and what to do."""
    schema, keyword = fault.schema, fault.keyword
    limit = schema.get(keyword)
    match keyword:
        case "type":
            kinds = limit if isinstance(limit, list) else [limit]
            return f"it must be {' or '.join(_TYPES[str(kind)] for kind in kinds)}"
        case "enum":
            return _one_of(fault.value, schema.get("enum", schema.get("enumCaseInsensitive", ())))
        case "const":
            return f"it must be {limit}"
        case "pattern":
            return f"it must match {_shortened(str(limit))}"
        case "format":
            return f"it must be {format_in_words(str(limit))}"
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            what = "characters" if keyword.endswith("Length") else "entries"
            least, most = (f"{end}{keyword[3:]}" for end in ("min", "max"))
            return f"it must have {_between(schema.get(least), schema.get(most))} {what}"
        case "minProperties" | "maxProperties":
            both = schema.get("minProperties"), schema.get("maxProperties")
            return f"it must have {_between(*both)} members"
        case "minimum" | "maximum":
            return f"it must be {_between(schema.get('minimum'), schema.get('maximum'))}"
        case "exclusiveMinimum" | "exclusiveMaximum":
            return f"it must be {'more' if keyword.endswith('Minimum') else 'less'} than {limit}"
        case "multipleOf":
            return f"it must be a multiple of {limit}"
        case "uniqueItems":
            return "no entry may be there twice; remove the second"
        case _:
            return _of_choice(fault)


def _of_choice(fault: Fault) -> str:
    if fault.keyword == "oneOf" and not fault.alternatives:
        return "it has members of several forms that exclude each other; keep those of one"
    return f"the schema's {fault.keyword} does not allow it"


def some_of(names: Sequence[str]) -> str:
    """Names after one another, of many the first."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _between(least: Any, most: Any) -> str:
    if least in (None, 0) or most is None:
        return f"at least {least}" if most is None else f"at most {most}"
    return f"exactly {least}" if least == most else f"{least} to {most}"


def _one_of(value: Any, choices: Sequence[Any]) -> str:
    texts = [str(each) for each in choices]
    alike = {text.lower(): text for text in texts}
    near = alike.get(str(value).lower()) or nearest(str(value), texts)
    if near is not None and len(texts) > _LISTED:
        return f"did you mean {near}?"
    meant = f"; did you mean {near}?" if near is not None else ""
    return f"it must be {texts[0]}" if len(texts) == 1 else f"it must be of {some_of(texts)}{meant}"


def _shortened(pattern: str) -> str:
    return pattern if len(pattern) <= 150 else f"{pattern[:140]}…"
