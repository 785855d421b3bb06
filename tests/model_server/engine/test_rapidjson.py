"""Numbers and texts where Python's decoder and rapidjson 1.1.0 part, as its sources say.

Each row names the function of include/rapidjson/reader.h (v1.1.0) that decides it.
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.model_server.engine.documents import parse_document
from sagemaker_serving.model_server.engine.rapidjson import read
from sagemaker_serving.model_server.engine.status import StatusError

TOO_BIG = "Number too big to be stored in double."
INVALID = "Invalid value."

NUMBERS: list[tuple[str, str, float | tuple[str, int]]] = [
    # an exponent over 308, less the digits after the point, whatever stands before it
    ("ParseNumber, maxExp", "1e308", 1e308),
    ("ParseNumber, maxExp", "1e309", (TOO_BIG, 0)),
    ("ParseNumber, maxExp", "1e400", (TOO_BIG, 0)),
    ("ParseNumber, maxExp", "0e309", (TOO_BIG, 0)),
    ("ParseNumber, maxExp", "0.1e309", 1e308),
    ("ParseNumber, maxExp", "0.1e310", (TOO_BIG, 0)),
    ("ParseNumber, maxExp", "1e0000000000000000000000000007", 1e7),
    # what is multiplied past the largest double is not looked at again
    ("StrtodNormalPrecision", "10e308", math.inf),
    ("StrtodNormalPrecision", "-10e308", -math.inf),
    ("StrtodNormalPrecision", "1e-400", 0.0),
    ("StrtodNormalPrecision", "1e-99999999999999999999", 0.0),
    ("StrtodNormalPrecision", "5e-324", 5e-324),
    # whole numbers are of 64 bits, then doubles, digit by digit
    ("ParseNumber, use64bit", "18446744073709551615", 2**64 - 1),
    ("ParseNumber, useDouble", "18446744073709551616", 2.0**64),
    ("ParseNumber, use64bit", "-9223372036854775808", -(2**63)),
    ("ParseNumber, useDouble", "-9223372036854775809", -(2.0**63)),
    ("ParseNumber, useDouble", "9" * 309, (TOO_BIG, 0)),
    ("ParseNumber, useDouble", "1" + "0" * 5000, (TOO_BIG, 0)),
    ("ParseNumber, frac", "1.", ("Miss fraction part in number.", 2)),
    ("ParseNumber, frac", "1.e5", ("Miss fraction part in number.", 2)),
    ("ParseNumber, exp", "1e", ("Miss exponent part in number.", 2)),
    ("ParseNumber, exp", "1.5E+", ("Miss exponent part in number.", 5)),
    ("ParseNumber, int", "-", (INVALID, 1)),
    ("ParseNumber, int", "+1", (INVALID, 0)),
    ("ParseNumber, int", ".5", (INVALID, 0)),
    ("ParseNumber, int", "01", ("Missing a comma or ] after an array element.", 1)),
    ("ParseNumber, NaN", "NaN", math.nan),
    ("ParseNumber, NaN", "-NaN", math.nan),
    ("ParseNumber, Inf", "Inf", math.inf),
    ("ParseNumber, Inf", "-Infinity", -math.inf),
    ("ParseNumber, Inf", "Infi", (INVALID, 4)),
    ("ParseNumber, Inf", "inf", (INVALID, 0)),
    ("ParseNumber, NaN", "Nan", (INVALID, 2)),
    # the end of a word is where it stops being one
    ("ParseTrue", "tru", (INVALID, 3)),
    ("ParseNull", "nuLl", (INVALID, 2)),
    ("ParseFalse", "falsee", ("Missing a comma or ] after an array element.", 5)),
    # "the first half of a pair alone" is no character, the second is
    ("ParseStringToStream", r'"\ud800"', ("The surrogate pair in string is invalid.", 1)),
    ("ParseStringToStream", r'"a\ud83d\ud83d"', ("The surrogate pair in string is invalid.", 2)),
    ("ParseHex4", r'"\u12g4"', ("Incorrect hex digit after \\u escape in string.", 1)),
    ("ParseStringToStream", '"a\n"', ("Invalid escape character in string.", 2)),
    ("ParseStringToStream", r'"\x"', ("Invalid escape character in string.", 1)),
    # HandleError: what a state lacks
    ("HandleError, ArrayInitial", ",", (INVALID, 0)),
    ("HandleError, ElementDelimiter", "1,", (INVALID, 2)),
    ("HandleError, ElementDelimiter", "1,,2", (INVALID, 2)),
]


@pytest.mark.parametrize(("source", "text", "expected"), NUMBERS)
def test_a_value_is_read_as_rapidjson_reads_it(source: str, text: str, expected: Any) -> None:
    body = f'{{"a": [{text}]}}'.encode()
    if isinstance(expected, tuple):
        words, offset = expected
        with pytest.raises(StatusError) as refused:
            parse_document(body)
        assert refused.value.message == f"JSON Parse error: {words} at offset: {offset + 7}"
    else:
        (found,) = parse_document(body)["a"]
        assert repr(float(found)) == repr(float(expected))


def test_offsets_count_the_byte_order_mark_and_bytes_of_text() -> None:
    with pytest.raises(StatusError, match=r"at offset: 13$"):
        parse_document('\ufeff{"é": [1 2]}'.encode())


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.integers(-(10**15), 10**15).map(lambda number: number / 1000)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_what_python_writes_is_read_alike(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read(text.encode(errors="surrogatepass")) == json.loads(text)


@given(st.binary(max_size=40) | st.text('[]{},:"\\u0d8eE1-+.truefalsnINaify \n').map(str.encode))
def test_any_body_is_a_document_or_refused(body: bytes) -> None:
    with suppress(StatusError):
        assert isinstance(parse_document(body), dict)
