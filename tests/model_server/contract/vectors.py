"""Requests to a model without code, and what every generation answers.

Written from the contract, not from what the server did. ``today`` is 2.20's
answer; ``before`` that of all images up to 2.19, where it is another; ``b1``
that of 2.1 to 2.8, where it is another again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sagemaker_serving.model_server.generations import Generation

JSON = "application/json"
LINES = "application/jsonlines"
CSV = "text/csv"
NAMES_TEXT = "tfs-model-name=text"
NUMBERS = '{"instances": [1.0, 2.0, 5.0]}'
SEVERAL_LINES = '{\n    "predictions": [3.5, 4.0, 5.5\n    ]\n}'
ONE_LINE = '{    "predictions": [3.5, 4.0, 5.5    ]}'
NO_VALUES = "JSON Value: {\n    \"instances\": []\n} No values in 'instances' array"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What comes back; a ``str`` is the exact body, anything else what its JSON means."""

    status: int = 200
    body: Any
    content_type: str = JSON


@dataclass(frozen=True, kw_only=True)
class Vector:
    """One request."""

    body: str = ""
    content_type: str | None = JSON
    accept: str | None = None
    attributes: str | None = None
    today: Answer
    before: Answer | None = None
    b1: Answer | None = None
    method: str = "POST"
    path: str = "/invocations"

    def expected(self, generation: Generation) -> Answer:
        """The answer of a generation."""
        if generation is Generation.C:
            return self.today
        earlier = self.today if self.before is None else self.before
        return self.b1 if generation is Generation.B1 and self.b1 is not None else earlier

    def __str__(self) -> str:
        parts = (self.path.removeprefix("/invocations"), self.content_type, self.accept)
        shown = " ".join(part for part in (*parts, self.attributes) if part)
        return f"{shown} {self.body!r}"[:90]


def predictions(*values: Any) -> Answer:
    return Answer(body={"predictions": list(values)})


def outputs(value: Any) -> Answer:
    return Answer(body={"outputs": value})


def results(*values: Any) -> Answer:
    return Answer(body={"results": list(values)})


def refused(error: str, status: int = 400) -> Answer:
    """What TF Serving says."""
    return Answer(status=status, body={"error": error})


def element(index: int, value: str, kind: str, expected: str) -> Answer:
    """What TF Serving says of an instance of the wrong type."""
    return refused(
        f"Failed to process element: {index} of 'instances' list. Error: INVALID_ARGUMENT: "
        f"JSON Value: {value} Type: {kind} is not of expected type: {expected}"
    )


def unparsed(complaint: str, offset: int) -> Answer:
    return refused(f"JSON Parse error: {complaint} at offset: {offset}")


def text(status: int, body: str) -> Answer:
    return Answer(status=status, body=body)


def csv(body: str, today: Answer, before: Answer | None = None) -> Vector:
    return Vector(body=body, content_type=CSV, today=today, before=before)


def words(body: str, today: Answer, before: Answer | None = None) -> Vector:
    """csv for the model of strings."""
    return Vector(body=body, content_type=CSV, attributes=NAMES_TEXT, today=today, before=before)


def unsupported(content_type: str | None, today: str, before: str) -> Vector:
    return Vector(
        body="5.0",
        content_type=content_type,
        today=text(415, f'{{"error":"Unsupported Media Type: {today}"}}'),
        before=text(415, f'{{"error": "Unsupported Media Type: {before}"}}'),
    )


def by_type(content_type: str, body: str = "5.0") -> Vector:
    """A content type that only today's container knows."""
    return Vector(
        body=body,
        content_type=content_type,
        today=predictions(5.5),
        before=text(415, f'{{"error": "Unsupported Media Type: {content_type}"}}'),
    )


def accepting(accept: str | None, today: Answer, before: Answer | None = None) -> Vector:
    return Vector(body=NUMBERS, accept=accept, today=today, before=before)


def routed(
    attributes: str, today: Answer, before: Answer | None = None, body: str = '{"instances": [1.0]}'
) -> Vector:
    return Vector(body=body, attributes=attributes, today=today, before=before)


COMMA_IN_OBJECT = "Missing a comma or } after an object member."
AFTER_THE_ROOT = "The document root must not be followed by other values."
COMMA_IN_ARRAY = "Missing a comma or ] after an array element."
INVALID = "Invalid value."
MULTI = Answer(body=SEVERAL_LINES)
SINGLE = Answer(body=ONE_LINE)

TFS_JSON = [
    Vector(body=NUMBERS, today=predictions(3.5, 4.0, 5.5)),
    Vector(body=' {"instances" : [1.0]}', today=predictions(3.5)),
    Vector(body='{"instances": [[1.0], [2.0]]}', today=predictions([3.5], [4.0])),
    Vector(body='{"instances": [{"x": 1.0}, {"x": 2.0}]}', today=predictions(3.5, 4.0)),
    Vector(body='{"inputs": [1.0, 2.0]}', today=outputs([3.5, 4.0])),
    Vector(body='{"inputs": {"x": 1.0}}', today=outputs(3.5)),
    Vector(body='{"inputs": 1.0}', today=outputs(3.5)),
    Vector(body='{"instances": [1]}', content_type=LINES, today=predictions(3.5)),
    Vector(body='{"instances": [1]}', content_type="application/jsons", today=predictions(3.5)),
    Vector(body='{"instances": []}', today=refused(NO_VALUES)),
    Vector(body='{"instances": ["a"]}', today=element(0, '"a"', "String", "float")),
    Vector(body='{"instances": [1 2]}', today=unparsed(COMMA_IN_ARRAY, 17)),
    Vector(body='{"instances": [1.0], "signature_name": "zz"}',
     today=refused('Serving signature name: "zz" not found in signature def')),
    Vector(body='{"instances": [1.0]}{"instances": [2.0]}', today=unparsed(AFTER_THE_ROOT, 20),
     b1=unparsed(COMMA_IN_OBJECT, 33)),
    Vector(
        body='{"instances": [1.0]}\n{"instances": [2.0]}',
        today=unparsed(AFTER_THE_ROOT, 21),
        b1=refused(
            "Failed to process element: 0 key: instances of 'instances' list. Error: "
            "INVALID_ARGUMENT: JSON object: does not have named input: instances"
        ),
    ),
    Vector(body='{"instances": ["] ["]}', attributes=NAMES_TEXT, today=predictions("] ["),
     b1=refused('JSON Value: {\n    "instances": {\n        "instances": ["] ["]\n'
      "    }\n} Expecting 'instances' to be an list/array")),
]  # fmt: skip

OTHER_JSON = [
    Vector(body="5.0", today=predictions(5.5)),
    Vector(body="[1.0, 2.0, 5.0]", today=predictions([3.5, 4.0, 5.5])),
    Vector(body="[[1.0],[2.0]]", today=predictions([3.5], [4.0])),
    Vector(body=" [ [1.0] ]", today=predictions([3.5])),
    Vector(body='{"x": 1.0}', today=predictions(3.5)),
    Vector(body='"a"', attributes=NAMES_TEXT, today=predictions("a")),
    Vector(body='{"b64": "aGk="}', attributes=NAMES_TEXT, today=predictions("hi")),
    Vector(body="NaN", today=text(200, '{\n    "predictions": [NaN\n    ]\n}')),
    Vector(body="-Infinity", today=text(200, '{\n    "predictions": [-Infinity\n    ]\n}')),
    Vector(body="", today=refused(NO_VALUES)),
    Vector(body="null", today=element(0, "null", "Null", "float")),
    Vector(
        body='[{"x": 1.0}, {"x": 2.0}]',
        today=element(0, '{\n    "x": 1.0\n}', "Object", "float"),
    ),
    Vector(body="[1.0", today=unparsed(COMMA_IN_ARRAY, 19)),
    Vector(body="x json", today=unparsed(INVALID, 14)),
]

JSON_LINES = [
    Vector(body="[1.0]\n[2.0]", content_type=LINES, today=predictions([3.5], [4.0])),
    Vector(body="[1.0]\r\n[2.0]\r\n", today=predictions([3.5], [4.0])),
    Vector(body="  [1.0]  \n  [2.0]  ", content_type=LINES, today=predictions([3.5], [4.0])),
    Vector(body='{"x": 1.0}\n\n{"x": 2.0}\n', content_type=LINES, today=predictions(3.5, 4.0)),
    Vector(
        body='{"x": 1.0}\n{"x": 2.0}',
        content_type="application/jsons",
        today=predictions(3.5, 4.0),
    ),
    Vector(body="1\n2\n3", content_type=LINES, today=unparsed(COMMA_IN_ARRAY, 16)),
    Vector(body="[1.0] [2.0]", today=unparsed(COMMA_IN_OBJECT, 19)),
    Vector(body='{"x": 1.0}{"x": 2.0}', content_type=LINES, today=unparsed(COMMA_IN_OBJECT, 23)),
    Vector(
        body='{"x": "a]["}',
        today=refused(
            'JSON Value: {\n    "instances": {\n        "x": "a]["\n    }\n} '
            "Expecting 'instances' to be an list/array"
        ),
    ),
]

FLOAT_CSV = [
    csv("1.0,2.0\n5.0,1.0", predictions([3.5, 4.0], [5.5, 3.5])),
    csv("1.0\n2.0\n5.0", predictions(3.5, 4.0, 5.5)),
    csv("\n 1.0,2.0 \r\n\r\n3.0,4.0\n", predictions([3.5, 4.0], [4.5, 5.0])),
    csv("1.0, 2.0", predictions([3.5, 4.0])),
    csv("-1.5", predictions(2.25)),
    csv("1e1", predictions(8.0)),
    csv("", refused(NO_VALUES)),
    csv("NaN", element(0, '"NaN"', "String", "float")),
    csv("x,y\n1.0,2.0", element(0, '"x"', "String", "float")),
    csv('"1.0","2.0"', predictions([3.5, 4.0]), element(0, '"1.0"', "String", "float")),
    csv('"1.0"', predictions(3.5), element(0, '"1.0"', "String", "float")),
    csv(".5", element(0, '".5"', "String", "float"), unparsed(INVALID, 14)),
    csv("+1", element(0, '"+1"', "String", "float"), unparsed(INVALID, 14)),
    csv("01", element(0, '"01"', "String", "float"), unparsed(COMMA_IN_ARRAY, 15)),
    csv("1,,3", element(0, '""', "String", "float"), unparsed(INVALID, 17)),
    csv("1.0,2.0,", element(0, '""', "String", "float"), unparsed(INVALID, 23)),
    csv("1.0,x", element(0, '"x"', "String", "float"), unparsed(INVALID, 19)),
]

NEVER_CLOSED = unparsed("Missing a closing quotation mark in string.", 34)
STRING_CSV = [
    words("a", predictions("a")),
    words("a\nb", predictions("a", "b")),
    words("a,b", predictions(["a", "b"])),
    words("é,ü", predictions(["é", "ü"])),
    words('"a","b"', predictions(["a", "b"])),
    words("a,b,c", predictions(["a", "b", "c"]), predictions(["a", "b,c"])),
    words("a,b\nc,d", predictions(["a", "b"], ["c", "d"])),
    words('"a,b"', predictions("a,b"), predictions(["a,b"])),
    words('say "hi"', predictions("say hi"), unparsed(COMMA_IN_ARRAY, 24)),
    words('a\n"b"', predictions("a", "b"), unparsed(COMMA_IN_ARRAY, 23)),
    words('"say ""hi"""', predictions('say "hi"'), unparsed(COMMA_IN_ARRAY, 20)),
    words("a\\b", predictions("a\\b"), predictions("a\b")),
    words(
        "a\\c",
        predictions("a\\c"),
        unparsed("Invalid escape character in string.", 16),
    ),
    words("Ee,x", predictions(["Ee", "x"]), unparsed(INVALID, 15)),
    words("-a", predictions("-a"), unparsed(INVALID, 15)),
    words(
        "x,y\n1.0,2.0",
        element(1, "1.0", "Number", "string"),
        predictions(["x", "y"], ["1.0", "2.0"]),
    ),
    words('"a, never closed', predictions("a, never closed"), NEVER_CLOSED),
    words("x\n1", element(1, "1", "Number", "string"), predictions("x", "1")),
]

CONTENT_TYPES = [
    Vector(body="5.0", content_type=CSV, today=predictions(5.5)),
    by_type("application/json; charset=utf-8"),
    by_type("application/json;charset=utf-8"),
    by_type("Application/JSON"),
    by_type("application/jsonlines; v=1"),
    by_type("Text/CSV"),
    by_type("text/csv;header=absent"),
    unsupported("image/png", "image/png", "image/png"),
    unsupported("application/x-npy", "application/x-npy", "application/x-npy"),
    unsupported("Image/PNG; q=1", "image/png", "Image/PNG; q=1"),
    unsupported("text/plain", "text/plain", "text/plain"),
    unsupported("application/jsonl", "application/jsonl", "application/jsonl"),
    unsupported(None, "Unknown", "Unknown"),
    unsupported('x/"y"', 'x/\\"y\\"', 'x/"y"'),
    Vector(
        method="GET",
        content_type=None,
        today=text(415, '{"error":"Unsupported Media Type: Unknown"}'),
        before=text(415, '{"error": "Unsupported Media Type: Unknown"}'),
    ),
    Vector(method="PUT", body="5.0", today=predictions(5.5)),
]

ACCEPT = [
    accepting(None, MULTI),
    accepting("*/*", MULTI),
    accepting("text/csv", MULTI),
    accepting("application/jsons", MULTI),
    accepting("application/json;q=0.9", MULTI),
    accepting("Application/JSON", MULTI),
    accepting(JSON, SINGLE),
    accepting("application/json,text/csv", SINGLE),
    accepting(LINES, SINGLE, Answer(body=ONE_LINE, content_type=LINES)),
    accepting("text/csv,application/json", SINGLE, Answer(body=ONE_LINE, content_type=CSV)),
    accepting("application/x-npy, application/json", SINGLE,
     Answer(body=ONE_LINE, content_type="application/x-npy")),
    accepting("text/csv, image/png, application/json", SINGLE, MULTI),
    Vector(body="[1.0", accept=JSON,
     today=text(400, f'{{    "error": "JSON Parse error: {COMMA_IN_ARRAY} at offset: 19"}}')),
    Vector(body='{"instances": []}', accept=LINES,
     today=text(400, '{    "error": "JSON Value: {\\n    \\"instances\\": []\\n} '
      "No values in 'instances' array\"}"),
     before=Answer(status=400, content_type=LINES,
      body='{    "error": "JSON Value: {\\n    \\"instances\\": []\\n} '
      "No values in 'instances' array\"}")),
]  # fmt: skip

MALFORMED = "Malformed request: POST /v1/models/"
ATTRIBUTES = [
    routed("", predictions(3.5)),
    routed("trace=1", predictions(3.5)),
    routed("tfs-other=1", predictions(3.5)),
    routed("tfs-model-version=122", predictions(2.5)),
    routed("tfs-model-version=000122", predictions(2.5)),
    routed("tfs-model-name=half_plus_three,tfs-model-version=122", predictions(2.5)),
    routed("tfs-model-version=122,tfs-model-version=123", predictions(3.5)),
    routed("tfs-model-version=122=1", predictions(3.5)),
    routed("a=1,tfs-method=regress", results(3.5),
     body='{"signature_name": "regress_x_to_y", "examples": [{"x": 1.0}]}'),
    routed("tfs-method=classify", results([["", 3.5]]),
     body='{"signature_name": "classify_x_to_y", "examples": [{"x": 1.0}]}'),
    routed("tfs-model-name=nope", refused("Servable not found for request: Latest(nope)", 404)),
    routed("tfs-model-version=9",
     refused("Servable not found for request: Specific(half_plus_three, 9)", 404)),
    routed("tfs-method=Predict", text(400, '{"error":"invalid tfs-method"}'), predictions(3.5)),
    routed("tfs-method=delete", text(400, '{"error":"invalid tfs-method"}'),
     refused(MALFORMED + "half_plus_three:delete")),
    routed("tfs-model-version=one", text(400, '{"error":"invalid tfs-model-version"}'),
     refused(MALFORMED + "half_plus_three/versions/one:predict")),
    routed("tfs-model-name=a/b", text(400, '{"error":"invalid tfs-model-name"}'),
     refused(MALFORMED + "a/b:predict")),
    routed(f"tfs-model-name={'a' * 255}",
     refused(f"Servable not found for request: Latest({'a' * 255})", 404)),
    routed(f"tfs-model-name={'a' * 256}", text(400, '{"error":"invalid tfs-model-name"}'),
     refused(f"Servable not found for request: Latest({'a' * 256})", 404)),
    routed("tfs-model-name=_half", text(400, '{"error":"invalid tfs-model-name"}'),
     refused("Servable not found for request: Latest(_half)", 404)),
]  # fmt: skip

NOT_FOUND = text(404, '{"error": "Not Found"}')


def bad_gateway(server: str) -> Answer:
    return Answer(
        status=502,
        content_type="text/html",
        body="<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
        f"<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>{server}</center>\r\n"
        "</body>\r\n</html>\r\n",
    )


PAGE, OLDER_PAGE = bad_gateway("nginx/1.30.3"), bad_gateway("nginx")
PATHS = [
    Vector(method="GET", path="/ping", today=text(200, "")),
    Vector(method="PUT", path="/ping", today=text(200, "")),
    Vector(method="DELETE", path="/ping", today=text(200, "")),
    Vector(method="GET", path="/ping/deep", today=text(200, "")),
    Vector(method="GET", path="/", today=NOT_FOUND),
    Vector(path="/v1/models/half_plus_three:predict", today=NOT_FOUND),
    Vector(path="/invocation", today=NOT_FOUND),
    Vector(method="GET", path="/models", today=PAGE, before=OLDER_PAGE),
    Vector(path="/models/half_plus_three/invoke", today=PAGE, before=OLDER_PAGE),
    Vector(path="/tfs/v1/models/half_plus_three:predict", body=NUMBERS, today=MULTI),
    Vector(path="/tfs/v1/models/text:predict", body='{"inputs": "a"}', today=outputs("a")),
    Vector(method="GET", path="/tfs/v1/models/text",
     today=Answer(body={"model_version_status": [{"version": "1", "state": "AVAILABLE",
      "status": {"error_code": "OK", "error_message": ""}}]})),
    Vector(method="GET", path="/tfs/v1/models/nope",
     today=refused("Could not find any versions of model nope", 404)),
]  # fmt: skip

VECTORS = [
    *TFS_JSON, *OTHER_JSON, *JSON_LINES, *FLOAT_CSV, *STRING_CSV,
    *CONTENT_TYPES, *ACCEPT, *ATTRIBUTES, *PATHS,
]  # fmt: skip
