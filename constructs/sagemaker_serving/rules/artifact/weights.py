"""Rules on the files of a language model: whole, and where the servers for text look for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from sagemaker_serving.rules.container.model_ids import NEEDS_ID, frameworks_named
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_SHARD = re.compile(r"(?P<before>.*-)(?P<one>[0-9]{5})-of-(?P<all>[0-9]{5})(?P<end>\.[a-z]+)")
_OWN_MODEL = "/opt/ml/model"


@rule(
    source="hiyouga/LlamaFactory#3340, sgl-project/sglang pull request 32279; huggingface/"
    "huggingface_hub, serialization",
    example="model-00001-of-00002.safetensors   # without the second",
)
def artifact_shards(facts: ArtifactFacts) -> Iterator[Finding]:
    """Of a model whose weights are in several files, all are there.

    Each is named by its number and how many there are. What loads them ends with "No such file", or
    serves weights that were never set.
    """
    there: dict[tuple[str, str, str], set[int]] = {}
    for name in facts.contents.files if facts.contents is not None else ():
        found = _SHARD.fullmatch(name)
        if found is not None:
            key = found["before"], found["all"], found["end"]
            there.setdefault(key, set()).add(int(found["one"]))
    for (before, of, end), numbers in there.items():
        first = 0 if 0 in numbers else 1
        gone = sorted(set(range(first, first + int(of))) - numbers)
        if gone:
            others = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            yield facts.says(
                f"there is no {before}{gone[0]:05}-of-{of}{end}{others}; add what is missing, or "
                "save the model again"
            )


@rule(
    source="aws/sagemaker-huggingface-inference-toolkit#22 and #62; aws/"
    "deep-learning-containers#3282",
    example="llama/config.json   # in a folder, beside HF_MODEL_ID: /opt/ml/model",
)
def artifact_llm_config(facts: ArtifactFacts) -> Iterator[Finding]:
    """A server for text finds the model's ``config.json`` at the archive's top.

    It looks where HF_MODEL_ID says: ``/opt/ml/model``, into which the archive is unpacked.
    """
    container, contents = facts.container, facts.contents
    named = container.environment.get("HF_MODEL_ID")
    needs = any(each in NEEDS_ID for each in frameworks_named(container))
    if contents is None or not needs or named is None or "config.json" in contents.files:
        return
    if (named.text or "").rstrip("/") != _OWN_MODEL:
        return
    deep = [name for name in contents.files if PurePosixPath(name).name == "config.json"]
    folder = PurePosixPath(deep[0]).parent if deep else None
    advice = (
        "save_pretrained() writes it"
        if folder is None
        else f"move the files of {folder}/ there, or write HF_MODEL_ID: {_OWN_MODEL}/{folder}"
    )
    yield facts.says(f"there is no config.json at its top, where the server looks for it; {advice}")
