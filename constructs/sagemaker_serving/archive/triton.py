"""Triton's model repository: which model is loaded, and its config held against its ONNX model.

Sources: triton-inference-server/server e1db8a6, ``docker/sagemaker/serve`` (what
AWS's image runs) and ``docs/user_guide/model_{repository,configuration}.md``; core 73aad7c,
``src/model_config_utils.cc``; onnxruntime_backend 00fd3e8, ``src/onnxruntime.cc``. None was run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.archive.names import safe_name
from sagemaker_serving.archive.onnx_model import OnnxModel, read_onnx
from sagemaker_serving.archive.pbtxt import Block
from sagemaker_serving.archive.protobuf import Malformed
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.sources import Plan, Source
from sagemaker_serving.archive.tree import Entry, SkippingFile
from sagemaker_serving.errors import Mistake

TRITON = "sagemaker-tritonserver"
"""AWS's name of Triton among frameworks, and its image's repository."""

CONFIG = "config.pbtxt"
DEFAULT_MODEL = "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME"
ONNXRUNTIME = "onnxruntime"
_DEFAULT_MAX_BATCH_SIZE = 4
"""``max_batch_size`` of a config that Triton completes, for a model that can batch."""


class BadRepository(Exception):
    """Triton would not load it; the message says why and what to do."""


@dataclass(frozen=True, kw_only=True)
class TensorConfig:
    """An input or output as requests have it; -1 is an open size, the batch is left out.

    ``dtype`` is the protocol's ("FP32"); ``reshape`` is the shape that the model itself has.
    """

    name: str
    dtype: str
    dims: tuple[int, ...]
    reshape: tuple[int, ...] | None = None
    optional: bool = False
    line: int = 1


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """What Triton holds requests against; ``max_batch_size`` 0: shapes are whole."""

    max_batch_size: int
    inputs: tuple[TensorConfig, ...]
    outputs: tuple[TensorConfig, ...]


def loaded_model(files: Iterable[str], asked: str | None) -> str:
    """The folder that the image loads: the one ``asked`` for, or the only one.

    ``files`` are by their path in ``/opt/ml/model``; every folder there counts as a model. Raises
    `BadRepository`.
    """
    names = list(files)
    folders = sorted({name.partition("/")[0] for name in names if "/" in name})
    if CONFIG in names:
        raise BadRepository(
            f"{CONFIG} is at its top; put it into the model's folder, NAME/{CONFIG}"
        )
    if asked is None and len(folders) == 1:
        return folders[0]
    if asked is not None and asked in folders:
        return asked
    if not folders:
        raise BadRepository(
            "it has no model's folder, such as NAME/1/model.onnx; pack an .onnx file with "
            "`sagemaker-serving package FILE --for triton`"
        )
    if asked is not None:
        raise BadRepository(f"{DEFAULT_MODEL} is {asked!r}; it has {', '.join(folders)}")
    raise BadRepository(
        f"it has {len(folders)} folders, which Triton's image takes for models "
        f"({', '.join(folders)}); set environment: {{{DEFAULT_MODEL}: {folders[0]}}}"
    )


def backend_of(config: Mapping[str, Any], files: Iterable[str]) -> str:
    """What runs a model: its config's backend or platform; ``files`` are below its folder."""
    if config.get("backend"):
        return str(config["backend"])
    platform, file = config.get("platform", ""), config.get("default_model_filename", "")
    found = any(name.split("/")[1:2] == ["model.onnx"] for name in files)
    if platform == "onnxruntime_onnx" or file == "model.onnx" or (not platform + file and found):
        return ONNXRUNTIME
    return str(platform)


def model_file(config: Mapping[str, Any], files: Collection[str]) -> tuple[int, str]:
    """The version that answers, the newest that the policy allows, and its file below the folder.

    A model with weights in other files may be a folder ``model.onnx``. Raises `BadRepository`.
    """
    versions = {int(top) for top, slash, _ in (n.partition("/") for n in files) if top.isdigit()}
    specific = config.get("version_policy", {}).get("specific")
    allowed = versions if specific is None else versions & set(specific.get("versions", ()))
    if not allowed:
        raise BadRepository("the model has no version's folder that Triton loads, such as 1/")
    version, name = max(allowed), config.get("default_model_filename") or "model.onnx"
    for path in (f"{version}/{name}", f"{version}/{name}/model.onnx"):
        if path in files:
            return version, path
    raise BadRepository(f"the model's version {version} has no {name}, which Triton loads")


def completed(config: Mapping[str, Any], model: OnnxModel) -> ModelConfig:
    """The config with what it leaves out, as the backend fills it in.

    Where inputs or outputs are left out and the model can batch, ``max_batch_size`` 0 becomes 4.
    """
    most = config.get("max_batch_size", 0)
    inputs, outputs = config.get("input", []), config.get("output", [])
    if not (inputs and outputs) and most == 0 and not any(unbatched(model)):
        most = _DEFAULT_MAX_BATCH_SIZE
    return ModelConfig(
        max_batch_size=most,
        inputs=tuple(map(_given, inputs)) or _filled(model.inputs, most),
        outputs=tuple(map(_given, outputs)) or _filled(model.outputs, most),
    )


def unbatched(model: OnnxModel) -> Iterator[str]:
    """The inputs and outputs whose first size is not open, so that requests cannot be joined."""
    for name, tensor in (*model.inputs.items(), *model.outputs.items()):
        if not tensor.shape or tensor.shape[0] is not None:
            yield name


def config_problems(config: Block, name: str, model: OnnxModel) -> Iterator[tuple[int, str]]:
    """Lines of a config in the folder ``name``, and why Triton would not load ``model`` with it."""
    if config.get("name", name) != name:
        yield 1, f"name is {config['name']!r} and its folder is {name!r}; they must be the same"
    whole = completed(config, model)
    if whole.max_batch_size < 0:
        yield 1, f"max_batch_size is {whole.max_batch_size}; it must be 0 or more"
    missing = [each for each in model.inputs if each not in {io.name for io in whole.inputs}]
    if missing:
        yield 1, f"the model's input {missing[0]!r} is not in it; add it"
    for what, tensors, found in (
        ("input", whole.inputs, model.inputs),
        ("output", whole.outputs, model.outputs),
    ):
        for io in tensors:
            if io.name not in found:
                yield io.line, f"the model has no {what} {io.name!r}; it has {', '.join(found)}"
                continue
            problem = _difference(io, found[io.name], whole.max_batch_size, exact=what == "output")
            if problem is not None:
                yield io.line, f"{what} {io.name!r}: {problem}"


def _difference(io: TensorConfig, tensor: Tensor, most: int, *, exact: bool) -> str | None:
    if io.dtype != tensor.dtype:
        has = f"TYPE_{_CONFIG_TYPES.get(tensor.dtype, tensor.dtype)}" if tensor.dtype else "another"
        wrong = f"TYPE_{_CONFIG_TYPES.get(io.dtype, io.dtype)}"
        return f"data_type is {wrong}; the model has {has}"
    if not io.dims:
        return "dims is missing; give the shape, -1 for an open size"
    shape = None if tensor.shape is None else tuple(-1 if s is None else s for s in tensor.shape)
    dims = io.dims if io.reshape is None else io.reshape
    if not shape:
        wrong_scalar = shape == () and any(size != 1 for size in dims)
        return (
            f"dims is {[*dims]}; the model takes a single value: dims: [ 1 ]" * wrong_scalar or None
        )
    if most > 0 and shape[0] != -1:
        return (
            f"max_batch_size is {most}; the model's shape is {[*shape]}, whose first size is "
            "fixed, so that it takes no batches: write max_batch_size: 0 and whole shapes"
        )
    whole = (-1, *dims) if most > 0 else dims
    same = len(whole) == len(shape) and all(
        size == own or (own == -1 and not exact) for size, own in zip(whole, shape, strict=True)
    )
    batch = ", -1 for the batch and then its dims," if most > 0 else ""
    return None if same else f"its shape is {[*whole]}{batch} and the model's is {[*shape]}"


def triton_plan(sources: Sequence[Source], folder: Path, *, max_batch_size: int = 0) -> Plan:
    """A model repository of ``.onnx`` files, for `build_archive`; its configs go to ``folder``.

    Each becomes NAME/VERSION/model.onnx, with the files that hold its weights, and
    NAME/config.pbtxt from what the model says of itself. Raises `Mistake` for what Triton would
    not serve.
    """
    found: dict[str, Path] = {}
    for number, source in enumerate(sources):
        path, name = source.path, source.name or source.path.stem
        if path.suffix != ".onnx" or not path.is_file():
            raise Mistake(
                f"{path} is no .onnx file, which is what --for triton packs; a folder with the "
                "layout of a model repository, NAME/config.pbtxt and NAME/1/, is packed without it"
            )
        with path.open("rb") as stream:
            try:
                model = read_onnx(SkippingFile(stream), path.stat().st_size)
            except Malformed as error:
                raise Mistake(f"{path} is no ONNX model: {error}; export it again") from None
        config = folder / f"{number}.pbtxt"
        config.write_text(_config_text(path, name, model, max_batch_size), encoding="utf-8")
        version = source.version or 1
        files = {f"{version}/model.onnx": path, CONFIG: config}
        files |= {f"{version}/{each}": path.parent / each for each in model.external}
        for inside, file in files.items():
            if not file.is_file():
                raise Mistake(f"{path} has weights in {file}, which is not there; put it there")
            place = safe_name(f"{name}/{inside}")
            before = found.setdefault(place, file)
            if before != file and (inside != CONFIG or before.read_bytes() != file.read_bytes()):
                raise Mistake(
                    f"{path}: the archive has another {place} already; give the model a name or a "
                    "version of its own, NAME/VERSION=PATH; all versions take and give the same"
                )
    return Plan(
        entries=tuple(Entry(name, found[name], found[name].stat()) for name in sorted(found))
    )


def _config_text(path: Path, name: str, model: OnnxModel, most: int) -> str:
    for key, tensor in (*model.inputs.items(), *model.outputs.items()):
        if not tensor.dtype:
            raise Mistake(
                f"{path}: {key!r} is no tensor that Triton serves, such as a list of maps; export "
                "the model without it (skl2onnx: zipmap=False)"
            )
        if tensor.shape is None:
            raise Mistake(f"{path}: {key!r} has no shape; write it with onnx.shape_inference first")
        if most > 0 and key in unbatched(model):
            raise Mistake(
                f"{path}: {key!r} has the shape {_sizes(tensor.shape)}; batches need an open first "
                "size in all inputs and outputs: leave --max-batch-size out, or export it so"
            )
    lines = [f"name: {_quoted(name)}", f'backend: "{ONNXRUNTIME}"', f"max_batch_size: {most}"]
    if most > 1:
        lines.append("dynamic_batching { }")
    lines += [f"input {{ {_tensor_text(io)} }}" for io in _filled(model.inputs, most)]
    lines += [f"output {{ {_tensor_text(io)} }}" for io in _filled(model.outputs, most)]
    return "\n".join(lines) + "\n"


def _tensor_text(io: TensorConfig) -> str:
    reshape = "" if io.reshape is None else f" reshape {{ shape: {[*io.reshape]} }}"
    dtype = _CONFIG_TYPES.get(io.dtype, io.dtype)
    return f"name: {_quoted(io.name)} data_type: TYPE_{dtype} dims: {[*io.dims]}{reshape}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _filled(tensors: Mapping[str, Tensor], most: int) -> tuple[TensorConfig, ...]:
    """A model's tensors as a config: without the batch, and never without a size."""
    filled = []
    for name, tensor in tensors.items():
        dims = tuple(-1 if size is None else size for size in tensor.shape or ())
        dims = dims[1:] if most > 0 else dims
        filled.append(
            TensorConfig(
                name=name,
                dtype=tensor.dtype,
                dims=dims or (1,),
                reshape=() if not dims and most > 0 else None,
            )
        )
    return tuple(filled)


def _given(block: Block) -> TensorConfig:
    dtype = block.get("data_type", "TYPE_INVALID").removeprefix("TYPE_")
    return TensorConfig(
        name=block.get("name", ""),
        dtype="BYTES" if dtype == "STRING" else dtype,
        dims=tuple(block.get("dims", ())),
        reshape=tuple(block["reshape"].get("shape", ())) if "reshape" in block else None,
        optional=block.get("optional", False),
        line=block.line,
    )


def _sizes(shape: Iterable[int | None]) -> str:
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


_CONFIG_TYPES = {"BYTES": "STRING"}
"""The one type that configs call otherwise than the protocol."""
