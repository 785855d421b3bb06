"""Calls as code written for SageMaker SDK v2 makes them: run with its Predictor, and with ours.

Imports nothing of either: a *kit* brings ``Predictor``, ``TensorFlowPredictor``,
``serializers`` and ``deserializers``. What was sent and what was returned come
back as plain values, so that both can be compared.
"""

from __future__ import annotations

import io
import json
from base64 import b64encode
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy

JSON = "application/json"
PREDICTIONS = b'{"predictions": [3.5, 4.0]}'


class Connection:
    """Both SDK's session and our `Aws`: its client notes what it is asked, and answers.

    Unless told otherwise with a prediction for each row, as every model does.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: bytes | None = None
        self.content_type = JSON
        self.sagemaker_runtime_client = self

    def client(self, service: str, **options: Any) -> Any:
        return self

    def invoke_endpoint(self, **members: Any) -> dict[str, Any]:
        self.asked.append(members)
        body = members["Body"].encode() if isinstance(members["Body"], str) else members["Body"]
        answer = _predictions(body) if self.answer is None else self.answer
        return {"Body": io.BytesIO(answer), "ContentType": self.content_type}


def _predictions(body: bytes) -> bytes:
    try:
        document = json.loads(body)
        rows = len(document.get("instances") or document["examples"])
    except (ValueError, AttributeError, KeyError):
        rows = len(body.splitlines())
    return json.dumps({"predictions": [3.5] * rows}).encode()


def outcomes(kit: Any) -> dict[str, Any]:
    """By the call's name: the members that were sent and the value that came back."""
    told = {}
    for name, call in _calls(kit).items():
        connection = Connection()
        result = call(connection)
        told[name] = {"sent": plain(connection.asked), "got": plain(result)}
    return told


def plain(value: Any) -> Any:
    """``value`` as JSON can say it; text and bytes that are sent are the same thing."""
    if isinstance(value, dict):
        return {
            key: plain(item.encode() if key == "Body" and isinstance(item, str) else item)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return {"dtype": str(value.dtype), "values": value.tolist()}
    if hasattr(value, "read"):
        return plain(value.read())
    return {"bytes": b64encode(value).decode()} if isinstance(value, bytes) else value


Call = Callable[[Connection], Any]


def _calls(kit: Any) -> dict[str, Call]:
    s, d = kit.serializers, kit.deserializers
    array = numpy.array([[1.5, 2.0], [3.0, -4.25]], "f4")
    written = {
        "json dict": (s.JSONSerializer, {"instances": [1.0, 2.0], "n": None}),
        "json dict of arrays": (s.JSONSerializer, {"x": array, "y": [1]}),
        "json array": (s.JSONSerializer, array),
        "json text": (s.JSONSerializer, "a \u00fc"),
        "json file": (s.JSONSerializer, lambda: io.StringIO('{"a": 1}')),
        "json nan": (s.JSONSerializer, [float("nan"), float("inf")]),
        "jsonlines": (s.JSONLinesSerializer, [{"x": 1}, [2, 3], "z"]),
        "jsonlines text": (s.JSONLinesSerializer, '{"x": 1}\n{"x": 2}'),
        "csv rows": (s.CSVSerializer, [[1, "a,b"], [2.5, 'c"d']]),
        "csv row": (s.CSVSerializer, [1, 2.5, "x"]),
        "csv text": (s.CSVSerializer, "1,2,3"),
        "csv array": (s.CSVSerializer, array),
        "csv flat array": (s.CSVSerializer, array[0]),
        "csv file": (s.CSVSerializer, lambda: io.StringIO("1,2")),
        "npy array": (s.NumpySerializer, array),
        "npy fortran": (s.NumpySerializer, numpy.asfortranarray(array)),
        "npy list": (s.NumpySerializer, [[1, 2], [3, 4]]),
        "npy scalar": (s.NumpySerializer, 7),
        "npy file": (s.NumpySerializer, lambda: io.BytesIO(b"\x93NUMPY")),
        "identity": (s.IdentitySerializer, b"\x00\xff"),
        "data": (s.DataSerializer, {"data": b"raw"}),
        "data of a file": (s.DataSerializer, __file__),
        "string": (s.StringSerializer, "text \u00fc"),
        "libsvm": (s.LibSVMSerializer, "1 1:0.5"),
    }
    calls = {name: _writing(kit, *given) for name, given in written.items()}
    read = {
        "bytes": (d.BytesDeserializer(), b"\x00\xff", "a/b"),
        "string": (d.StringDeserializer(), "\u00fc".encode(), "text/plain"),
        "json": (d.JSONDeserializer(), PREDICTIONS, JSON),
        "jsonlines": (d.JSONLinesDeserializer(), b'{"a": 1}\n[2]\n', "application/jsonlines"),
        "csv": (d.CSVDeserializer(), b'1,"a,b"\r\n2,c\r\n', "text/csv"),
        "numpy of json": (d.NumpyDeserializer("f4", accept=JSON), b"[[1, 2]]", JSON),
        "numpy of csv": (d.NumpyDeserializer(accept="text/csv"), b"1,2\n3,4\n", "text/csv"),
        "stream": (d.StreamDeserializer(), b"parts", "a/b"),
        "accepts several": (d.BytesDeserializer(accept=("a/b", "c/d")), b"", "a/b"),
    }
    calls |= {f"read {name}": _reading(kit, *given) for name, given in read.items()}
    return {**calls, **_shapes(kit), **_tensorflow(kit)}


def _writing(kit: Any, serializer: Any, data: Any) -> Call:
    def call(connection: Connection) -> Any:
        predictor = _json_predictor(kit, connection, serializer())
        return predictor.predict(data() if callable(data) else data)

    return call


def _reading(kit: Any, deserializer: Any, answer: bytes, content_type: str) -> Call:
    def call(connection: Connection) -> Any:
        connection.answer, connection.content_type = answer, content_type
        serializer = kit.serializers.JSONSerializer()
        return kit.Predictor("e", connection, serializer, deserializer).predict({})

    return call


def _json_predictor(kit: Any, connection: Connection, serializer: Any = None, **more: Any) -> Any:
    chosen = serializer if serializer is not None else kit.serializers.JSONSerializer()
    return kit.Predictor("e", connection, chosen, kit.deserializers.JSONDeserializer(), **more)


def _shapes(kit: Any) -> dict[str, Call]:
    """Every argument of ``predict``, by place and by name."""
    every = {
        "target_model": "m.tar.gz",
        "target_variant": "blue",
        "inference_id": "id",
        "custom_attributes": "trace=1",
    }
    text = kit.serializers.JSONSerializer(content_type="application/json;verbose=true")
    return {
        "by name": lambda c: _json_predictor(kit, c).predict([1], **every),
        "by place": lambda c: _json_predictor(kit, c).predict([1], {}, *every.values(), "part"),
        "a component": lambda c: _json_predictor(kit, c).predict([1], component_name="part"),
        "own component": lambda c: _json_predictor(kit, c, component_name="own").predict([1]),
        "initial args": lambda c: _json_predictor(kit, c).predict(
            [1],
            {"ContentType": "a/b", "Accept": "c/d", "EndpointName": "f", "SessionId": "s"},
            target_variant="v",
        ),
        "initial args are laid under": lambda c: _json_predictor(kit, c).predict(
            [1], {"TargetVariant": "under", "CustomAttributes": "under"}, None, "over"
        ),
        "set later": lambda c: _set_later(kit, c).predict("1,2"),
        "own content type": lambda c: _json_predictor(kit, c, text).predict([1]),
    }


def _set_later(kit: Any, connection: Connection) -> Any:
    predictor = _json_predictor(kit, connection)
    predictor.serializer = kit.serializers.CSVSerializer()
    predictor.deserializer = kit.deserializers.BytesDeserializer()
    return predictor


def _tensorflow(kit: Any) -> dict[str, Call]:
    examples = {"signature_name": "s", "examples": [{"x": 1.0}]}

    def predictor(connection: Connection, **more: Any) -> Any:
        return kit.TensorFlowPredictor("e", connection, **more)

    def named(connection: Connection) -> Any:
        return predictor(connection, model_name="half", model_version="7")

    return {
        "tensorflow predict": lambda c: predictor(c).predict({"instances": [1.0]}),
        "tensorflow array": lambda c: predictor(c).predict(numpy.array([1.0, 2.0])),
        "tensorflow named": lambda c: named(c).predict([1.0]),
        "tensorflow attributes": lambda c: named(c).predict([1.0], {"CustomAttributes": "a=b"}),
        "tensorflow classify": lambda c: predictor(c).classify(examples),
        "tensorflow regress named": lambda c: named(c).regress(examples),
        "tensorflow csv": lambda c: predictor(
            c, serializer=kit.serializers.CSVSerializer()
        ).predict([[1.0], [2.0]]),
        "tensorflow component": lambda c: predictor(c, component_name="part").predict([1]),
    }


if __name__ == "__main__":  # by the SageMaker SDK's own Python
    from sagemaker import deserializers, serializers
    from sagemaker.predictor import Predictor
    from sagemaker.tensorflow import TensorFlowPredictor

    sdk = SimpleNamespace(
        Predictor=Predictor,
        TensorFlowPredictor=TensorFlowPredictor,
        serializers=serializers,
        deserializers=deserializers,
    )
    print(json.dumps(outcomes(sdk)))
