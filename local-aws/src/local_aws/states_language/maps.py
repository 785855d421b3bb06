"""What is wrong with a Map state, most of it with what only a Distributed Map has.

https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.states_language.fields import exclusive_problems, value_problems
from local_aws.states_language.names import unfit_character
from local_aws.states_language.paths import template_problems
from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.states_language.scopes import processor_field

_READERS = ("getObject", "listObjectsV2")
_DISTRIBUTED = ("ItemReader", "ItemBatcher", "ResultWriter", "Label")


def map_problems(
    state: Mapping[str, Any], processor: Mapping[str, Any], place: Place, language: str
) -> Iterator[Problem]:
    """The problems of a Map state whose processor is an object, but not of its states."""
    config = processor.get("ProcessorConfig", {})
    if not isinstance(config, Mapping):
        return
    yield from _values(config, (*place, processor_field(state), "ProcessorConfig"), language)
    mode = config.get("Mode", "INLINE")
    if mode == "INLINE":
        fields = ", ".join(field for field in _DISTRIBUTED if field in state)
        if fields:
            yield schema_problem(
                f"{fields} is for a Map state whose Mode is DISTRIBUTED",
                place,
                f"set ProcessorConfig.Mode: DISTRIBUTED, or remove {fields}",
            )
    if mode != "DISTRIBUTED":
        return
    if "ExecutionType" not in config:
        yield schema_problem(
            "A Map state whose Mode is DISTRIBUTED needs ExecutionType STANDARD or EXPRESS",
            (*place, processor_field(state), "ProcessorConfig"),
            "add one",
        )
    if isinstance(state.get("Label"), str):
        yield from _label(state["Label"], (*place, "Label"))
    for name, check in (
        ("ItemReader", _reader),
        ("ItemBatcher", _batcher),
        ("ResultWriter", _writer),
    ):
        if isinstance(state.get(name), Mapping):
            yield from check(state[name], (*place, name), language)


def _label(label: str, place: Place) -> Iterator[Problem]:
    """It becomes part of a name."""
    unfit = unfit_character(label)
    if not label:
        yield schema_problem("Label cannot be empty", place, "write 1 to 40 characters")
    if len(label) > 40:
        yield schema_problem("Label cannot exceed 40 characters", place, f"it has {len(label)}")
    if unfit is not None:
        yield schema_problem(f"Label contains invalid character: {unfit!r}", place, "remove it")


def _reader(reader: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    resource = reader.get("Resource", "")
    action = resource.rpartition(":")[2] if isinstance(resource, str) else None
    if action is not None and action not in _READERS:
        yield schema_problem(
            "Resource is s3:getObject or s3:listObjectsV2",
            (*place, "Resource"),
            "write arn:aws:states:::s3:getObject",
        )
    if language == "JSONPath":
        yield from template_problems(reader.get("Parameters"), (*place, "Parameters"))
    config = reader.get("ReaderConfig", {})
    if not isinstance(config, Mapping):
        return
    at = (*place, "ReaderConfig")
    yield from _values(config, at, language)
    kind = config.get("InputType")
    if action == "getObject" and kind is None:
        yield schema_problem(
            "The field 'InputType' is required but was missing",
            at,
            "say whether the object is CSV, JSON, JSONL, MANIFEST or PARQUET",
        )
    header = config.get("CSVHeaderLocation")
    if kind == "CSV" and header is None:
        yield schema_problem(
            "CSVHeaderLocation is FIRST_ROW or GIVEN", (*at, "CSVHeaderLocation"), "add it"
        )
    if header == "GIVEN" and "CSVHeaders" not in config:
        yield schema_problem(
            "The field 'CSVHeaders' is required but was missing", at, "list the columns"
        )


def _batcher(batcher: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    yield from _values(batcher, place, language)
    if language == "JSONPath":
        yield from template_problems(batcher.get("BatchInput"), (*place, "BatchInput"))


def _writer(writer: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    config = writer.get("WriterConfig", {})
    if "Resource" not in writer and not config:
        yield schema_problem(
            "ResultWriter needs Resource and Parameters, or WriterConfig", place, "add them"
        )
    resource = writer.get("Resource")
    if isinstance(resource, str) and not resource.endswith(":s3:putObject"):
        yield schema_problem(
            "Resource is arn:aws:states:::s3:putObject", (*place, "Resource"), "write it so"
        )
    if language == "JSONPath":
        yield from template_problems(writer.get("Parameters"), (*place, "Parameters"))
    if not isinstance(config, Mapping):
        return
    at = (*place, "WriterConfig")
    yield from _values(config, at, language)
    transformation = config.get("Transformation", "NONE")
    if isinstance(transformation, str) and transformation not in _TRANSFORMATIONS:
        yield schema_problem(
            f"Transformation is one of {', '.join(_TRANSFORMATIONS)}",
            (*at, "Transformation"),
            f"it is {transformation!r}",
        )


_TRANSFORMATIONS = ("NONE", "COMPACT", "FLATTEN")


def _values(given: Mapping[str, Any], place: Place, language: str) -> Iterator[Problem]:
    yield from exclusive_problems(given, place)
    for name, value in given.items():
        yield from value_problems(name, value, (*place, name), language)
