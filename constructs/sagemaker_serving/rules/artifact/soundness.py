"""Rules on a SavedModel's files: whether they are unchanged"""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_SOURCE = (
    "tensorflow/cc/saved_model/fingerprinting.cc and core/util/tensor_bundle, TensorFlow 2.21; "
    "read 2026-11-22"
)


@rule(
    "artifact-damaged", source=_SOURCE, example="one bit of variables.data-00000-of-00001 flipped"
)
def artifact_damaged(facts: ArtifactFacts) -> Iterator[Finding]:
    """A SavedModel's files have the content that their own checksums say.

    Its fingerprint.pb has a checksum of saved_model.pb, and variables.index one of itself and of
    every tensor. Without a fingerprint saved_model.pb must be something that TensorFlow loads. A
    changed byte gives other predictions, or ends the server while it loads.
    """
    contents = facts.contents
    for name, why in contents.soundness.damaged.items() if contents is not None else ():
        last = name.rpartition("/")[2]
        advice = "export or copy the model again"
        if last == "saved_model.pb" and "fingerprint.pb" in why:
            advice += "; if it was changed on purpose, delete its fingerprint.pb"
        yield (facts.artifact.where, f"{name} is damaged: {why}; {advice}")


@rule(
    "artifact-fingerprint",
    source=_SOURCE,
    severity=Severity.WARNING,
    example="variables/ of another export than saved_model.pb",
)
def artifact_fingerprint(facts: ArtifactFacts) -> Iterator[Finding]:
    """A SavedModel's variables are those that it was exported with.

    Both are complete, but fingerprint.pb was written with other variables: later weights, or
    another model's.
    """
    contents = facts.contents
    for name, why in contents.soundness.different.items() if contents is not None else ():
        yield (
            facts.artifact.where,
            f"{name}: {why}; if the weights were replaced on purpose, delete fingerprint.pb",
        )
