"""Arrays against a model's signature, before anything is sent."""

from __future__ import annotations

from sagemaker_serving.archive import Signature, Tensor
from sagemaker_serving.client.payload.arrays import Array
from sagemaker_serving.errors import Mistake

_KINDS = {"float": "biuf", "int": "biu", "uint": "biu", "bool": "b", "string": "SU"}


def fitted(array: Array, signature: Signature | None) -> Array:
    """``array`` as the signature's one input takes it; float64 becomes the model's float32.

    Raises `Mistake` for a shape or a dtype that the model would refuse. Without
    a signature, or with several inputs, it is ``array`` itself.
    """
    if signature is None or len(signature.inputs) != 1:
        return array
    ((name, tensor),) = signature.inputs.items()
    return fitted_to(array, name, tensor)


def fitted_to(array: Array, name: str, tensor: Tensor) -> Array:
    """``array`` as the input ``name`` takes it; see `fitted`."""
    wanted = tensor.shape
    if wanted:
        if len(array.shape) == len(wanted) - 1:
            raise Mistake(
                f"the array has the shape {array.shape}; the model's input {name!r} is "
                f"{_text(wanted)}, the first axis is the batch; send one example as array[None]"
            )
        if len(array.shape) != len(wanted) or any(
            size is not None and size != given
            for given, size in zip(array.shape[1:], wanted[1:], strict=True)
        ):
            raise Mistake(
                f"the array has the shape {array.shape}; the model's input {name!r} is "
                f"{_text(wanted)}"
            )
    family: str = tensor.dtype.rstrip("0123456789")
    if array.dtype.kind not in _KINDS.get(family, array.dtype.kind):
        raise Mistake(
            f"the array has the dtype {array.dtype.name}; the model's input {name!r} is "
            f"{tensor.dtype}; convert it with array.astype({tensor.dtype!r})"
        )
    return array.astype("float32") if (tensor.dtype, array.dtype.name) == _NARROWED else array


_NARROWED = ("float32", "float64")


def _text(shape: tuple[int | None, ...]) -> str:
    return f"({', '.join('?' if size is None else str(size) for size in shape)})"
