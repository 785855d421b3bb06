"""What servers of language models are told: shares of GPUs, tokens, types, tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.suggest import nearest
from sagemaker_serving.catalog.model_ids import SHARED_BY
from sagemaker_serving.rules.container.model_ids import HUGGING_FACE, frameworks_named
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import known


@rule(
    source="huggingface/text-generation-inference#1204 and #429; docs.djl.ai, LMI configurations",
    example='SM_NUM_GPUS: "4"   # on ml.g5.2xlarge, which has one',
)
def model_gpus(container: ContainerFacts) -> Iterator[Finding]:
    """A model is shared by as many GPUs as its instance has, or its component is given.

    The server ends as it starts: "sharded is true but only found 1 CUDA devices". That shows as a
    failed health check after many minutes.
    """
    kind = known(container.instance_type)
    if kind is None or not kind.gpus or container.compilation.given:
        return
    devices = container.accelerators.number
    there = kind.gpus if devices is None else min(int(devices), kind.gpus)
    has = f"{kind.name} has {kind.gpus}"
    if there < kind.gpus:
        has = f"{container.accelerators.name} is {devices}"
    for start, names in SHARED_BY.items():
        facts = [container.environment.get(name) for name in names]
        given = [fact for fact in facts if fact is not None and (_digits(fact) or 1) > 1]
        wanted = 1
        for fact in given:
            wanted *= _digits(fact) or 1
        if wanted > there and any(each.startswith(start) for each in frameworks_named(container)):
            all_of = " times ".join(f"{fact.name} {fact.value}" for fact in given)
            says = f"{given[0].name} is {given[0].value!r}" if len(given) == 1 else all_of
            yield given[0].finding(
                f"{says}, so that the model is shared by {wanted} GPUs, and {has}; use at most "
                f"{there}, or a type with more"
            )


@rule(
    source="huggingface/text-generation-inference 3.3, launcher/src/main.rs",
    example='MAX_INPUT_TOKENS: "4096"   # beside MAX_TOTAL_TOKENS: "2048"',
)
def model_tokens(container: ContainerFacts) -> Iterator[Finding]:
    """Hugging Face's server for text takes fewer tokens in than in and out together.

    Its launcher ends otherwise: "`max_input_tokens` must be < `max_total_tokens`".
    """
    if "huggingface-llm" not in frameworks_named(container):
        return
    names = ("MAX_INPUT_TOKENS", "MAX_INPUT_LENGTH", "MAX_TOTAL_TOKENS", "MAX_BATCH_TOTAL_TOKENS")
    tokens, length, total, batch = (container.environment.get(name) for name in names)
    if tokens is not None and length is not None:
        yield length.says(
            f"stands beside {tokens.name}, which is its new name, and the launcher takes one of "
            "them; remove it"
        )
    for few, many, spare in ((tokens or length, total, 1), (total, batch, 0)):
        asked, most = (None if fact is None else _digits(fact) for fact in (few, many))
        if few is None or many is None or asked is None or most is None:
            continue
        if asked > most - spare:
            counts = "which counts the answer, too" if spare else "which all requests share"
            yield few.says(
                f"is {asked} and {many.name} {most}, {counts}; use at most {most - spare}, or more "
                "in all"
            )


@rule(
    source="huggingface/text-generation-inference 3.3, launcher/src/main.rs; "
    "huggingface/hub-docs#1409",
    example='HF_MODEL_QUANTIZE: "true"',
)
def model_quantize(container: ContainerFacts) -> Iterator[Finding]:
    """Hugging Face's server for text is told a way to quantize that it has.

    Its launcher ends otherwise: "invalid value 'true' for '--quantize <QUANTIZE>'". That of release
    0.6 took true and false, which guides still say.
    """
    given = container.environment.get("HF_MODEL_QUANTIZE")
    if given is None or "huggingface-llm" not in frameworks_named(container):
        return
    oldest = "-tgi0.6." in (container.image_uri.text or "")
    if given.text is not None and given.text not in _QUANTIZE and not oldest:
        near = nearest(given.text, _QUANTIZE)
        listed = f"it is of {', '.join(_QUANTIZE)}" if near is None else f"did you mean {near}?"
        yield given.says(f"is {given.text!r}; {listed}")


_QUANTIZE = (
    *("awq", "compressed-tensors", "eetq", "exl2", "gptq", "marlin", "bitsandbytes"),
    *("bitsandbytes-nf4", "bitsandbytes-fp4", "fp8"),
)
"""What its newest launcher takes; older ones take fewer."""


@warning(
    source="vllm-project/vllm#1157, #1153; docs.djl.ai, LMI configurations",
    example="OPTION_DTYPE: bf16   # on ml.g4dn.12xlarge",
)
def model_dtype(variant: VariantFacts) -> Iterator[Finding]:
    """A model is computed in a type that the GPUs have: bfloat16 begins with A100 and A10G.

    vLLM ends as it starts: "Bfloat16 is only supported on GPUs with compute capability of at least
    8.0. Your Tesla T4 GPU has compute capability 7.5".
    """
    kind = known(variant.instance_type)
    gpu = None if kind is None else _WITHOUT_BFLOAT16.get(kind.family)
    for container in variant.containers if gpu is not None else ():
        for start, name in _DTYPES.items():
            given = container.environment.get(name)
            served = any(each.startswith(start) for each in frameworks_named(container))
            if given is not None and served and (given.text or "").lower() in ("bf16", "bfloat16"):
                half = "fp16" if start == "djl" else "float16"
                yield given.says(
                    f"is {given.text!r}, and the {gpu} of {variant.instance_type.text} has no "
                    f"bfloat16; use {half}, or a type of g5 or later"
                )


_DTYPES = {"djl": "OPTION_DTYPE", "vllm": "SM_VLLM_DTYPE", "huggingface-vllm": "SM_VLLM_DTYPE"}
"""By how an image's framework begins, the variable that says in which type vLLM computes."""
_WITHOUT_BFLOAT16 = {"g4dn": "T4", "p3": "V100", "p3dn": "V100", "p2": "K80"}
"""Families whose GPUs have a compute capability below 8.0, and their GPU (NVIDIA, CUDA GPUs; EC2
user guide, accelerated computing instances)."""


@warning(
    source="aws/sagemaker-huggingface-inference-toolkit#112, its transformers_utils.py; "
    "huggingface/transformers, pipelines",
    example="HF_TASK: sentence-similarity",
)
def model_task(container: ContainerFacts) -> Iterator[Finding]:
    """The toolkit of Hugging Face's image is told a task for which there is a pipeline.

    The hub knows more of them than its pipelines. "Unknown task sentence-similarity, available
    tasks are …". With an archive its ``code/inference.py`` may do without a pipeline.
    """
    given = container.environment.get("HF_TASK")
    if given is None or given.text is None or container.artifact.given:
        return
    toolkit = any(each in HUGGING_FACE for each in frameworks_named(container))
    task = re.sub("^translation_[A-Za-z]+_to_[A-Za-z]+$", "translation", given.text)
    if toolkit and not container.data_source.given and task not in _TASKS:
        near = nearest(task, _TASKS)
        use = "feature-extraction gives a text's vectors" if near is None else f"use {near}"
        yield given.says(
            f"is {given.text!r}, for which there is no pipeline; {use}, or give an archive whose "
            "code/inference.py loads the model"
        )


_TASKS = (
    *("audio-classification", "automatic-speech-recognition", "conversational", "any-to-any"),
    *("depth-estimation", "document-question-answering", "feature-extraction", "fill-mask"),
    *("image-classification", "image-feature-extraction", "image-segmentation"),
    *("image-text-to-text", "image-to-image", "image-to-text", "keypoint-matching"),
    *("mask-generation", "multiple-choice", "ner", "object-detection", "question-answering"),
    *("sentiment-analysis", "summarization", "table-question-answering", "text-classification"),
    *("text-generation", "text-to-audio", "text-to-image", "text-to-speech"),
    *("text2text-generation", "token-classification", "translation", "video-classification"),
    *("visual-question-answering", "vqa", "zero-shot-audio-classification"),
    *("zero-shot-classification", "zero-shot-image-classification"),
    "zero-shot-object-detection",
)
"""The tasks of any release of transformers, and those that the toolkit knows itself."""


def _digits(fact: Fact) -> int | None:
    text = str(fact.value) if isinstance(fact.value, str | int) else ""
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else None
