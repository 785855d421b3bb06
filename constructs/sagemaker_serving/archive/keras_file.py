"""What a ``.keras`` or ``.h5`` file takes, gives and needs, from its config, without Keras.

Source: keras 3.15, saving/saving_lib.py and the ``get_config`` of Sequential, Functional and
InputLayer; Keras 2.15 writes the same with ``batch_input_shape``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sagemaker_serving.archive.protobuf import Malformed, Source
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.zip_ends import read_zip


@dataclass(frozen=True, kw_only=True)
class KerasModel:
    """Inputs and outputs by the names of their layers; both empty for a class of one's own.

    An output is None where the file does not tell its shape. ``needs`` names the classes,
    functions and Lambda layers that Keras loads only where the code that made them is.
    ``unexportable`` are names of the model, its layers and inputs with which TensorFlow makes no
    SavedModel.
    """

    inputs: dict[str, Tensor] = field(default_factory=dict)
    outputs: dict[str, Tensor | None] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    unexportable: tuple[str, ...] = ()
    has_weights_alone: bool = False


def read_keras(content: Source, size: int) -> KerasModel:
    """The model in the ``size`` bytes of ``content``; raises `Malformed` for what is none."""
    file = read_zip(content, size)
    text = None if file is None else file.read("config.json")
    if text is None:
        raise Malformed("there is no config.json in it")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("its config.json is no JSON") from None
    return _model(_mapping(told))


_HEAD = 4 << 20
_HDF5 = b"\x89HDF\r\n\x1a\n"


def read_h5(content: Source, size: int) -> KerasModel:
    """The same of an ``.h5`` file, whose config is a text that Keras writes before the weights.

    Source: keras 3.15, legacy/saving/legacy_h5_format.py: the attribute ``model_config``, which
    a file of ``save_weights`` has not. Of a file without a readable one nothing is known.
    """
    head = bytearray()
    while len(head) < min(size, _HEAD) and (part := content.read(1 << 16)):
        head += part
    if not head.startswith(_HDF5):
        raise Malformed("it is no HDF5 file")
    if b"model_config" not in head:
        return KerasModel(has_weights_alone=True)
    for begin in re.finditer(rb'\{"(class_name|module)"', head):
        with suppress(ValueError, RecursionError):
            told, _ = json.JSONDecoder().raw_decode(
                head[begin.start() :].decode("utf-8", "replace")
            )
            return _model(_mapping(told))
    return KerasModel()


def _model(told: Mapping[str, Any]) -> KerasModel:
    """What the config of a whole model says."""
    config = _mapping(told.get("config"))
    layers = {_name(layer): layer for layer in _mappings(config.get("layers"))}
    if told.get("class_name") == "Sequential":
        inputs, outputs = list(layers)[:1], list(layers)[-1:]
    else:
        inputs = list(_ends(config.get("input_layers")))
        outputs = list(_ends(config.get("output_layers")))
    built = config.get("build_input_shape")
    try:
        needs = tuple(dict.fromkeys(_needs(told, is_layer=True)))
    except RecursionError:
        raise Malformed("its config has no end") from None
    return KerasModel(
        inputs={name: _input(layers.get(name, {}), built) for name in inputs},
        outputs={name: _output(layers.get(name, {})) for name in outputs},
        needs=needs,
        unexportable=tuple(dict.fromkeys(_unexportable(config, layers))),
    )


def _unexportable(
    config: Mapping[str, Any], layers: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Names that are no scope or placeholder of TensorFlow's, or that it cannot tell apart.

    Tried with Keras 3.15 and TensorFlow 2.21. Source: tensorflow/python/framework/ops.py,
    ``name_scope``; saved_model/save.py; core/function/polymorphism/function_type.py.
    """
    for name in filter(None, (str(config.get("name") or ""), *layers)):
        if not _SCOPE.fullmatch(name):
            yield name
    inputs = {
        name: re.sub("[^a-z0-9]", "_", name.lower())
        for name, layer in layers.items()
        if layer.get("class_name") == "InputLayer"
    }
    alike = Counter(inputs.values())
    yield from (name for name, plain in inputs.items() if alike[plain] > 1)


_SCOPE = re.compile(r"[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*")

_IMPORTED = ("keras", "keras_hub", "keras_cv", "keras_nlp")
"""The packages that Keras looks for a class in by itself (saving/serialization_lib.py)."""

_LAYERS = frozenset(
    """
        Activation ActivityRegularization AdaptiveAveragePooling1D AdaptiveAveragePooling2D
        AdaptiveAveragePooling3D AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D Add
        AdditiveAttention AlphaDropout Attention AugMix AutoContrast Average AveragePooling1D
        AveragePooling2D AveragePooling3D BatchNormalization Bidirectional CategoryEncoding
        CenterCrop Concatenate ContrastLimitedAdaptiveHistogramEqualization Conv1D Conv1DTranspose
        Conv2D Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D Cropping1D
        Cropping2D Cropping3D CutMix Dense DepthwiseConv1D DepthwiseConv2D Discretization Dot
        Dropout ELU EinsumDense Embedding Equalization Flatten GRU GRUCell GaussianDropout
        GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D
        GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D GroupNormalization
        GroupedQueryAttention HashedCrossing Hashing Identity IndexLookup InputLayer InputSpec
        IntegerLookup LSTM LSTMCell Lambda Layer LayerNormalization LeakyReLU Masking
        MaxNumBoundingBoxes MaxPooling1D MaxPooling2D MaxPooling3D Maximum MelSpectrogram Minimum
        MixUp MultiHeadAttention Multiply Normalization PReLU Permute Pipeline RMSNormalization RNN
        RandAugment RandomBrightness RandomColorDegeneration RandomColorJitter RandomContrast
        RandomCrop RandomElasticTransform RandomErasing RandomFlip RandomGaussianBlur
        RandomGrayscale RandomHue RandomInvert RandomPerspective RandomPosterization RandomRotation
        RandomSaturation RandomSharpness RandomShear RandomTranslation RandomZoom ReLU RepeatVector
        Rescaling Reshape Resizing ReversibleEmbedding STFTSpectrogram SeparableConv1D
        SeparableConv2D SimpleRNN SimpleRNNCell Softmax Solarization SpatialDropout1D
        SpatialDropout2D SpatialDropout3D SpectralNormalization StackedRNNCells StringLookup
        Subtract TextVectorization TimeDistributed UnitNormalization UpSampling1D UpSampling2D
        UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D ZeroPadding3D Functional Model Sequential
    """.split()  # noqa: SIM905
)
"""Layers by the names that an ``.h5`` file has of them (legacy/saving/saving_utils.py)."""


def _needs(told: Any, *, is_layer: bool = False) -> Iterator[str]:
    """Names of what is not Keras' own in a config, and Lambda layers, whose code it does not run.

    How a model was trained does not count: it is loaded without that.
    """
    if isinstance(told, list):
        for each in told:
            yield from _needs(each, is_layer=is_layer)
    if not isinstance(told, Mapping):
        return
    name, module, config = str(told.get("class_name")), told.get("module"), told.get("config")
    if "class_name" in told and not name.startswith("__"):
        package = str(module or "").partition(".")[0]
        if name == "Lambda":
            yield f"the Lambda layer {_name(told)}"
            return
        if name == "function" and isinstance(config, str):
            yield f"the function {config}"
        elif told.get("registered_name") is not None:
            if package not in _IMPORTED:
                yield f"the class {name}"
        elif module is None and is_layer and name not in _LAYERS:
            yield f"the class {name}"
    for key, value in told.items():
        if key != "compile_config":
            yield from _needs(value, is_layer=key in ("layers", "layer"))


def _input(layer: Mapping[str, Any], built: Any) -> Tensor:
    """What an InputLayer says, or the shape that a model without one was built with."""
    config = _mapping(layer.get("config"))
    shape = config.get("batch_shape") or config.get("batch_input_shape") or built or None
    dtype = config.get("dtype")
    return Tensor(dtype=dtype if isinstance(dtype, str) else "float32", shape=_shape(shape))


def _output(layer: Mapping[str, Any]) -> Tensor | None:
    """Of a Dense layer, which models mostly end with; others compute their shapes as they run."""
    shape = _shape(_mapping(layer.get("build_config")).get("input_shape"))
    units = _mapping(layer.get("config")).get("units")
    if layer.get("class_name") != "Dense" or not shape or not isinstance(units, int):
        return None
    return Tensor(dtype="float32", shape=(*shape[:-1], units))


def _ends(given: Any) -> Iterator[str]:
    """The layers' names in ``["x", 0, 0]``, or in a list or mapping of such."""
    parts = list(given.values()) if isinstance(given, Mapping) else given
    for part in [parts, *parts] if isinstance(parts, list) else ():
        if isinstance(part, list) and part and isinstance(part[0], str):
            yield part[0]


def _shape(given: Any) -> tuple[int | None, ...] | None:
    if not isinstance(given, list) or any(not isinstance(s, int | None) for s in given):
        return None
    return tuple(given)


def _name(layer: Mapping[str, Any]) -> str:
    return str(_mapping(layer.get("config")).get("name", layer.get("name", "")))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
