"""The messages of TensorFlow Serving's gRPC services, by their numbers on the wire.

As tensorflow/serving 9d981c5 has them in ``tensorflow_serving/apis/*.proto``.
AWS's and everybody's clients have them from ``tensorflow-serving-api``, which wants ``tensorflow``
itself and cannot stand beside tensorflow-cpu. What is here are the fields that are read or
answered; others of a request are ignored, as those of tomorrow are.
"""

from __future__ import annotations

import re
from typing import Any

from google.protobuf import any_pb2, wrappers_pb2
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass
from tensorflow.core.framework import tensor_pb2
from tensorflow.core.protobuf import meta_graph_pb2

_PACKAGE = "sagemaker_serving.tensorflow_serving"
"""Not tensorflow.serving: a process may have that from tensorflow-serving-api, too. A message's
name is nothing of the wire."""

_IMPORTED = {
    "TensorProto": tensor_pb2.TensorProto,
    "SignatureDef": meta_graph_pb2.SignatureDef,
    "Int64Value": wrappers_pb2.Int64Value,
    "Any": any_pb2.Any,
}

_FIELDS = """
ModelSpec: name string 1, version Int64Value 2 |, version_label string 4 |, signature_name string 3
PredictRequest: model_spec ModelSpec 1, inputs {TensorProto} 2, output_filter [string] 3
PredictResponse: model_spec ModelSpec 2, outputs {TensorProto} 1
ExampleList: examples [bytes] 1
ExampleListWithContext: examples [bytes] 1, context bytes 2
Input: example_list ExampleList 1 |, example_list_with_context ExampleListWithContext 2 |
Class: label string 1, score float 2
Classifications: classes [Class] 1
ClassificationResult: classifications [Classifications] 1
ClassificationRequest: model_spec ModelSpec 1, input Input 2
ClassificationResponse: model_spec ModelSpec 2, result ClassificationResult 1
Regression: value float 1
RegressionResult: regressions [Regression] 1
RegressionRequest: model_spec ModelSpec 1, input Input 2
RegressionResponse: model_spec ModelSpec 2, result RegressionResult 1
InferenceTask: model_spec ModelSpec 1, method_name string 2
InferenceResult: model_spec ModelSpec 1, classification_result ClassificationResult 2 |, \
regression_result RegressionResult 3 |
MultiInferenceRequest: tasks [InferenceTask] 1, input Input 2
MultiInferenceResponse: results [InferenceResult] 1
GetModelMetadataRequest: model_spec ModelSpec 1, metadata_field [string] 2
GetModelMetadataResponse: model_spec ModelSpec 1, metadata {Any} 2
SignatureDefMap: signature_def {SignatureDef} 1
GetModelStatusRequest: model_spec ModelSpec 1
StatusProto: error_code int32 1, error_message string 2
ModelVersionStatus: version int64 1, state int32 2, status StatusProto 3
GetModelStatusResponse: model_version_status [ModelVersionStatus] 1
"""
"""A message for each line; ``[…]`` is repeated, ``{…}`` a map from strings, ``|`` one of several.
An example is the bytes of a tf.Example, which the model reads."""

AVAILABLE = 30
"""``ModelVersionStatus.State``."""


def _field(text: str) -> FieldDescriptorProto:
    match = re.fullmatch(r"(\w+) ([\[{]?)(\w+)[\]}]? (\d+)( \|)?", text)
    assert match is not None, text
    field = FieldDescriptorProto(name=match[1], number=int(match[4]))
    field.label = field.LABEL_REPEATED if match[2] else field.LABEL_OPTIONAL
    if match[5]:
        field.oneof_index = 0
    scalar = f"TYPE_{match[3].upper()}"
    if scalar in list(FieldDescriptorProto.Type.keys()):
        field.type = FieldDescriptorProto.Type.Value(scalar)
    else:
        field.type = field.TYPE_MESSAGE
        own = match[3] not in _IMPORTED
        name = f"{_PACKAGE}.{match[3]}" if own else _IMPORTED[match[3]].DESCRIPTOR.full_name
        field.type_name = f".{name}"
    return field


def _file() -> FileDescriptorProto:
    file = FileDescriptorProto(name=f"{_PACKAGE}.proto", package=_PACKAGE, syntax="proto3")
    file.dependency.extend(sorted({each.DESCRIPTOR.file.name for each in _IMPORTED.values()}))
    for line in _FIELDS.strip().splitlines():
        name, _, fields = line.partition(": ")
        message = file.message_type.add(name=name)
        if "|" in fields:
            message.oneof_decl.add(name="choice")
        for text in fields.split(", "):
            field = _field(text)
            if "{" in text:
                # A map is a repeated message of key and value with a name that protobuf makes up.
                entry = "".join(map(str.capitalize, field.name.split("_"))) + "Entry"
                pairs = message.nested_type.add(name=entry)
                pairs.options.map_entry = True
                pairs.field.append(_field("key string 1"))
                value = pairs.field.add(name="value", number=2, label=field.LABEL_OPTIONAL)
                value.type, value.type_name = field.type, field.type_name
                field.type_name = f".{_PACKAGE}.{name}.{entry}"
            message.field.append(field)
    return file


_pool = Default()
_pool.AddSerializedFile(_file().SerializeToString())


def message(name: str) -> Any:
    """The class of a message, by its name in TensorFlow Serving."""
    return GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
