"""``sagemaker-serving inspect``: what is in a model, without unpacking it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.options import json_option
from local_aws.terminal import console
from sagemaker_serving.cli.options import WhichAws, aws_options, size_text

if TYPE_CHECKING:
    from sagemaker_serving.archive import (
        ArchiveContents,
        FrozenGraph,
        KerasModel,
        OnnxModel,
        Script,
        Signature,
        Tensor,
        TorchScript,
        XgboostModel,
    )
    from sagemaker_serving.client import Aws
    from sagemaker_serving.errors import Problem

FRAMEWORKS = (
    *("tensorflow", "pytorch", "huggingface", "mxnet", "onnx", "xgboost", "sklearn", "keras"),
    "autogluon",
    *("ray-serve", "sagemaker-tritonserver"),
)

Branch = tuple[str, list["Branch"]]
"""A line, and what stands below it."""

MOST_FILES = 12
"""How many of a folder a terminal shows."""


@click.command()
@click.argument("model")
@click.option(
    "--framework",
    type=click.Choice(FRAMEWORKS),
    metavar="NAME",
    help="What is to serve it; default: the framework whose files it holds. "
    f"One of {', '.join(FRAMEWORKS)}.",
)
@click.option("--neo", is_flag=True, help="Judge it as the input of a Neo compilation.")
@json_option
@aws_options
def inspect(
    model: str,
    framework: str | None,
    neo: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Show what is in MODEL: a folder, a .tar.gz, a model file, s3://BUCKET/KEY, or ENV/MODEL.

    Prints models, versions, inputs and outputs, the handler functions of code/inference.py, every
    file, and what is wrong. A terminal shows at most 12 files of a folder. An archive is read as a
    stream and never unpacked. No framework is needed, and nothing of a model is run.
    Ends with 2 when there is an error.

    \b
    Examples:
      sagemaker-serving inspect model.tar.gz
      sagemaker-serving inspect s3://bucket/model.tar.gz --json
    """
    from sagemaker_serving.errors import Severity
    from sagemaker_serving.rules.artifact_check import check_contents
    from sagemaker_serving.s3_address import is_s3

    model, region, own = _meant(model)
    framework = framework if framework is not None else own
    if is_s3(model):
        contents = _remote(model, which.aws(which.region or region))
    else:
        from sagemaker_serving.cli.scripted import readable

        contents = readable(Path(model))
    problems = check_contents(contents, model, framework=framework, for_neo=neo)
    if as_json:
        click.echo(json.dumps(_plain(model, contents, problems), indent=1))
    else:
        _show(_tree(model, contents, problems, framework))
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise click.exceptions.Exit(2)


def _meant(model: str) -> tuple[str, str | None, str | None]:
    """Where a model lies that may be named as an environment's: with that one's region, and the
    framework that the file names. Raises `Mistake` for one that is not in one place."""
    from sagemaker_serving.errors import Mistake
    from sagemaker_serving.operations.named_model import named_model
    from sagemaker_serving.s3_address import is_s3
    from sagemaker_serving.spec.container import in_s3, on_disk
    from sagemaker_serving.spec.reading import FOLDER

    found = None if is_s3(model) or Path(model).exists() else named_model(model)
    if found is None:
        return model, None, None
    artifact = found.container.artifact
    remote = in_s3(artifact)
    places = [str(FOLDER / each) for each in on_disk(artifact)] if remote is None else [remote.s3]
    if len(places) != 1:
        raise Mistake(f"{found.where}: it has {len(places)} artifacts; name the one to look at")
    framework = found.container.framework
    return places[0], found.environment.region, framework if framework in FRAMEWORKS else None


def _remote(uri: str, aws: Aws) -> ArchiveContents:
    from sagemaker_serving.archive import read_stream
    from sagemaker_serving.client import open_object

    with open_object(aws, uri) as stream:
        return read_stream(stream, uri)


def _show(tree: Branch) -> None:
    """A tree on a terminal, plain indented lines for pipes."""
    if not sys.stdout.isatty():
        for line in _indented(tree):
            click.echo(line)
        return
    from rich.tree import Tree

    def grown(branch: Branch) -> Tree:
        tree = Tree(branch[0])
        few = branch[1][:MOST_FILES] if branch[0].endswith(("/", "files")) else branch[1]
        for child in few:
            tree.children.append(grown(child))
        if len(few) < len(branch[1]):
            tree.add(f"… and {len(branch[1]) - len(few)} more, which a pipe has, and --json")
        return tree

    console().print(grown(tree))


def _indented(branch: Branch, depth: int = 0) -> Iterator[str]:
    yield "  " * depth + branch[0]
    for child in branch[1]:
        yield from _indented(child, depth + 1)


def _tree(
    model: str, contents: ArchiveContents, problems: list[Problem], framework: str | None
) -> Branch:
    packed = contents.packed_size
    count = len(contents.files)
    sizes = {
        "unpacked": contents.size,
        "to be converted": sum(contents.converted.values()),
        "packed": packed,
    }
    told = ", ".join(f"{size_text(size)} {what}" for what, size in sizes.items() if size)
    title = (
        f"{model}: {', '.join(contents.frameworks) or framework or 'no framework'}, "
        f"{count} {'file' if count == 1 else 'files'}, "
        f"{told or 'empty'}"
    )
    branches: list[Branch] = [
        ("models", [_model(path, contents) for path in contents.saved_models]),
        ("frozen graphs", [_graph(name, each) for name, each in contents.graphs.items() if each]),
        ("Keras", [_keras(name, each) for name, each in contents.keras.items()]),
        ("ONNX", [_onnx(name, each) for name, each in contents.onnx.items()]),
        ("XGBoost", [_xgboost(name, each) for name, each in contents.xgboost.items()]),
        ("PyTorch", [_torch(name, each) for name, each in contents.traced.items()]),
        ("converted when packed", [(_safe(name), []) for name in contents.converted]),
        *((_safe(name), _handlers(script)) for name, script in sorted(contents.scripts.items())),
        ("code/requirements.txt", [(_safe(line), []) for line in contents.requirements or ()]),
        ("files", _files(contents)),
        ("links", [(_safe(name), []) for name in contents.links]),
        ("problems", [(f"{p.severity}: {p.message} [{p.rule}]", []) for p in problems]),
    ]
    return title, [branch for branch in branches if branch[1]]


def _model(path: str, contents: ArchiveContents) -> Branch:
    model = contents.saved_models[path]
    if model is None:
        return f"{_safe(path)}: not a SavedModel", []
    writer = f" by TensorFlow {model.tensorflow_version}" if model.tensorflow_version else ""
    variables = ", with variables" if model.has_variables else ""
    examples = ", parses tf.train.Example" if model.parses_examples else ""
    parts = ", takes ragged or sparse tensors in parts" if model.takes_parts else ""
    told = f"tags {', '.join(model.tags) or 'none'}{writer}{variables}{examples}{parts}"
    return f"{_safe(path)}: {told}", [
        _signature(name, signature) for name, signature in model.signatures.items()
    ] or [("no signature", [])]


def _signature(name: str, signature: Signature) -> Branch:
    method = f" ({signature.method})" if signature.method else ""
    return f"{_safe(name)}{method}", [
        *_tensors("in ", signature.inputs),
        *_tensors("out", signature.outputs),
    ]


def _graph(name: str, graph: FrozenGraph) -> Branch:
    note = "" if graph.unambiguous else ": its inputs and outputs are among these"
    return f"{_safe(name)}{note}", [
        *_tensors("in ", graph.inputs),
        *((f"out {_safe(key)}: of {_safe(by)}", []) for key, by in graph.outputs.items()),
    ]


def _xgboost(name: str, model: XgboostModel | None) -> Branch:
    if model is None:
        return f"{_safe(name)}: not an XGBoost model", []
    takes = f"in  rows of {model.features} numbers"
    return _safe(name), [] if model.features is None else [(takes, [])]


def _keras(name: str, model: KerasModel | None) -> Branch:
    if model is None:
        return f"{_safe(name)}: not a Keras model", []
    if model.has_weights_alone:
        return f"{_safe(name)}: weights, and no model", []
    if not model.inputs:
        return f"{_safe(name)}: a class of its own, which does not tell what it takes", []
    outputs = model.outputs.items()
    return _safe(name), [
        *_tensors("in ", model.inputs),
        *_tensors("out", {key: tensor for key, tensor in outputs if tensor is not None}),
        *((f"out {_safe(key)}", []) for key, tensor in outputs if tensor is None),
    ]


def _onnx(name: str, model: OnnxModel | None) -> Branch:
    if model is None:
        return f"{_safe(name)}: not an ONNX model", []
    return _safe(name), [*_tensors("in ", model.inputs), *_tensors("out", model.outputs)]


def _torch(name: str, model: TorchScript | None) -> Branch:
    if model is None:
        return f"{_safe(name)}: not TorchScript; only its Python class tells what it takes", []
    return _safe(name), [
        *((f"in  {_safe(key)}: {_safe(kind)}", []) for key, kind in model.arguments.items()),
        *([(f"out {_safe(model.returns)}", [])] if model.returns else []),
        *((f"traced with {each.dtype} {_shape(each)}", []) for each in model.example),
    ] or [("it has no forward that can be read", [])]


def _tensors(word: str, tensors: Mapping[str, Tensor]) -> Iterator[Branch]:
    for key, tensor in tensors.items():
        yield f"{word} {_safe(key)}: {tensor.dtype or 'no tensor'} {_shape(tensor)}", []


def _shape(tensor: Tensor) -> str:
    if tensor.shape is None:
        return "of any shape"
    return f"({', '.join('?' if size is None else str(size) for size in tensor.shape)})"


def _handlers(script: Script) -> list[Branch]:
    if script.error is not None:
        return [(f"does not parse: {script.error}", [])]
    return [
        (
            f"{name} takes "
            + (f"{function.least} or more" if function.most is None else f"{function.most}")
            + f" (line {function.line})",
            [],
        )
        for name, function in script.functions.items()
    ] or [("defines no function", [])]


def _files(contents: ArchiveContents) -> list[Branch]:
    top: list[Branch] = []
    folders: dict[str, list[Branch]] = {"": top}
    for name in sorted(contents.files):
        parent, _, last = name.rpartition("/")
        size = contents.files[name]
        made = contents.converted and not size
        told = "made by TensorFlow" if made else size_text(size)
        _folder(parent, folders).append((f"{_safe(last)}  {told}", []))
    return top


def _folder(path: str, folders: dict[str, list[Branch]]) -> list[Branch]:
    if path not in folders:
        parent, _, last = path.rpartition("/")
        folders[path] = []
        _folder(parent, folders).append((f"{_safe(last)}/", folders[path]))
    return folders[path]


def _safe(text: str) -> str:
    """Names come from strangers: what would steer a terminal is escaped."""
    return text if text.isprintable() else ascii(text)[1:-1]


def _plain(model: str, contents: ArchiveContents, problems: list[Problem]) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "model": model,
        "frameworks": contents.frameworks,
        "packed_bytes": contents.packed_size,
        "unpacked_bytes": contents.size,
        "models": [{"name": found.model, "version": found.version} for found in contents.models],
        **{key: value for key, value in asdict(contents).items() if key != "packed_size"},
        "script": None if contents.script is None else asdict(contents.script),
        "converted": list(contents.converted),
        "problems": [
            {"rule": p.rule, "severity": str(p.severity), "message": p.message} for p in problems
        ],
    }
