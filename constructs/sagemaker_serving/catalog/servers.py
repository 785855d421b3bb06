"""What answers in an image, and which requests it takes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ImageServer:
    """The server of a framework's images, and the payload that it takes at ``/invocations``."""

    server: str
    payload: str


def image_server(framework: str) -> ImageServer | None:
    """What serves in ``framework``'s images; None where that was not looked up.

    Sources: aws/deep-learning-containers at 5ee40d8 (guides of TensorFlow inference, Ray, vLLM,
    SGLang; ``docs/src/data`` for DJL), aws/sagemaker-pytorch-inference-toolkit, NVIDIA's guide to
    Triton on SageMaker.
    """
    return _SERVERS.get(framework)


_CHAT = "JSON of OpenAI's API"
_SERVERS = {
    "tensorflow": ImageServer(
        server="TensorFlow Serving", payload="JSON of its predict API, CSV, or inference.py's"
    ),
    "pytorch": ImageServer(server="TorchServe", payload="JSON, CSV, npy, or inference.py's"),
    "ray-serve": ImageServer(server="Ray Serve", payload="what the application reads"),
    "sagemaker-tritonserver": ImageServer(
        server="Triton", payload="JSON or binary of the v2 protocol"
    ),
    "vllm": ImageServer(server="vLLM", payload=_CHAT),
    "vllm-server": ImageServer(server="vLLM", payload=_CHAT),
    "sglang": ImageServer(server="SGLang", payload=_CHAT),
    "sglang-server": ImageServer(server="SGLang", payload=_CHAT),
    "djl-lmi": ImageServer(server="DJL Serving", payload="JSON of LMI, or of OpenAI's API"),
}
