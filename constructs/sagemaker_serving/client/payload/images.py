"""What the containers of AWS's images take, told by the image's repository.

Sources:

- TensorFlow Serving: github.com/aws/deep-learning-containers,
  ``tensorflow/inference``, the ``/invocations`` route without ``inference.py``;
- the SageMaker inference toolkit, which PyTorch's, MXNet's and scikit-learn's images are built
  on: github.com/aws/sagemaker-inference-toolkit, ``decoder.py``; its JSON is a bare list;
- Neo: docs.aws.amazon.com/sagemaker/latest/dg/neo-requests-boto3.html: JSON for TensorFlow, in
  the example ``{"instances": …}``; ``application/x-image`` for PyTorch and MXNet; CSV for XGBoost;
- JSON elsewhere: docs.aws.amazon.com/sagemaker/latest/dg/cdf-inference.html, ``instances``.

A container with an ``inference.py`` takes what that says, which no description shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JSON, JSON_LINES, CSV = "application/json", "application/jsonlines", "text/csv"
NPY, IMAGE = "application/x-npy", "application/x-image"


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """Content types that a model takes, and the form of its JSON.

    ``json_form`` is "instances" for ``{"instances": [row, …]}`` and "list" for
    ``[row, …]``. ``by`` says whose word this is.
    """

    content_types: tuple[str, ...] = (JSON,)
    json_form: Literal["instances", "list"] = "instances"
    by: str = "nothing is known of the model's image"


def accepted_by(image: str) -> Accepted:
    """What the container of ``image`` takes, a URI in ECR; JSON alone for an unknown one."""
    repository = _repository(image)
    for names, accepted in _BY_REPOSITORY.items():
        if repository in names:
            return accepted
    return Accepted()


def answers_in_one_line(image: str | None) -> bool:
    """Whether the container of ``image`` writes the numbers of all records into one line of CSV.

    XGBoost's does, outside of batch transform (github.com/aws/sagemaker-xgboost-container,
    ``algorithm_mode/serve.py``).
    """
    return image is not None and _repository(image) in _XGBOOST_REPOSITORIES


def _repository(image: str) -> str:
    return image.partition("/")[2].partition("@")[0].partition(":")[0]


_TENSORFLOW = Accepted(
    content_types=(JSON, JSON_LINES, CSV), by="the TensorFlow Serving image without inference.py"
)
_TOOLKIT = Accepted(
    content_types=(NPY, JSON, CSV),
    json_form="list",
    by="the SageMaker inference toolkit's default input_fn",
)
_NEO_TENSORFLOW = Accepted(content_types=(JSON,), by="AWS's page on requests to Neo's TensorFlow")
_NEO_IMAGES = Accepted(
    content_types=(IMAGE, JSON),
    json_form="list",
    by="AWS's page on requests to Neo's PyTorch and MXNet",
)
_XGBOOST = Accepted(content_types=(CSV,), by="the XGBoost image")
_XGBOOST_REPOSITORIES = ("sagemaker-xgboost", "xgboost-neo")

_BY_REPOSITORY: dict[tuple[str, ...], Accepted] = {
    (
        "tensorflow-inference",
        "tensorflow-inference-graviton",
        "tensorflow-inference-eia",
        "tensorflow-inference-neuron",
        "tensorflow-inference-neuronx",
        "sagemaker-tensorflow-serving",
        "sagemaker-tensorflow-serving-eia",
    ): _TENSORFLOW,
    (
        "pytorch-inference",
        "pytorch-inference-graviton",
        "pytorch-inference-eia",
        "pytorch-inference-neuron",
        "pytorch-inference-neuronx",
        "mxnet-inference",
        "mxnet-inference-eia",
        "sagemaker-scikit-learn",
    ): _TOOLKIT,
    ("sagemaker-inference-tensorflow", "sagemaker-neo-tensorflow"): _NEO_TENSORFLOW,
    (
        "sagemaker-inference-pytorch",
        "sagemaker-neo-pytorch",
        "sagemaker-inference-mxnet",
        "sagemaker-neo-mxnet",
    ): _NEO_IMAGES,
    _XGBOOST_REPOSITORIES: _XGBOOST,
}
