"""Rules on the input of SageMaker Neo: the files that each framework's compiler wants."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_NEO = (
    "AWS SageMaker developer guide, 'What input data shapes does SageMaker Neo expect?' and "
    "'Troubleshoot Neo compilation errors'; read 2026-11-21"
)
_WANTED = {
    "tensorflow": ((r"\.(pb|pbtxt)", ".pb or .pbtxt file"),),
    "keras": ((r"\.h5", ".h5 file"),),
    "pytorch": ((r"\.(pt|pth)", ".pt or .pth file"),),
    "mxnet": ((r"-symbol\.json", "-symbol.json file"), (r"\.params", ".params file")),
    "onnx": ((r"\.onnx", ".onnx file"),),
    "xgboost": ((r"\.(model|json|ubj)|xgboost-model", "model file (.model, .json, .ubj)"),),
}


@rule("neo-files", source=_NEO, example="two .onnx files with compile: {…}")
def neo_files(facts: ArtifactFacts) -> Iterator[Finding]:
    """An archive to be compiled holds exactly one file of each kind that its framework needs.

    The job fails after it has waited for its turn, with "Exactly one .pb file is allowed" and the
    like.
    """
    contents = facts.contents
    if contents is None or not facts.compiled:
        return
    for pattern, words in _WANTED.get(facts.framework_name, ()):
        found = [
            name
            for name in contents.files
            if re.search(f"({pattern})$", name)
            and not name.startswith("code/")
            and "/variables/" not in f"/{name}"
            and not name.endswith(("fingerprint.pb", "keras_metadata.pb"))
        ]
        if len(found) != 1:
            listing = f" ({', '.join(found[:4])})" if found else ""
            yield (
                facts.artifact.where,
                f"artifact is {facts.artifact.text!r}; Neo compiles {facts.framework_name} from "
                f"exactly one {words} and there are {len(found)}{listing}; "
                f"{'leave the others out' if found else 'put it in'}",
            )


@rule("neo-traced", source=_NEO, example="torch.save(model.state_dict(), 'model.pth')")
def neo_traced(facts: ArtifactFacts) -> Iterator[Finding]:
    """A PyTorch model to be compiled is traced, not a mere list of weights.

    Neo reads TorchScript; a pickled state_dict has weights and no graph.
    """
    contents = facts.contents
    if contents is None or not facts.compiled or facts.framework_name != "pytorch":
        return
    for name, traced in contents.traced.items():
        if not traced:
            yield (
                facts.artifact.where,
                f"artifact is {facts.artifact.text!r}; {name} is not a traced model, and Neo "
                "compiles no other; save torch.jit.trace(model, example).save(...) instead",
            )
