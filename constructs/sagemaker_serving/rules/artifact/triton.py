"""Rules on Triton's models: its image finds one, and its config is what the ONNX model takes."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.archive import TRITON, ArchiveContents
from sagemaker_serving.archive.pbtxt import BadConfig, Block, read_config
from sagemaker_serving.archive.triton import (
    CONFIG,
    DEFAULT_MODEL,
    ONNXRUNTIME,
    BadRepository,
    backend_of,
    config_problems,
    loaded_model,
    model_file,
)
from sagemaker_serving.catalog.model_ids import frameworks_of_image
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ArtifactFacts

_IMAGE = "triton-inference-server/server e1db8a6, docker/sagemaker/serve"
_BACKEND = (
    "triton-inference-server core 73aad7c, model_config_utils.cc; onnxruntime_backend 00fd3e8, "
    "onnxruntime.cc"
)


@rule(source=_IMAGE, example="model.onnx at the top, for Triton's image")
def triton_repository(facts: ArtifactFacts) -> Iterator[Finding]:
    """Triton's image finds one model: ``NAME/config.pbtxt`` and ``NAME/1/model.onnx``.

    Every folder at the top counts as a model. With none, or several and no default, the image ends
    before it serves anything.
    """
    for problem in _problems(facts):
        if isinstance(problem, BadRepository):
            yield facts.says(str(problem))


@rule(source=_BACKEND, example="data_type: TYPE_FP64 for an input of FP32")
def triton_config(facts: ArtifactFacts) -> Iterator[Finding]:
    """A ``config.pbtxt`` is one that Triton reads, and its tensors are the ONNX model's own.

    Names, types, shapes and the batch are compared when the model is loaded. One that differs is
    not loaded, and the endpoint never answers a health check.
    """
    for problem in _problems(facts):
        if isinstance(problem, BadConfig):
            yield facts.says(str(problem))


def _problems(facts: ArtifactFacts) -> Iterator[BadRepository | BadConfig]:
    """Of the one model that the image loads; a multi-model endpoint loads each by itself."""
    contents = _of_triton(facts)
    if contents is None or facts.container.mode.given:
        return
    asked = facts.container.environment.get(DEFAULT_MODEL)
    try:
        name = loaded_model(contents.files, None if asked is None else asked.text)
        inside = f"{name}/"
        files = {each.removeprefix(inside) for each in contents.files if each.startswith(inside)}
        config = _config(f"{name}/{CONFIG}", contents)
        if backend_of(config, files) != ONNXRUNTIME:
            return
        _, file = model_file(config, files)
    except (BadRepository, BadConfig) as problem:
        yield problem
        return
    model = contents.onnx.get(inside + file)
    if model is None:
        yield BadConfig(f"{name}/{file} is no ONNX model; export the model again")
        return
    for line, text in config_problems(config, name, model):
        yield BadConfig(f"{name}/{CONFIG} line {line}: {text}")
    folder = file.rpartition("/")[0]
    for weights in model.external:
        if f"{folder}/{weights}" not in files:
            yield BadConfig(
                f"{name}/{file} has weights in {weights}, which is not beside it; add it"
            )


def _config(path: str, contents: ArchiveContents) -> Block:
    try:
        return read_config(contents.triton_configs.get(path, ""))
    except BadConfig as problem:
        raise BadConfig(f"{path} {problem}") from None


def _of_triton(facts: ArtifactFacts) -> ArchiveContents | None:
    image = facts.container.image_uri.text
    if image is not None and TRITON in frameworks_of_image(image):
        return facts.contents
    return facts.served_by(TRITON)
