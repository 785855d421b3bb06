"""What is wrong with a Map state, most of it with what only a Distributed Map has.

https://docs.aws.amazon.com/step-functions/latest/dg/state-map-distributed.html,
read 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.services.stepfunctions.engine.problems import Problem, schema_problem
from local_aws.services.stepfunctions.engine.requests import unfit_character

_READER_TYPES = ("CSV", "JSON", "JSONL", "MANIFEST")
_DELIMITERS = ("COMMA", "PIPE", "SEMICOLON", "SPACE", "TAB")
_TRANSFORMATIONS = ("NONE", "COMPACT", "FLATTEN")


def map_problems(
    state: Mapping[str, Any], processor: Mapping[str, Any], place: str
) -> Iterator[Problem]:
    """The problems of a Map state whose ItemProcessor is an object, but not of its states."""
    config = processor.get("ProcessorConfig", {})
    mode = config.get("Mode", "INLINE")
    if mode not in ("INLINE", "DISTRIBUTED"):
        yield schema_problem(
            f"Mode is '{mode}'; it is INLINE or DISTRIBUTED", f"{place}/ProcessorConfig"
        )
    if mode == "INLINE":
        for field in ("ItemReader", "ItemBatcher", "ResultWriter", "Label"):
            if field in state:
                yield schema_problem(f"{field} is for a Map state whose Mode is DISTRIBUTED", place)
        return
    kind = config.get("ExecutionType")
    if kind not in ("STANDARD", "EXPRESS"):
        yield schema_problem(
            "A Map state whose Mode is DISTRIBUTED needs ExecutionType STANDARD or EXPRESS",
            f"{place}/ProcessorConfig",
        )
    if "Label" in state:
        yield from _label(state["Label"], f"{place}/Label")
    yield from _reader(state.get("ItemReader"), f"{place}/ItemReader")
    yield from _writer(state.get("ResultWriter"), f"{place}/ResultWriter")


def _label(label: str, place: str) -> Iterator[Problem]:
    """It becomes part of a name."""
    unfit = unfit_character(label)
    if not label:
        yield schema_problem("Label cannot be empty", place)
    if len(label) > 40:
        yield schema_problem("Label cannot exceed 40 characters", place)
    if unfit is not None:
        yield schema_problem(f"Label contains invalid character: {unfit!r}", place)


def _reader(reader: Any, place: str) -> Iterator[Problem]:
    if reader is None:
        return
    action = reader.get("Resource", "").rpartition(":")[2]
    if action not in ("getObject", "listObjectsV2"):
        yield schema_problem("Resource is s3:getObject or s3:listObjectsV2", f"{place}/Resource")
    config = reader.get("ReaderConfig", {})
    kind = config.get("InputType")
    if action == "getObject" and kind not in _READER_TYPES:
        yield schema_problem(
            f"InputType is {kind!r}; the local AWS reads {', '.join(_READER_TYPES)}",
            f"{place}/ReaderConfig/InputType",
        )
    if config.get("ManifestType", "S3_INVENTORY") != "S3_INVENTORY":
        yield schema_problem(
            f"ManifestType is {config['ManifestType']!r}; the local AWS reads S3_INVENTORY",
            f"{place}/ReaderConfig/ManifestType",
        )
    if config.get("Transformation", "NONE") != "NONE":
        yield schema_problem(
            f"Transformation is {config['Transformation']!r}; the local AWS has NONE",
            f"{place}/ReaderConfig/Transformation",
        )
    if config.get("CSVDelimiter", "COMMA") not in _DELIMITERS:
        yield schema_problem(
            f"CSVDelimiter is one of {', '.join(_DELIMITERS)}",
            f"{place}/ReaderConfig/CSVDelimiter",
        )
    if kind == "CSV" and config.get("CSVHeaderLocation") not in ("FIRST_ROW", "GIVEN"):
        yield schema_problem(
            "CSVHeaderLocation is FIRST_ROW or GIVEN", f"{place}/ReaderConfig/CSVHeaderLocation"
        )


def _writer(writer: Any, place: str) -> Iterator[Problem]:
    if writer is None:
        return
    config = writer.get("WriterConfig", {})
    if "Resource" not in writer and not config:
        yield schema_problem("ResultWriter needs Resource and Parameters, or WriterConfig", place)
    if "Resource" in writer and not writer["Resource"].endswith(":s3:putObject"):
        yield schema_problem("Resource is arn:aws:states:::s3:putObject", f"{place}/Resource")
    if config.get("Transformation", "NONE") not in _TRANSFORMATIONS:
        yield schema_problem(
            f"Transformation is one of {', '.join(_TRANSFORMATIONS)}",
            f"{place}/WriterConfig/Transformation",
        )
    if config.get("OutputType", "JSON") not in ("JSON", "JSONL"):
        yield schema_problem("OutputType is JSON or JSONL", f"{place}/WriterConfig/OutputType")
