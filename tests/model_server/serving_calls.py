"""Calls of TensorFlow Serving's gRPC port: ``python serving_calls.py PORT`` prints their answers.

A process of its own, because it imports the ``tensorflow`` that `serving_api.bring` has cut down.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import grpc
from tensorflow.core.example.example_pb2 import Example
from tensorflow.core.framework.tensor_pb2 import TensorProto
from tensorflow_serving.apis import (
    classification_pb2,
    get_model_metadata_pb2,
    get_model_status_pb2,
    inference_pb2,
    model_service_pb2_grpc,
    predict_pb2,
    prediction_service_pb2_grpc,
    regression_pb2,
)

FLOAT, DOUBLE, INT32, STRING = 1, 2, 3, 7
DEFAULT = {"x": ("float_val", FLOAT, [1.0, 2.0])}
BIG = 8 * 1024 * 1024


def tensor(field: str, dtype: int, values: Any, shape: Any = None) -> TensorProto:
    proto = TensorProto(dtype=dtype)
    for size in [len(values)] if shape is None else shape:
        proto.tensor_shape.dim.add(size=size)
    if field == "tensor_content":
        proto.tensor_content = values
    else:
        getattr(proto, field).extend(values)
    return proto


def example(value: float) -> Example:
    made = Example()
    made.features.feature["x"].float_list.value.append(value)
    return made


def main(port: int) -> dict[str, Any]:
    unlimited = [("grpc.max_receive_message_length", -1)]
    channel = grpc.insecure_channel(f"localhost:{port}", options=unlimited)
    service = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    models = model_service_pb2_grpc.ModelServiceStub(channel)
    answers: dict[str, Any] = {}

    def ask(name: str, method: Any, request: Any, show: Any) -> None:
        try:
            answers[name] = show(method(request, timeout=60))
        except grpc.RpcError as error:
            answers[name] = [error.code().name, error.details()]

    def spec(request: Any, model: str, signature: str = "", **version: Any) -> Any:
        request.model_spec.name = model
        request.model_spec.signature_name = signature
        if "version" in version:
            request.model_spec.version.value = version["version"]
        if "label" in version:
            request.model_spec.version_label = version["label"]
        return request

    def predict(
        name: str, model: str, signature: str = "", inputs: Any = DEFAULT, **options: Any
    ) -> None:
        request = spec(predict_pb2.PredictRequest(), model, signature, **options)
        for key, value in inputs.items():
            request.inputs[key].CopyFrom(tensor(*value))
        request.output_filter.extend(options.get("output_filter", []))
        ask(name, service.Predict, request, lambda answer: prediction(answer))

    def prediction(answer: Any) -> Any:
        said = answer.model_spec
        return {
            "spec": [said.name, said.signature_name, said.version.value],
            "outputs": {name: shown(proto) for name, proto in answer.outputs.items()},
        }

    def shown(proto: TensorProto) -> Any:
        shape = [dim.size for dim in proto.tensor_shape.dim]
        fields = {
            field.name: [str(value) if isinstance(value, bytes) else value for value in values][:4]
            for field, values in proto.ListFields()
            if field.name.endswith("_val")
        }
        return [proto.dtype, shape, fields]

    predict("the highest version", "half_plus_three")
    predict("a version", "half_plus_three", version=122)
    predict("content", "half_plus_three", inputs={"x": ("tensor_content", FLOAT, b"\0" * 8, [2])})
    predict("fewer values", "half_plus_three", inputs={"x": ("float_val", FLOAT, [4.0], [3])})
    two = {"a": ("float_val", FLOAT, [2.0]), "b": ("float_val", FLOAT, [5.0])}
    predict("two inputs", "kinds", "two_inputs", two)
    predict("one output", "kinds", "two_inputs", two, output_filter=["sum"])
    predict("a strange output", "kinds", "two_inputs", two, output_filter=["nope"])
    predict("an output twice", "kinds", "two_inputs", two, output_filter=["sum", "sum"])
    predict("one input of two", "kinds", "two_inputs", {"a": two["a"]})
    predict("a strange input", "half_plus_three", inputs={"nope": DEFAULT["x"]})
    predict("text", "kinds", "text", {"s": ("string_val", STRING, [b"\xff", b"b"])})
    eight = {"s": ("tensor_content", STRING, b"\x07seventy", [1])}
    predict("text as content", "kinds", "text", eight)
    predict("no values", "half_plus_three", inputs={"x": ("float_val", FLOAT, [])})
    predict("whole", "kinds", "whole", {"x": ("int_val", INT32, [7])})
    predict("wide", "kinds", "wide", {"x": ("double_val", DOUBLE, [0.1])})
    predict("truth", "kinds", "truth", {"x": ("float_val", FLOAT, [-1.0, 1.0])})
    predict("half", "kinds", "half", {"x": ("float_val", FLOAT, [1.0])})
    predict("scalar", "kinds", "scalar")
    predict("another type", "half_plus_three", inputs={"x": ("double_val", DOUBLE, [1.0])})
    predict("content too short", "kinds", inputs={"x": ("tensor_content", FLOAT, b"\0", [2])})
    predict("no type", "kinds", inputs={"x": ("float_val", 0, [1.0])})
    predict("a shape that the graph refuses", "kinds", "matrix", DEFAULT)
    predict("65 dimensions", "kinds", inputs={"x": ("float_val", FLOAT, [1.0], [1] * 65)})
    predict("no such model", "nope")
    predict("no such version", "half_plus_three", version=9)
    predict("a label", "half_plus_three", label="stable")
    predict("no such signature", "half_plus_three", "nope")
    predict("no name", "")
    predict("large", "kinds", inputs={"x": ("tensor_content", FLOAT, b"\0" * BIG, [BIG // 4])})
    ask("no spec", service.Predict, predict_pb2.PredictRequest(), prediction)

    def over_examples(request: Any, *values: float, context: float | None = None) -> Any:
        made = [example(value) for value in values]
        if context is None:
            request.input.example_list.examples.extend(made)
        else:
            request.input.example_list_with_context.examples.extend(made)
            request.input.example_list_with_context.context.CopyFrom(example(context))
        return request

    def classes(answer: Any) -> Any:
        return [
            [[one.label, one.score] for one in row.classes] for row in answer.result.classifications
        ]

    def values(answer: Any) -> Any:
        return [one.value for one in answer.result.regressions]

    classify, regress = classification_pb2.ClassificationRequest, regression_pb2.RegressionRequest
    asked = over_examples(spec(classify(), "half_plus_three", "classify_with_labels"), 1.0, 2.0)
    ask("classes", service.Classify, asked, classes)
    asked = spec(classify(), "half_plus_three", "classify_x_to_y")
    ask("no examples", service.Classify, asked, classes)
    asked = over_examples(spec(classify(), "half_plus_three"), 1.0)
    ask("not for examples", service.Classify, asked, classes)
    asked = over_examples(spec(regress(), "half_plus_three", "regress_x_to_y"), 1.0, 2.0)
    ask("values", service.Regress, asked, values)
    asked = spec(regress(), "half_plus_three", "regress_x_to_y")
    empty = over_examples(asked, context=4.0)
    empty.input.example_list_with_context.examples.add()
    ask("a context", service.Regress, empty, values)
    asked = over_examples(spec(regress(), "half_plus_three", "nope"), 1.0)
    ask("no such signature to regress", service.Regress, asked, values)

    asked = over_examples(spec(regress(), "half_plus_three", "n" * 2000), 1.0)
    ask("a long name", service.Regress, asked, values)

    several = over_examples(inference_pb2.MultiInferenceRequest(), 2.0)
    for signature, method in (("classify_x_to_y", "classify"), ("regress_x_to_y", "regress")):
        task = spec(several.tasks.add(), "half_plus_three", signature)
        task.method_name = f"tensorflow/serving/{method}"
    ask("both at once", service.MultiInference, several, lambda answer: len(answer.results))
    several.tasks[1].model_spec.signature_name = "classify_x_to_y"
    ask("one signature twice", service.MultiInference, several, lambda answer: len(answer.results))

    def metadata(answer: Any) -> Any:
        found = get_model_metadata_pb2.SignatureDefMap()
        answer.metadata["signature_def"].Unpack(found)
        inputs = found.signature_def["serving_default"].inputs
        said = answer.model_spec
        names = sorted(found.signature_def)
        return [said.name, said.signature_name, said.version.value, names, inputs["x"].dtype]

    about = get_model_metadata_pb2.GetModelMetadataRequest
    asked = spec(about(metadata_field=["signature_def"]), "half_plus_three")
    ask("metadata", service.GetModelMetadata, asked, metadata)
    ask("no field", service.GetModelMetadata, spec(about(), "half_plus_three"), metadata)
    asked = spec(about(metadata_field=["x"]), "half_plus_three")
    ask("a strange field", service.GetModelMetadata, asked, metadata)

    def statuses(answer: Any) -> Any:
        return [
            [one.version, get_model_status_pb2.ModelVersionStatus.State.Name(one.state)]
            for one in answer.model_version_status
            if one.HasField("status") and one.status.error_code == 0
        ]

    status = get_model_status_pb2.GetModelStatusRequest
    ask("status", models.GetModelStatus, spec(status(), "half_plus_three"), statuses)
    asked = spec(status(), "half_plus_three", version=9)
    ask("status of no version", models.GetModelStatus, asked, statuses)
    ask("status of nothing", models.GetModelStatus, spec(status(), "nope"), statuses)
    return answers


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
