"""Which of AWS's images fetch a model by themselves, and the variables that tell them which."""

from __future__ import annotations

from sagemaker_serving.catalog.images import repository_versions
from sagemaker_serving.catalog.published import published_image


def model_id_variables(framework: str) -> tuple[str, ...] | None:
    """The variables of which one names the model that the image of ``framework`` fetches.

    Each takes an id of a hub or a path. None for an image that serves what is in its archive, and
    nothing else; empty for one that starts without any, or of which no variable is known here.

    Sources: aws/deep-learning-containers e0ecede, docs/vllm, docs/sglang,
    docs/tei, docs/whisperx and scripts/docker/llama_cpp; docs.djl.ai, "LMI Starting Guide";
    huggingface.co/blog/sagemaker-huggingface-llm; aws/sagemaker-python-sdk a248126,
    model_builder_servers.py.
    """
    return _VARIABLES.get(framework.lower())


def frameworks_of_image(uri: str) -> tuple[str, ...]:
    """The frameworks whose images lie where AWS publishes ``uri``; empty for one's own image."""
    found = published_image(uri)
    return () if found is None else tuple(repository_versions(found.image.repository))


_HUB = "HF_MODEL_ID"

_VARIABLES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("vllm", "vllm-omni", "vllm-server", "huggingface-vllm", "huggingface-vllm-omni"),
        ("SM_VLLM_MODEL", _HUB),
    ),
    **dict.fromkeys(("sglang", "sglang-server"), ("SM_SGLANG_MODEL_PATH",)),
    **dict.fromkeys(("llama-cpp", "llama-cpp-arm64"), ("SM_LLAMA_CPP_HF_REPO",)),
    **dict.fromkeys(
        ("djl-deepspeed", "djl-fastertransformer", "djl-lmi", "djl-neuronx", "djl-tensorrtllm"),
        (_HUB, "OPTION_MODEL_ID"),
    ),
    **dict.fromkeys(
        (
            *("huggingface", "huggingface-neuron", "huggingface-neuronx", "huggingface-llm"),
            *("huggingface-llm-neuronx", "huggingface-tei", "huggingface-tei-cpu"),
            "huggingface-vllm-neuronx",
        ),
        (_HUB,),
    ),
    **dict.fromkeys(("whisperx", "huggingface-llamacpp", "huggingface-sglang"), ()),
}

SHARED_BY: dict[str, tuple[str, ...]] = {
    "huggingface-llm": ("SM_NUM_GPUS",),
    "djl": ("OPTION_TENSOR_PARALLEL_DEGREE", "OPTION_PIPELINE_PARALLEL_DEGREE"),
    "vllm": ("SM_VLLM_TENSOR_PARALLEL_SIZE", "SM_VLLM_PIPELINE_PARALLEL_SIZE"),
    "huggingface-vllm": ("SM_VLLM_TENSOR_PARALLEL_SIZE", "SM_VLLM_PIPELINE_PARALLEL_SIZE"),
    "sglang": ("SM_SGLANG_TENSOR_PARALLEL_SIZE", "SM_SGLANG_PIPELINE_PARALLEL_SIZE"),
}
"""By how an image's framework begins, the variables whose product is the GPUs that share a model.

Sources: aws/deep-learning-containers, the entrypoints of huggingface's TGI, vLLM and SGLang, which
make arguments of the servers of what begins with SM_VLLM_ and SM_SGLANG_; docs.djl.ai, LMI
configurations.
"""
