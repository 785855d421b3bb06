"""Records and answers as values, where a job's DataProcessing looks into them: JSON and CSV."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused
from sagemaker_serving.local_sagemaker.records import NEWLINE

OUTPUT_KEY = "SageMakerOutput"
INPUT_KEY = "SageMakerInput"


@dataclass(frozen=True, kw_only=True)
class Format:
    """How bytes become values, one for each record, and how a value is written and joined.

    ``read`` raises ValueError. The keys of a JSON object are written in
    alphabetical order without blanks between, as SageMaker's outputs have
    them (docs.opensearch.org, "Batch ingestion").
    """

    name: str
    read: Callable[[bytes], list[Any]]
    write: Callable[[Any], bytes]
    join: Callable[[Any, Any], Any]

    def read_input(self, record: bytes) -> list[Any]:
        """The values of a record; raises `ObjectRefused`."""
        return self._read(record, "input")

    def read_answer(self, answer: bytes) -> list[Any]:
        """The values of a model's answer; raises `ObjectRefused` in SageMaker's words.

        (github.com/aws/amazon-sagemaker-examples/issues/821.)
        """
        return self._read(answer, "output from the algorithm")

    def _read(self, content: bytes, what: str) -> list[Any]:
        try:
            return self.read(content)
        except (ValueError, RecursionError) as error:
            raise ObjectRefused(f"Failed to parse {what} as {self.name} ({error})") from None


def media_type(content_type: str | None) -> str:
    """A content type without its parameters, in lower case; "" for none."""
    return "" if content_type is None else content_type.partition(";")[0].strip().lower()


def format_of(content_type: str | None) -> Format | None:
    """The format of a content type; None when filters do not know it."""
    return FORMATS.get(media_type(content_type))


def _read_json(body: bytes) -> list[Any]:
    """One document, or one in each line."""
    text = body.decode()
    try:
        return [_DECODER.decode(text)]
    except json.JSONDecodeError as error:
        lines = _lines(text)
        if error.msg != "Extra data" or len(lines) == 1:
            raise
    return [_DECODER.decode(line) for line in lines]


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _finite(number: str) -> float:
    value = float(number)
    return value if math.isfinite(value) else _refuse(number)


def _refuse(number: str) -> NoReturn:
    raise ValueError(f"{number} is no number of JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)
_ENCODER = json.JSONEncoder(separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def _write_json(value: Any) -> bytes:
    return _ENCODER.encode(value).encode("utf-8", "replace")


def _join_json(record: Any, answer: Any) -> Any:
    if isinstance(record, dict):
        return {**record, OUTPUT_KEY: answer}
    return {INPUT_KEY: record, OUTPUT_KEY: answer}


_FIELD = r'(?:"[^"]*(?:""[^"]*)*"|[^",]*)'
_ROW = re.compile(f"{_FIELD}(?:,{_FIELD})*")
_FIELDS = re.compile(f"(?:^|,)({_FIELD})")


def _read_csv(body: bytes) -> list[Any]:
    """Rows of fields, each as it is written, quotes and all (RFC 4180, without line breaks)."""
    rows: list[Any] = []
    for number, line in enumerate(_lines(body.decode()), start=1):
        row = line.removesuffix("\r")
        if _ROW.fullmatch(row) is None:
            raise ValueError(f"line {number} has a quote that does not fit")
        rows.append(_FIELDS.findall(row))
    return rows


def _write_csv(value: Any) -> bytes:
    return (value if isinstance(value, str) else ",".join(value)).encode()


def _join_csv(record: Any, answer: Any) -> Any:
    return [*record, *answer]


_JSON = Format(name="JSON", read=_read_json, write=_write_json, join=_join_json)
FORMATS: Mapping[str, Format] = {
    "text/csv": Format(name="CSV", read=_read_csv, write=_write_csv, join=_join_csv),
    "application/json": _JSON,
    "application/jsonlines": _JSON,
}
"""By content type, what filters and the join may look into."""


def write_lines(format_: Format, values: list[Any]) -> bytes:
    """The values in lines, the last one without its newline."""
    return NEWLINE.join(format_.write(value) for value in values)
