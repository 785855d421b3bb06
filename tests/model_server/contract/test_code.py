"""A model with code: the Python service of each generation, over numpy's engine."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import falcon
import pytest
import requests
from werkzeug.test import Client, TestResponse

from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.handler.service import Upstream, application
from sagemaker_serving.model_server.handler.user_code import Handler, HandlerPair
from tests.model_server.contract.light import HALF, Light

EARLIER = [Generation.A, Generation.B1, Generation.B2]
ATTRIBUTES = "X-Amzn-SageMaker-Custom-Attributes"
NO_OBJECT = '{\n    "error": "JSON Value: [1.0] Is not object"\n}'
NOT_FOUND = '{\n    "error": "Servable not found for request: Latest(nope)"\n}'
SERVER_ERROR = {"title": "500 Internal Server Error"}
WITH_FALCON_2 = [Generation.A, Generation.B1]


def told(data: Any, context: Any) -> tuple[str, str]:
    """A handler that tells what it was given."""
    fields = context._asdict() | {"channel": None, "body": data.read().decode()}
    return json.dumps(fields), "x/context"


def raising(data: Any, context: Any) -> Any:
    raise ValueError("no " + data.read().decode())


def conflicting(data: Any, context: Any) -> Any:
    raise falcon.HTTPError("409 Conflict", description="another was first")


def silent(data: Any, context: Any) -> Any:
    return None, "x/empty"


PAIR = HandlerPair(
    lambda data, context: data.read(),
    lambda response, context: (f"{response.status_code} {response.text}", "x/pair"),
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    status: int = 200
    body: Any
    content_type: str = "application/json"


@dataclass(frozen=True, kw_only=True)
class Vector:
    """A request to the service, and its answer.

    ``before`` where images to 2.19 differ, ``falcon_2`` where those with falcon 2 do.
    """

    name: str
    handlers: Handler | HandlerPair | None = None
    method: str = "POST"
    path: str = "/invocations"
    body: str | bytes = '{"instances": [1.0]}'
    content_type: str | None = "application/json"
    accept: str | None = None
    attributes: str | None = None
    today: Answer
    before: Answer | None = None
    falcon_2: Answer | None = None


UNCAUGHT = Answer(
    status=500,
    body="<html>\n  <head>\n    <title>Internal Server Error</title>\n  </head>\n  <body>\n"
    "    <h1><p>Internal Server Error</p></h1>\n    \n  </body>\n</html>\n",
    content_type="text/html",
)
"""gunicorn's own page."""


def returning(body: Any) -> Handler:
    return lambda data, context: (body, "x/odd")


def error(status: int, message: str) -> Answer:
    return Answer(status=status, body={"error": message})


def titled(status: int, title: str, description: str | None = None) -> Answer:
    described = {} if description is None else {"description": description}
    return Answer(status=status, body={"title": title, **described})


VECTORS = [
    Vector(name="predictions", today=Answer(body={"predictions": [3.5]})),
    Vector(name="accept is the content type", accept="x/mine",
     today=Answer(body={"predictions": [3.5]}, content_type="x/mine")),
    Vector(name="no content type", content_type=None, today=Answer(body={"predictions": [3.5]})),
    Vector(name="parameters and case of the content type",
     content_type="Application/JSON; charset=utf-8", today=Answer(body={"predictions": [3.5]})),
    Vector(name="another content type", content_type="Image/PNG; q=1",
     today=error(415, "Unsupported Media Type: image/png"),
     before=Answer(body={"predictions": [3.5]})),
    Vector(name="nothing is converted", body="[1.0]", content_type="text/csv",
     today=titled(400, "400 Bad Request", NO_OBJECT), before=Answer(body=NO_OBJECT)),
    Vector(name="an unknown model", attributes="tfs-model-name=nope",
     today=titled(404, "404 Not Found", NOT_FOUND), before=Answer(body=NOT_FOUND)),
    Vector(name="an unknown model, and accept", attributes="tfs-model-name=nope",
     accept="application/jsonlines", today=Answer(status=404, body=""),
     before=Answer(body=NOT_FOUND, content_type="application/jsonlines")),
    Vector(name="bytes that are no text", body=b"\xff",
     today=error(500, "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte")),
    Vector(name="another version", attributes="tfs-model-version=122",
     today=Answer(body={"predictions": [2.5]})),
    Vector(name="another method", attributes="tfs-method=regress",
     body='{"signature_name": "regress_x_to_y", "examples": [{"x": 1.0}]}',
     today=Answer(body={"results": [3.5]})),
    Vector(name="a method in capitals", attributes="tfs-method=Predict",
     today=error(400, "invalid tfs-method: must be one of predict|classify|regress"),
     before=Answer(body={"predictions": [3.5]})),
    Vector(
        name="an unknown method",
        attributes="tfs-method=delete",
        today=error(400, "invalid tfs-method: must be one of predict|classify|regress"),
        before=Answer(
            body='{\n    "error": "Malformed request: POST /v1/models/half_plus_three:delete"\n}'
        ),
    ),
    Vector(
        name="a version that is no number",
        attributes="tfs-model-version=one",
        today=error(400, "invalid tfs-model-version: must be a positive integer"),
        before=Answer(
            body='{\n    "error": "Malformed request: POST '
            '/v1/models/half_plus_three/versions/one:predict"\n}'
        ),
    ),
    Vector(name="a name that is none", attributes="tfs-model-name=a/b",
     today=error(400, "invalid tfs-model-name"),
     before=Answer(body='{\n    "error": "Malformed request: POST /v1/models/a/b:predict"\n}')),
    Vector(name="a second equals sign", attributes="tfs-model-version=122=1",
     today=error(400, "invalid tfs-model-version: must be a positive integer"),
     before=Answer(status=500, body=SERVER_ERROR), falcon_2=UNCAUGHT),
    Vector(name="a pair", handlers=PAIR,
     today=Answer(body='200 {\n    "predictions": [3.5\n    ]\n}', content_type="x/pair")),
    Vector(name="a pair and TF Serving's error", handlers=PAIR, body="[1.0]",
     today=titled(400, "400 Bad Request", NO_OBJECT),
     before=Answer(body=f"400 {NO_OBJECT}", content_type="x/pair")),
    Vector(name="a pair and an empty body", handlers=PAIR, body="",
     today=titled(400, "400 Bad Request",
      '{\n    "error": "JSON Parse error: The document is empty"\n}'),
     before=Answer(body='400 {\n    "error": "JSON Parse error: The document is empty"\n}',
      content_type="x/pair")),
    Vector(name="handlers see any content type", handlers=PAIR, content_type="image/png",
     today=Answer(body='200 {\n    "predictions": [3.5\n    ]\n}', content_type="x/pair")),
    Vector(name="an exception", handlers=raising, body="luck", today=error(500, "no luck")),
    Vector(name="an HTTP error of a handler", handlers=conflicting,
     today=titled(409, "409 Conflict", "another was first"),
     before=error(500, "<HTTPError: 409 Conflict>")),
    Vector(name="no body", handlers=silent, today=Answer(body="", content_type="x/empty")),
    Vector(name="a handler and a bad attribute", handlers=silent, attributes="tfs-method=delete",
     today=error(400, "invalid tfs-method: must be one of predict|classify|regress"),
     before=Answer(body="", content_type="x/empty")),
    Vector(name="GET", method="GET", today=Answer(body="{}"),
     before=Answer(status=500, body=SERVER_ERROR), falcon_2=UNCAUGHT),
    Vector(name="ping", method="GET", path="/ping", today=Answer(body="")),
    Vector(name="models", method="GET", path="/models", today=titled(404, "404 Not Found"),
     falcon_2=Answer(status=404, body="")),
    Vector(name="another method", method="PUT", today=titled(405, "405 Method Not Allowed"),
     falcon_2=Answer(status=405, body="")),
    *(
        Vector(
            name=f"a handler that returns {what}",
            handlers=returning(body),
            today=Answer(body="", content_type="x/odd"),
            falcon_2=UNCAUGHT,
        )
        for what, body in {
            "an empty bytearray": bytearray(),
            "an empty dict": {},
            "an empty list": [],
        }.items()
    ),
    *(
        Vector(
            name=f"a handler that returns {what}",
            handlers=returning(body),
            today=Answer(status=500, body=""),
            falcon_2=UNCAUGHT,
        )
        for what, body in {
            "a number": 5,
            "no number": False,
            "a stream": io.BytesIO(b"x"),
            "a lone surrogate": "\ud800",
        }.items()
    ),
    Vector(name="text", handlers=returning("täxt"),
     today=Answer(body="täxt", content_type="x/odd")),
    Vector(name="bytes of a kind of their own",
     handlers=returning(type("Mine", (bytes,), {})(b"x")),
     today=Answer(body="x", content_type="x/odd")),
]  # fmt: skip


def client(
    container: Light, generation: Generation, handlers: Handler | HandlerPair | None = None
) -> Client:
    """The service of a generation."""
    upstream = Upstream(
        rest_ports=[container.rest_port],
        grpc_ports=[9000],
        default_model=HALF,
        timeout_seconds=30,
    )
    return Client(application(upstream, handlers, CONTRACTS[generation].handler))


def answer(to: Client, vector: Vector) -> TestResponse:
    given = {
        "Content-Type": vector.content_type,
        "Accept": vector.accept,
        ATTRIBUTES: vector.attributes,
    }
    headers = {name: value for name, value in given.items() if value is not None}
    return to.open(vector.path, method=vector.method, data=vector.body, headers=headers)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_every_generation_answers_by_its_contract(container: Light, vector: Vector) -> None:
    for generation in Generation:
        response = answer(client(container, generation, vector.handlers), vector)
        is_today = generation is Generation.C or vector.before is None
        expected = vector.today if is_today else vector.before
        if generation in WITH_FALCON_2 and vector.falcon_2 is not None:
            expected = vector.falcon_2
        assert expected is not None
        text = response.get_data(as_text=True)
        came = Answer(
            status=response.status_code,
            body=text if isinstance(expected.body, str) else json.loads(text),
            content_type=response.content_type or "",
        )
        assert came == expected, f"generation {generation}"


@pytest.mark.parametrize("generation", Generation)
def test_the_context_has_eleven_fields_since_2_20_and_ten_before(
    container: Light, generation: Generation
) -> None:
    response = client(container, generation, told).post(
        "/invocations",
        data="12345",
        content_type="x/y",
        headers={ATTRIBUTES: "k=v,tfs-model-version=122"},
    )
    expected = {
        "model_name": None,
        "model_version": "122",
        "method": None,
        "rest_uri": f"http://localhost:{container.rest_port}"
        "/v1/models/half_plus_three/versions/122:predict",
        "grpc_port": "9000",
        "channel": None,
        "custom_attributes": "k=v,tfs-model-version=122",
        "request_content_type": "x/y",
        "accept_header": "application/json",
        "content_length": 5,
        **({"timeout": 30} if generation is Generation.C else {}),
    }
    assert json.loads(response.get_data(as_text=True)) == expected | {"body": "12345"}
    assert list(json.loads(response.get_data(as_text=True)))[:-1] == list(expected)


@pytest.mark.parametrize(
    ("generation", "timeout"), [*((earlier, None) for earlier in EARLIER), (Generation.C, 30)]
)
def test_only_today_a_call_of_the_engine_has_a_timeout(
    container: Light, monkeypatch: pytest.MonkeyPatch, generation: Generation, timeout: int | None
) -> None:
    timeouts = []
    post: Callable[..., requests.Response] = requests.Session.post

    def observed(session: requests.Session, url: str, **options: Any) -> requests.Response:
        timeouts.append(options["timeout"])
        return post(session, url, **options)

    monkeypatch.setattr(requests.Session, "post", observed)
    response = client(container, generation, PAIR).post("/invocations", data='{"inputs": 1.0}')
    assert (response.status_code, timeouts) == (200, [timeout])
