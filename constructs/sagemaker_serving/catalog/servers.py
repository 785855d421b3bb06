"""What answers in an image, and which requests it takes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sagemaker_serving.catalog.ecr import EcrImage


@dataclass(frozen=True, kw_only=True)
class ImageServer:
    """The server of a framework's images, and the payload that it takes at ``/invocations``.

    ``has_chat`` is whether AWS lists it for the OpenAI route, ``/openai/v1/chat/completions``.
    """

    server: str
    payload: str
    has_chat: bool = False


def image_server(framework: str) -> ImageServer | None:
    """What serves in ``framework``'s images; None where that was not looked up.

    Sources: aws/deep-learning-containers at 5ee40d8 (guides of TensorFlow inference, Ray, vLLM,
    SGLang; ``docs/src/data`` for DJL), aws/sagemaker-pytorch-inference-toolkit,
    aws/sagemaker-scikit-learn-container, NVIDIA's guide to Triton on SageMaker; for the OpenAI
    route the SageMaker developer guide, "Invoke endpoints with OpenAI-compatible APIs",
    supported containers.
    """
    return _SERVERS.get(framework)


_CHAT = "JSON of OpenAI's API"
_SERVERS = {
    "tensorflow": ImageServer(
        server="TensorFlow Serving", payload="JSON of its predict API, CSV, or inference.py's"
    ),
    "pytorch": ImageServer(server="TorchServe", payload="JSON, CSV, npy, or inference.py's"),
    "sklearn": ImageServer(
        server="sagemaker-containers", payload="JSON, CSV, npy, or inference.py's"
    ),
    "xgboost": ImageServer(server="its own", payload="CSV, libsvm, or inference.py's"),
    "ray-serve": ImageServer(server="Ray Serve", payload="what the application reads"),
    "sagemaker-tritonserver": ImageServer(
        server="Triton", payload="JSON or binary of the v2 protocol"
    ),
    "vllm": ImageServer(server="vLLM", payload=_CHAT, has_chat=True),
    "vllm-server": ImageServer(server="vLLM", payload=_CHAT, has_chat=True),
    "sglang": ImageServer(server="SGLang", payload=_CHAT, has_chat=True),
    "sglang-server": ImageServer(server="SGLang", payload=_CHAT, has_chat=True),
    "djl-lmi": ImageServer(server="DJL Serving", payload="JSON of LMI, or of OpenAI's API"),
}


@dataclass(frozen=True, kw_only=True)
class RequestLimit:
    """The bytes of a request that a server takes, and the variables that change it.

    ``only_without`` is a variable that puts another server in its place.
    """

    server: str
    largest: int
    variable: str
    response_variable: str | None = None
    only_without: str | None = None


TORCHSERVE_LARGEST = 6_553_500
"""max_request_size and max_response_size of TorchServe and of Multi Model Server
(pytorch/serve and awslabs/multi-model-server, ConfigManager.java)."""


def request_limit(image: EcrImage | None) -> RequestLimit | None:
    """What the server in an image of AWS's takes; None where it has no limit, or none is known.

    TensorFlow Serving's nginx has none. The toolkit of Hugging Face, MXNet and scikit-learn takes
    the job's own (SAGEMAKER_MAX_PAYLOAD_IN_MB, sagemaker-inference 1.9.2); PyTorch's does not
    (aws/sagemaker-pytorch-inference-toolkit#143). XGBoost's algorithm mode, without a script, has
    MAX_CONTENT_LENGTH (aws/sagemaker-xgboost-container, algorithm_mode/serve.py).
    """
    if image is None:
        return None
    limit = next(
        (limit for name, limit in _LIMITS.items() if image.repository.startswith(name)), None
    )
    release = re.match(r"([0-9]+)\.([0-9]+)", image.tag)
    version = _FIRST_TORCHSERVE if release is None else (int(release[1]), int(release[2]))
    of_pytorch = image.repository.startswith("pytorch-inference")
    return _MULTI_MODEL_SERVER if of_pytorch and version < _FIRST_TORCHSERVE else limit


_FIRST_TORCHSERVE = (1, 6)
"""Images of PyTorch before it have Multi Model Server (aws/sagemaker-pytorch-inference-toolkit),
whose settings variables say: enable_envvars_config in the toolkit's sagemaker-mms.properties, and
awslabs/multi-model-server, ConfigManager.java."""
_MULTI_MODEL_SERVER = RequestLimit(
    server="Multi Model Server",
    largest=TORCHSERVE_LARGEST,
    variable="MMS_MAX_REQUEST_SIZE",
    response_variable="MMS_MAX_RESPONSE_SIZE",
)
_LIMITS = {
    "pytorch-inference": RequestLimit(
        server="TorchServe",
        largest=TORCHSERVE_LARGEST,
        variable="TS_MAX_REQUEST_SIZE",
        response_variable="TS_MAX_RESPONSE_SIZE",
    ),
    "sagemaker-xgboost": RequestLimit(
        server="XGBoost's server",
        largest=6 << 20,
        variable="MAX_CONTENT_LENGTH",
        only_without="SAGEMAKER_PROGRAM",
    ),
}
