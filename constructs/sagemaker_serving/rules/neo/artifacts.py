"""Rules on the input of SageMaker Neo: the files that each framework's compiler wants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from local_aws.suggest import nearest
from sagemaker_serving.archive import (
    Tensor,
    fits,
    fixed_shapes,
    neo_inputs,
    shown_inputs,
    shown_shape,
    without_variables,
)
from sagemaker_serving.archive import neo_files as files_for_neo
from sagemaker_serving.archive.sources import LEFT_OUT
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts

_NEO = (
    "AWS SageMaker developer guide, 'What input data shapes does SageMaker Neo expect?' and "
    "'Troubleshoot Neo compilation errors'"
)
_SCRIPT_SOURCE = "AWS SageMaker developer guide, 'Deploy a compiled model', prerequisites"
_WITH_SCRIPT = ("KERAS", "MXNET", "ONNX", "PYTORCH", "TENSORFLOW")


@rule(source=_NEO, example="two .onnx files with compile: {…}")
def neo_files(facts: ArtifactFacts) -> Iterator[Finding]:
    """An archive to be compiled holds exactly one file of each kind that its framework needs, and
    beside a SavedModel's graph its ``variables/``.

    The job fails after it has waited in the queue, with "Exactly one .pb file is allowed" and the
    like.
    """
    contents = facts.contents
    if contents is None or not facts.compiled:
        return
    for words, found in files_for_neo(facts.neo_framework, contents.files):
        if len(found) != 1:
            listing = f" ({', '.join(found[:4])})" if found else ""
            what_to_do = "put it in" if not found else "leave the others out"
            if not found and any(name.endswith(".keras") for name in contents.files):
                what_to_do = "load the .keras and save it with that ending"
            if contents.packed_size is not None and any(n.endswith(LEFT_OUT) for n in found):
                what_to_do = "pack the model anew with `sagemaker-serving package --neo`, or name "
                what_to_do += "its folder here: both leave the others out"
            yield facts.says(
                f"Neo compiles {facts.neo_framework.lower()} "
                f"from exactly one {words} and there are {len(found)}{listing}; {what_to_do}"
            )
    model = without_variables(contents.files) if facts.neo_framework == "TENSORFLOW" else None
    if model is not None:
        yield facts.says(
            f"{model} has no variables/ with files, and Neo compiles no SavedModel without one; "
            "save it with its weights as variables, or give the frozen graph (.pb) that it was "
            "made of, which gets such a folder when it is packed"
        )


@rule(source=_NEO, example="torch.save(model.state_dict(), 'model.pth')")
def neo_traced(facts: ArtifactFacts) -> Iterator[Finding]:
    """A PyTorch model to be compiled is traced, not a mere list of weights.

    Neo reads TorchScript; a pickled state_dict has weights and no graph.
    """
    contents = facts.contents
    if contents is None or not facts.compiled or facts.neo_framework != "PYTORCH":
        return
    for name, traced in contents.traced.items():
        if not traced:
            yield facts.says(
                f"{name} is not a traced model, and Neo "
                "compiles no other; save torch.jit.trace(model, example).save(...) instead"
            )


@warning(
    source="aws/amazon-sagemaker-examples#986: 'No pth file found for PyTorch model'",
    example="model.pt   # of a PyTorch model with compile: {…}",
)
def neo_torch_name(facts: ArtifactFacts) -> Iterator[Finding]:
    """The file of a PyTorch model that Neo compiles ends with ``.pth``.

    AWS's guide has ``.pt``, too, and Neo has refused it.
    """
    contents = facts.contents
    if contents is None or not facts.compiled or facts.neo_framework != "PYTORCH":
        return
    for _, found in files_for_neo("PYTORCH", contents.files):
        if len(found) == 1 and found[0].endswith(".pt"):
            yield facts.says(
                f"Neo has refused {found[0]} with 'No pth "
                f"file found for PyTorch model'; name it {found[0]}h"
            )


@warning(
    source="neo-ai/neo-ai-dlr, issue 73: Neo gave a frozen graph back that it could not compile",
    example="artifact: frozen.tar.gz   # a graph.pb is in it, with compile: {…}",
)
def neo_frozen_graph(facts: ArtifactFacts) -> Iterator[Finding]:
    """A TensorFlow model to be compiled and served is a SavedModel with its variables.

    Neo takes a frozen graph in an archive, too, but TensorFlow's server loads SavedModels alone. A
    graph that is given as a ``.pb`` file becomes a SavedModel when it is packed.
    """
    contents = facts.contents
    if contents is None or not facts.compiled or facts.neo_framework != "TENSORFLOW":
        return
    if contents.graphs and not contents.saved_models and not contents.converted:
        yield facts.artifact.finding(
            f"artifact is {facts.artifact.text!r}, which holds a frozen graph; Neo takes it, but "
            "TensorFlow's server loads no such result; give the .pb file itself, which becomes a "
            "SavedModel when it is packed"
        )


@rule(source=_NEO, example="{images: [1, 3, 8, 8]} of a model that takes [?, 8, 8, 1]")
def neo_shapes(facts: ArtifactFacts) -> Iterator[Finding]:
    """data_input_config names the SavedModel's inputs, each with a shape that it takes.

    The job fails after it has waited in the queue, with a few words on the input's shape.
    """
    inputs = _inputs(facts)
    fact = facts.compilation.get("data_input_config")
    given = fact.value if fact.text is None else fact.document
    if inputs is None or not isinstance(given, Mapping):
        return
    for name, shape in given.items():
        tensor = inputs.get(name)
        if tensor is None:
            close = nearest(str(name), list(inputs))
            yield fact.says(
                f"names the input {name!r}; the model's signature takes "
                f"{shown_inputs(inputs)}{f'; did you mean {close}' if close is not None else ''}"
            )
        elif not fits(tensor.shape, shape):
            yield fact.says(
                f"has {name} as {shape}; the model's signature takes {shown_shape(tensor.shape)}; "
                "give a whole number for each dimension, those that are fixed as they are"
            )
    missing = [name for name in inputs if name not in given]
    if missing and not set(given) - set(inputs):
        yield fact.says(
            f"says nothing of {', '.join(missing)}; the model's signature takes "
            f"{shown_inputs(inputs)}; add it"
        )


@rule(source=_NEO, example="compile: {target_device: ml_c5} of images [?, 8, 8, 1]")
def neo_batch(facts: ArtifactFacts) -> Iterator[Finding]:
    """Every dimension of a SavedModel's inputs is fixed when it is compiled.

    Neo compiles for one shape. An open first dimension is the batch, which batch_size fixes; any
    other has to be given.
    """
    inputs = _inputs(facts)
    asked = facts.compilation
    is_told_of_a_job = asked.get("target_device").given or asked.get("target_platform").given
    if inputs is None or not is_told_of_a_job or asked.get("data_input_config").given:
        return
    batch = facts.compilation.get("batch_size")
    size = 1 if batch.given else None
    if fixed_shapes(inputs, size) is not None:
        return
    if fixed_shapes(inputs, 1) is not None:
        yield facts.compilation.finding(
            f"the model takes {shown_inputs(inputs)}, and Neo compiles for one size of batch; add "
            "batch_size: 1, for one"
        )
    else:
        yield facts.compilation.finding(
            f"the model takes {shown_inputs(inputs)}, and Neo compiles for fixed shapes; add "
            "data_input_config with a whole number for each dimension"
        )


@warning(source=_SCRIPT_SOURCE, example="compile: {…} of a PyTorch model without code/inference.py")
def neo_script(facts: ArtifactFacts) -> Iterator[Finding]:
    """A compiled model comes with ``code/inference.py``, but for TensorFlow's and XGBoost's.

    The images of the others call its functions, and have no defaults.
    """
    contents = facts.contents
    if contents is None or not facts.compiled or facts.own_image or facts.script_name is None:
        return
    framework, inferentia = facts.neo_framework, facts.target_device == "ml_inf1"
    if (
        facts.script_name in contents.files
        or framework not in _WITH_SCRIPT
        or (framework == "TENSORFLOW" and not inferentia)
    ):
        return
    functions = (
        "input_fn, predict_fn and output_fn, or transform_fn"
        if framework in ("PYTORCH", "MXNET") and not inferentia
        else "neo_preprocess and neo_postprocess"
    )
    yield facts.says(
        f"it has no {facts.script_name}, and the image that "
        f"serves compiled {framework} calls its functions; add one that defines {functions}"
    )


def _inputs(facts: ArtifactFacts) -> Mapping[str, Tensor] | None:
    """The signature's inputs of a SavedModel that is compiled as one."""
    if facts.contents is None or not facts.compiled or facts.neo_framework != "TENSORFLOW":
        return None
    return neo_inputs(facts.contents)
