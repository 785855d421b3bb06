"""``sagemaker-serving inspect``: what is in a model, without unpacking it."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.terminal import console
from sagemaker_serving.cli.options import WhichAws, aws_options, size_text

if TYPE_CHECKING:
    from sagemaker_serving.archive import ArchiveContents, OnnxModel, Signature, Tensor
    from sagemaker_serving.client import Aws
    from sagemaker_serving.errors import Problem

FRAMEWORKS = (
    *("tensorflow", "pytorch", "mxnet", "onnx", "xgboost", "keras"),
    *("ray-serve", "sagemaker-tritonserver"),
)

Branch = tuple[str, list["Branch"]]
"""A line, and what stands below it."""


@click.command()
@click.argument("model")
@click.option(
    "--framework",
    type=click.Choice(FRAMEWORKS),
    help="What is to serve it; default: the framework whose files it holds.",
)
@click.option("--neo", is_flag=True, help="Judge it as the input of a Neo compilation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
@aws_options
def inspect(
    model: str,
    framework: str | None,
    neo: bool,
    as_json: bool,
    which: WhichAws,
) -> None:
    """Show what is in MODEL: a folder, a .tar.gz, a model file, or s3://BUCKET/KEY.

    Prints models, versions and signatures, the handler functions of code/inference.py, every file,
    and what is wrong. An archive is read as a stream and never unpacked. TensorFlow is not needed.
    Ends with 2 when there is an error.

    \b
    Examples:
      sagemaker-serving inspect model.tar.gz
      sagemaker-serving inspect s3://bucket/model.tar.gz --json
    """
    from sagemaker_serving.errors import Severity
    from sagemaker_serving.rules.artifact_check import check_contents
    from sagemaker_serving.spec.s3 import is_s3

    if is_s3(model):
        contents = _remote(model, which.aws())
    else:
        from sagemaker_serving.archive import read_contents

        contents = read_contents(Path(model))
    problems = check_contents(contents, model, framework=framework, for_neo=neo)
    if as_json:
        click.echo(json.dumps(_plain(model, contents, problems), indent=1))
    else:
        _show(_tree(model, contents, problems))
    if any(problem.severity is Severity.ERROR for problem in problems):
        raise click.exceptions.Exit(2)


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
        for child in branch[1]:
            tree.children.append(grown(child))
        return tree

    console().print(grown(tree))


def _indented(branch: Branch, depth: int = 0) -> Iterator[str]:
    yield "  " * depth + branch[0]
    for child in branch[1]:
        yield from _indented(child, depth + 1)


def _tree(model: str, contents: ArchiveContents, problems: list[Problem]) -> Branch:
    packed = contents.packed_size
    count = len(contents.files)
    title = (
        f"{model}: {', '.join(contents.frameworks) or 'no framework'}, "
        f"{count} {'file' if count == 1 else 'files'}, {size_text(contents.size)} unpacked"
    )
    branches: list[Branch] = [
        ("models", [_model(path, contents) for path in contents.saved_models]),
        (
            "frozen graphs",
            [
                (
                    f"{_safe(name)}: inputs {', '.join(graph.inputs) or 'none'}; "
                    f"outputs {', '.join(graph.outputs[:8]) or 'none'}",
                    [],
                )
                for name, graph in contents.graphs.items()
                if graph is not None
            ],
        ),
        ("ONNX", [_onnx(name, model) for name, model in contents.onnx.items()]),
        ("converted when packed", [(name, []) for name in contents.converted]),
        ("code/inference.py", _handlers(contents)),
        ("code/requirements.txt", [(_safe(line), []) for line in contents.requirements or ()]),
        ("files", _files(contents)),
        ("links", [(_safe(name), []) for name in contents.links]),
        ("problems", [(f"{p.severity}: {p.message} [{p.rule}]", []) for p in problems]),
    ]
    return (
        title + (f", {size_text(packed)} packed" if packed is not None else ""),
        [branch for branch in branches if branch[1]],
    )


def _model(path: str, contents: ArchiveContents) -> Branch:
    model = contents.saved_models[path]
    if model is None:
        return f"{_safe(path)}: not a SavedModel", []
    writer = f" by TensorFlow {model.tensorflow_version}" if model.tensorflow_version else ""
    variables = ", with variables" if model.has_variables else ""
    return f"{_safe(path)}: tags {', '.join(model.tags) or 'none'}{writer}{variables}", [
        *(_signature(name, signature) for name, signature in model.signatures.items()),
        *_proof(path.removesuffix("saved_model.pb"), contents),
    ]


def _proof(folder: str, contents: ArchiveContents) -> list[Branch]:
    """What proves that the files in ``folder`` are as they were written."""
    sound = contents.soundness
    unproven: list[Branch] = [
        (f"nothing proves that {_safe(name.removeprefix(folder))} is as it was written: {why}", [])
        for name, why in sound.unproven.items()
        if name.startswith(folder)
    ]
    if unproven or any(name.startswith(folder) for name in (*sound.damaged, *sound.different)):
        return unproven
    return [("its bytes are as they were written: every checksum is right", [])]


def _signature(name: str, signature: Signature) -> Branch:
    method = f" ({signature.method})" if signature.method else ""
    return f"{_safe(name)}{method}", [
        (f"{word} {_safe(key)}: {tensor.dtype} {_shape(tensor)}", [])
        for word, tensors in (("in ", signature.inputs), ("out", signature.outputs))
        for key, tensor in tensors.items()
    ]


def _onnx(name: str, model: OnnxModel | None) -> Branch:
    if model is None:
        return f"{_safe(name)}: not an ONNX model", []
    return _safe(name), [
        (f"{word} {_safe(key)}: {tensor.dtype or 'no tensor'} {_shape(tensor)}", [])
        for word, tensors in (("in ", model.inputs), ("out", model.outputs))
        for key, tensor in tensors.items()
    ]


def _shape(tensor: Tensor) -> str:
    if tensor.shape is None:
        return "of any shape"
    return f"({', '.join('?' if size is None else str(size) for size in tensor.shape)})"


def _handlers(contents: ArchiveContents) -> list[Branch]:
    script = contents.script
    if script is None:
        return []
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
        _folder(parent, folders).append((f"{_safe(last)}  {size_text(contents.files[name])}", []))
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
        **{
            key: value
            for key, value in asdict(contents).items()
            if key not in ("packed_size", "traced")
        },
        "problems": [
            {"rule": p.rule, "severity": str(p.severity), "message": p.message} for p in problems
        ],
    }
