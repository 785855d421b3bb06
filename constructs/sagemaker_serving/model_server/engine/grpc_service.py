"""TensorFlow Serving's gRPC services: each method from its request to its response.

Source: tensorflow/serving 9d981c5, ``model_servers/prediction_service_impl.cc``,
``model_servers/get_model_status_impl.cc`` and ``servables/tensorflow/`` (the files that are named
below). ModelService's HandleReloadConfigRequest is UNIMPLEMENTED here.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from typing import Any

import grpc
import grpc.aio
import numpy as np
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef

from sagemaker_serving.model_server.engine.classify_regress import (
    CLASSES,
    INPUTS,
    OUTPUTS,
    SCORES,
    check_classes,
    check_regressions,
    classify_fetches,
    regress_fetches,
)
from sagemaker_serving.model_server.engine.grpc_messages import AVAILABLE, message
from sagemaker_serving.model_server.engine.predict import Tensors, wrong_number_of_inputs
from sagemaker_serving.model_server.engine.registry import Registry, Servable
from sagemaker_serving.model_server.engine.running import Calls, Runner
from sagemaker_serving.model_server.engine.service import INLINE_BYTES
from sagemaker_serving.model_server.engine.signatures import DEFAULT_SIGNATURE, Signature
from sagemaker_serving.model_server.engine.status import Code, StatusError, invalid
from sagemaker_serving.model_server.engine.tensor_protos import array_of, write
from sagemaker_serving.model_server.engine.tensors import Array, type_name

log = logging.getLogger("engine")

MESSAGE_BYTES = 2**31 - 1
"""The most a request may have (``model_servers/server.cc``, SetMaxMessageSize)."""

_CODES = {code.value[0]: code for code in grpc.StatusCode}
_MOST_SAID = 1024
_SIGNATURE_DEF = "signature_def"
_CLASSIFY, _REGRESS = "tensorflow/serving/classify", "tensorflow/serving/regress"


def make_server(registry: Registry, runner: Runner, pool: Executor) -> grpc.aio.Server:
    """A server that is told neither a port nor to start; ``pool`` takes what is large."""
    methods = Methods(registry, runner, pool)
    unlimited = [
        ("grpc.max_receive_message_length", MESSAGE_BYTES),
        ("grpc.max_send_message_length", -1),
    ]
    server = grpc.aio.server(options=unlimited)
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler(
                "tensorflow.serving.PredictionService",
                {
                    "Predict": _method(methods.predict, "PredictRequest"),
                    "Classify": _method(methods.classify, "ClassificationRequest"),
                    "Regress": _method(methods.regress, "RegressionRequest"),
                    "MultiInference": _method(methods.multi_inference, "MultiInferenceRequest"),
                    "GetModelMetadata": _method(methods.metadata, "GetModelMetadataRequest"),
                },
            ),
            grpc.method_handlers_generic_handler(
                "tensorflow.serving.ModelService",
                {"GetModelStatus": _method(methods.status, "GetModelStatusRequest")},
            ),
        )
    )
    return server


class Methods(Calls):
    """The methods; each raises `StatusError` with TensorFlow Serving's code and text."""

    def __init__(self, registry: Registry, runner: Runner, pool: Executor) -> None:
        super().__init__(runner, pool)
        self._registry = registry

    async def predict(self, request: Any) -> Any:
        """``servables/tensorflow/predict_util.cc``, RunPredict."""
        spec, servable = self._servable(request)
        name = spec.signature_name or DEFAULT_SIGNATURE
        signature = servable.signatures.get(name)
        if signature is None:
            raise StatusError(
                Code.FAILED_PRECONDITION, f'Serving signature key "{name}" not found.'
            )
        is_small = request.ByteSize() <= INLINE_BYTES
        feeds = await self._convert(lambda: _feeds(signature, request.inputs), inline=is_small)
        names = _fetched_names(signature, list(request.output_filter))
        _check_types(signature, feeds)
        fetches = {name: signature.outputs[name].tensor for name in names}
        outputs = await self._fetched(servable, feeds, fetches)
        is_small = sum(array.nbytes for array in outputs.values()) <= INLINE_BYTES
        answered = self._spec(spec, name)
        return await self._convert(lambda: _prediction(answered, outputs), inline=is_small)

    async def classify(self, request: Any) -> Any:
        """``servables/tensorflow/classifier.cc``, RunClassify."""
        return await self._infer(
            request, classify_fetches, _classifications, message("ClassificationResponse")
        )

    async def regress(self, request: Any) -> Any:
        """``servables/tensorflow/regressor.cc``, RunRegress."""
        return await self._infer(
            request, regress_fetches, _regressions, message("RegressionResponse")
        )

    async def _infer(
        self,
        request: Any,
        fetches_of: Callable[[Signature], dict[str, str]],
        result_of: Callable[[Signature, Tensors, int], Any],
        response: type[Any],
    ) -> Any:
        spec, servable, signature = self._signature(request)
        fetches = fetches_of(signature)
        examples = _examples(request.input)
        feeds = {signature.inputs[INPUTS].tensor: examples}
        outputs = await self._fetched(servable, feeds, fetches)
        result = result_of(signature, outputs, len(examples))
        return response(model_spec=self._spec(spec, spec.signature_name), result=result)

    async def multi_inference(self, request: Any) -> Any:
        """``servables/tensorflow/multi_inference.cc``, Infer: several of both over one input."""
        spec = request.tasks[0].model_spec if request.tasks else message("ModelSpec")()
        servable = self._found(spec)
        asked: dict[str, tuple[str, Signature, dict[str, str]]] = {}
        for task in request.tasks:
            name = task.model_spec.signature_name or DEFAULT_SIGNATURE
            _check_task(task, spec.name, name, asked)
            if name not in servable.signatures:
                raise invalid(f"Requested signature not found in model graph: {name}")
            signature = servable.signatures[name]
            if task.method_name not in (_CLASSIFY, _REGRESS):
                raise StatusError(
                    Code.UNIMPLEMENTED, f"Unsupported signature method_name: {task.method_name}"
                )
            fetches_of = classify_fetches if task.method_name == _CLASSIFY else regress_fetches
            asked[name] = task.method_name, signature, fetches_of(signature)
        examples = _examples(request.input)
        feeds = {signature.inputs[INPUTS].tensor: examples for _, signature, _ in asked.values()}
        tensors = {tensor: tensor for _, _, own in asked.values() for tensor in own.values()}
        fetched = await self._fetched(servable, feeds, tensors)
        response = message("MultiInferenceResponse")()
        for name, (method, signature, own) in asked.items():
            outputs = {output: fetched[tensor] for output, tensor in own.items()}
            result = response.results.add(model_spec=self._spec(spec, name))
            if method == _CLASSIFY:
                result.classification_result.CopyFrom(
                    _classifications(signature, outputs, len(examples))
                )
            else:
                result.regression_result.CopyFrom(_regressions(signature, outputs, len(examples)))
        return response

    async def metadata(self, request: Any) -> Any:
        """``servables/tensorflow/get_model_metadata_impl.cc``: the signatures of a servable."""
        spec = _spec_of(request)
        if not request.metadata_field:
            raise invalid("GetModelMetadataRequest must specify at least one metadata_field")
        for field in request.metadata_field:
            if field != _SIGNATURE_DEF:
                raise invalid(f"Metadata field {field} is not supported")
        servable = self._found(spec)
        signatures = message("SignatureDefMap")()
        for name, signature in servable.signatures.items():
            signatures.signature_def[name].MergeFromString(signature.definition)
        response = message("GetModelMetadataResponse")(model_spec=self._spec(spec, None))
        packed = response.metadata[_SIGNATURE_DEF]
        packed.type_url = "type.googleapis.com/tensorflow.serving.SignatureDefMap"
        packed.value = signatures.SerializeToString()
        return response

    async def status(self, request: Any) -> Any:
        """``model_servers/get_model_status_impl.cc``; a label is not looked at."""
        spec = _spec_of(request)
        response = message("GetModelStatusResponse")()
        for version in self._registry.versions(spec.name, _version(spec)):
            response.model_version_status.add(version=version, state=AVAILABLE).status.SetInParent()
        return response

    def _servable(self, request: Any) -> tuple[Any, Servable]:
        spec = _spec_of(request)
        return spec, self._found(spec)

    def _found(self, spec: Any) -> Servable:
        """``model_servers/server_core.cc``, ServableRequestFromModelSpec."""
        if not spec.name:
            raise invalid("ModelSpec has no name specified.")
        label = spec.version_label if spec.HasField("version_label") else None
        return self._registry.find(spec.name, _version(spec), label)

    def _signature(self, request: Any) -> tuple[Any, Servable, Signature]:
        spec, servable = self._servable(request)
        name = spec.signature_name or DEFAULT_SIGNATURE
        if name not in servable.signatures:
            raise invalid(f"No signature was found with the name: {name}")
        return spec, servable, servable.signatures[name]

    def _spec(self, spec: Any, signature_name: str | None) -> Any:
        """``servables/tensorflow/util.cc``, MakeModelSpec; an empty name is the default one's."""
        answered = message("ModelSpec")(name=spec.name)
        if signature_name is not None:
            answered.signature_name = signature_name or DEFAULT_SIGNATURE
        answered.version.value = max(self._registry.versions(spec.name, _version(spec)))
        return answered


def _method(answer: Callable[[Any], Awaitable[Any]], request: str) -> grpc.RpcMethodHandler:
    async def answered(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await answer(request)
        except StatusError as error:
            code, said = _CODES[error.code.value[0]], error.message
        except Exception:
            log.exception("exception handling a gRPC request")
            code = grpc.StatusCode.INTERNAL
            said = "Internal error; the server's log has the details"
        if len(said) > _MOST_SAID:
            # model_servers/grpc_status_util.cc, ToGRPCStatus
            said = f"{said[:_MOST_SAID]}...TRUNCATED"
        return await context.abort(code, said)

    return grpc.unary_unary_rpc_method_handler(
        answered,
        request_deserializer=message(request).FromString,
        response_serializer=lambda response: response.SerializeToString(),
    )


def _spec_of(request: Any) -> Any:
    if not request.HasField("model_spec"):
        raise invalid("Missing ModelSpec")
    return request.model_spec


def _version(spec: Any) -> int | None:
    return spec.version.value if spec.HasField("version") else None


def _feeds(signature: Signature, given: Mapping[str, Any]) -> Tensors:
    """``servables/tensorflow/predict_util.cc``, VerifyRequestInputsSize; then GetInputValues of
    tensorflow/tensorflow, ``cc/saved_model/util.cc``. An input that is missing may have a default.
    """
    defaults: Mapping[str, Any] = {}
    if len(given) < len(signature.inputs):
        defaults = SignatureDef.FromString(signature.definition).defaults
    if len(given) > len(signature.inputs) or (len(given) < len(signature.inputs) and not defaults):
        raise wrong_number_of_inputs(given.keys(), signature.inputs.keys())
    feeds: Tensors = {}
    for name, info in signature.inputs.items():
        if name not in given and name not in defaults:
            raise invalid(
                f"Signature input alias: {name}(feed name: {info.tensor}) not found in request and "
                "no default value provided. Inputs expected to be in the request "
                f"{{{','.join(sorted(given))}}}, or default input alias set: "
                f"{','.join(sorted(defaults))}"
            )
        feeds[info.tensor] = array_of(given[name] if name in given else defaults[name], name)
    used = sorted(given.keys() & signature.inputs.keys())
    if len(used) != len(given):
        raise invalid(
            f"Inputs contains invalid name. Used request inputs: {','.join(used)}, "
            f"request input: {','.join(sorted(given))}"
        )
    return feeds


def _fetched_names(signature: Signature, asked: list[str]) -> list[str]:
    """``servables/tensorflow/predict_util.cc``, PreProcessPrediction: all, if none is asked for."""
    for at, name in enumerate(asked):
        if name not in signature.outputs:
            raise invalid(
                f"output tensor alias not found in signature: {name} Outputs expected to be in "
                f"the set {{{','.join(sorted(signature.outputs))}}}."
            )
        if name in asked[:at]:
            raise invalid(f"duplicate output tensor alias: {name}")
    return asked or list(signature.outputs)


def _check_types(signature: Signature, feeds: Tensors) -> None:
    """tensorflow/tensorflow, ``core/framework/function.cc``, FunctionCallFrame::SetArgs: the
    arguments are numbered by the names of the tensors (``direct_session.cc``, which sorts them)."""
    expected = {info.tensor: info.dtype for info in signature.inputs.values()}
    for at, tensor in enumerate(sorted(feeds)):
        given = "DT_" + _TYPES.get(feeds[tensor].dtype.name, feeds[tensor].dtype.name).upper()
        if given != expected[tensor]:
            raise invalid(
                f"Expects arg[{at}] to be {type_name(expected[tensor])} but {type_name(given)} "
                "is provided"
            )


_TYPES = {"float32": "float", "float64": "double", "float16": "half", "object": "string"}
"""What numpy calls otherwise than TensorFlow."""


def _examples(given: Any) -> Array:
    """``servables/tensorflow/util.cc``, InputToSerializedExampleTensor."""
    kind = given.WhichOneof("choice")
    examples = [] if kind is None else getattr(given, kind).examples
    if not examples:
        raise invalid("Input is empty.")
    shared = given.example_list_with_context.context
    protos = np.empty(len(examples), dtype=np.object_)
    protos[:] = [shared + example for example in examples]
    return protos


def _check_task(task: Any, model: str, signature_name: str, asked: Mapping[str, Any]) -> None:
    if not task.model_spec.name:
        raise invalid("Found ModelSpec with an empty model name.")
    if task.model_spec.name != model:
        raise invalid("All ModelSpecs in a MultiInferenceRequest must access the same model name.")
    if signature_name in asked:
        raise invalid(f"Duplicate evaluation of signature: {signature_name}")


def _prediction(spec: Any, outputs: Tensors) -> Any:
    response = message("PredictResponse")(model_spec=spec)
    for name, array in outputs.items():
        write(array, response.outputs[name])
    return response


def _classifications(signature: Signature, outputs: Tensors, count: int) -> Any:
    """``servables/tensorflow/classifier.cc``, PostProcessClassificationResult."""
    check_classes(signature, outputs, count)
    result = message("ClassificationResult")()
    labels, scores = outputs.get(CLASSES), outputs.get(SCORES)
    given = labels if labels is not None else scores
    for row in range(count):
        classes = result.classifications.add().classes
        for column in range(0 if given is None else given.shape[1]):
            one = classes.add()
            if labels is not None:
                one.label = labels[row, column].decode(errors="replace")
            if scores is not None:
                one.score = scores[row, column]
    return result


def _regressions(signature: Signature, outputs: Tensors, count: int) -> Any:
    """``servables/tensorflow/regressor.cc``, PostProcessRegressionResult."""
    check_regressions(signature, outputs[OUTPUTS], count)
    result = message("RegressionResult")()
    for value in outputs[OUTPUTS].ravel().tolist():
        result.regressions.add(value=value)
    return result
