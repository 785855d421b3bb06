"""classify and regress: what their signatures must have, and what their outputs must be."""

from __future__ import annotations

from collections.abc import Mapping

from sagemaker_serving.model_server.engine.signatures import Signature
from sagemaker_serving.model_server.engine.status import invalid
from sagemaker_serving.model_server.engine.tensors import Array, shape_text

INPUTS = "inputs"
OUTPUTS = "outputs"
CLASSES = "classes"
SCORES = "scores"


def classify_fetches(signature: Signature) -> dict[str, str]:
    """The tensors to fetch, by the name of the output; raises `StatusError` (400).

    A signature's method name is not looked at, as in TensorFlow Serving today.
    """
    if len(signature.inputs) != 1:
        raise invalid("Expected one input Tensor.")
    if len(signature.outputs) not in (1, 2):
        raise invalid(f"Expected one or two output Tensors, found {len(signature.outputs)}")
    if INPUTS not in signature.inputs:
        raise invalid(f"No classification inputs found in SignatureDef: {signature.text}")
    fetches = _tensors(signature, CLASSES, SCORES)
    if not fetches:
        raise invalid(
            "Expected classification signature outputs to contain at least one of "
            f'"{CLASSES}" or "{SCORES}". Signature was: {signature.text}'
        )
    return fetches


def regress_fetches(signature: Signature) -> dict[str, str]:
    """The one tensor to fetch; raises `StatusError` (400)."""
    if len(signature.inputs) != 1:
        raise invalid("Expected one input Tensor.")
    if len(signature.outputs) != 1:
        raise invalid("Expected one output Tensor.")
    if INPUTS not in signature.inputs:
        raise invalid(f"No regression inputs found in SignatureDef: {signature.text}")
    fetches = _tensors(signature, OUTPUTS)
    if not fetches:
        raise invalid(f"No regression outputs found in SignatureDef: {signature.text}")
    return fetches


def check_classes(signature: Signature, outputs: Mapping[str, Array], count: int) -> None:
    """Raise `StatusError` (400) unless labels and scores are one row per example."""
    for name, dtype in ((CLASSES, "DT_STRING"), (SCORES, "DT_FLOAT")):
        if name not in outputs:
            continue
        array = outputs[name]
        if array.ndim != 2:
            raise invalid(
                f"Expected Tensor shape: [batch_size num_classes] but got {shape_text(array)}"
            )
        if signature.outputs[name].dtype != dtype:
            raise invalid(
                f"Expected {name} Tensor of {dtype}. Got: {signature.outputs[name].dtype}"
            )
        if array.shape[0] != count:
            raise invalid(f"Expected {name} output batch size of {count}. Got: {array.shape[0]}")
    if len(outputs) == 2 and outputs[CLASSES].shape != outputs[SCORES].shape:
        raise invalid(
            "Tensors class and score should match in dim_size(1). Got "
            f"{outputs[CLASSES].shape[1]} vs. {outputs[SCORES].shape[1]}"
        )


def check_regressions(signature: Signature, array: Array, count: int) -> None:
    """Raise `StatusError` (400) unless there is one number per example."""
    if array.ndim != 1 and not (array.ndim == 2 and array.shape[1] == 1):
        raise invalid(
            "Expected output Tensor shape to be either [batch_size] or "
            f"[batch_size, 1] but got {shape_text(array)}"
        )
    if array.shape[0] != count:
        raise invalid(
            f"Input batch size did not match output batch size: {count} vs. {array.shape[0]}"
        )
    if signature.outputs[OUTPUTS].dtype != "DT_FLOAT":
        raise invalid(
            f"Expected output Tensor of DT_FLOAT.  Got: {signature.outputs[OUTPUTS].dtype}"
        )


def _tensors(signature: Signature, *names: str) -> dict[str, str]:
    return {name: signature.outputs[name].tensor for name in names if name in signature.outputs}
