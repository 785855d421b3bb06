"""SavedModels loaded into TensorFlow: the only place that speaks to it.

By its modules, not by ``import tensorflow``: `process.import_tensorflow` says why.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tensorflow.core.example.example_pb2 import Example as ExampleProto
from tensorflow.core.framework.types_pb2 import DataType
from tensorflow.core.protobuf.config_pb2 import CallableOptions, ConfigProto, RunOptions
from tensorflow.python.client.session import Session
from tensorflow.python.framework.errors_impl import OpError
from tensorflow.python.framework.ops import Graph
from tensorflow.python.saved_model import loader_impl

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.engine.examples import Example, ExampleList
from sagemaker_serving.model_server.engine.signatures import Signature, TensorInfo
from sagemaker_serving.model_server.engine.status import Code, StatusError
from sagemaker_serving.model_server.engine.tensors import Array

SERVE_TAG = "serve"


class LoadFailed(Failure):
    """A version of a model that TensorFlow could not load."""


class SavedModel:
    """One version of a model in a session of its own (a `registry.Servable`).

    Loaded as TF Serving loads it, with the version 1 loader: signatures on
    ParseExample and models saved by TensorFlow 1 work, which
    ``tf.saved_model.load`` refuses.
    """

    def __init__(self, path: Path, *, inter_op: int, intra_op: int) -> None:
        config = ConfigProto(
            inter_op_parallelism_threads=inter_op, intra_op_parallelism_threads=intra_op
        )
        self._session = Session(graph=Graph(), config=config)
        try:
            meta_graph = loader_impl.load(self._session, [SERVE_TAG], str(path))
        except Exception as error:
            # Whatever is wrong with the files, TensorFlow has an exception of its own for it.
            raise LoadFailed(f"{path} cannot be loaded: {_reason(error)}") from error
        self.signatures: Mapping[str, Signature] = {
            name: _signature(definition) for name, definition in meta_graph.signature_def.items()
        }
        self._callables: dict[tuple[tuple[str, ...], tuple[str, ...], bool], Any] = {}
        self._compiling = threading.Lock()

    def run(
        self, feeds: Mapping[str, Array], fetches: tuple[str, ...], *, here: bool = False
    ) -> dict[str, Array]:
        """One call of the graph, by tensor name; raises `StatusError`. Safe in any thread.

        ``here``: in this thread alone. TensorFlow's own threads are woken for a call, which takes
        0.1 ms when they had nothing to do, as they have between requests.
        """
        try:
            values = self._callable(tuple(feeds), fetches, here)(*feeds.values())
        except OpError as error:
            raise StatusError(Code.of(error.error_code), error.message) from error
        return {name: _array(value) for name, value in zip(fetches, values, strict=True)}

    def serialized(self, examples: ExampleList) -> Array:
        """The examples as serialized tf.Example protos, each after the shared context."""
        context = b"" if examples.context is None else _proto(examples.context)
        protos = np.empty(len(examples.examples), dtype=np.object_)
        protos[:] = [context + _proto(example) for example in examples.examples]
        return protos

    def _callable(self, feeds: tuple[str, ...], fetches: tuple[str, ...], here: bool) -> Any:
        """The graph pruned to these tensors.

        Session.run checks fed shapes, which TF Serving leaves to the graph, and
        takes ten times as long; its public sibling make_callable does the same.
        """
        key = (feeds, fetches, here)
        with self._compiling:
            if key not in self._callables:
                pool = RunOptions(inter_op_thread_pool=-1 if here else 0)
                options = CallableOptions(feed=feeds, fetch=fetches, run_options=pool)
                self._callables[key] = self._session._make_callable_from_options(options)
        return self._callables[key]


def _reason(error: Exception) -> str:
    """The one line that says why: TensorFlow puts where in the graph around it."""
    first, *others = str(error).strip().splitlines() or [type(error).__name__]
    node = next((at for at, line in enumerate(others) if line.startswith("\t [[")), 0)
    return others[node - 1] if first == "Graph execution error:" and node else first


def _array(value: Any) -> Array:
    """A fetched value as an array: TensorFlow hands out a scalar string as plain bytes."""
    return np.array(value, dtype=np.object_) if isinstance(value, bytes) else np.asarray(value)


def _signature(definition: Any) -> Signature:
    return Signature(
        inputs={name: _info(info) for name, info in sorted(definition.inputs.items())},
        outputs={name: _info(info) for name, info in sorted(definition.outputs.items())},
        method_name=definition.method_name,
        text=str(definition),
        definition=definition.SerializeToString(),
    )


def _info(info: Any) -> TensorInfo:
    shape = info.tensor_shape
    return TensorInfo(
        tensor=info.name,
        dtype=DataType.Name(info.dtype),
        shape=None if shape.unknown_rank else tuple(dimension.size for dimension in shape.dim),
    )


def _proto(example: Example) -> bytes:
    proto = ExampleProto()
    for name, feature in example.items():
        target = proto.features.feature[name]
        if feature.kind is not None:
            getattr(target, feature.kind).value.extend(feature.values)
    return bytes(proto.SerializeToString())
