"""What a model archive, or the folder that becomes one, holds."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeVar

from sagemaker_serving.archive import bundle, protobuf
from sagemaker_serving.archive.frozen_graph import FrozenGraph, read_frozen_graph
from sagemaker_serving.archive.handlers import SCRIPT, Script, read_script
from sagemaker_serving.archive.inflate import Inflated, Readable
from sagemaker_serving.archive.keras_file import KerasModel, read_h5, read_keras
from sagemaker_serving.archive.limits import Limits
from sagemaker_serving.archive.members import Kind, read_members
from sagemaker_serving.archive.onnx_model import OnnxModel, read_onnx
from sagemaker_serving.archive.refusals import UnreadableArtifact, absent
from sagemaker_serving.archive.saved_model import SavedModel, read_saved_model
from sagemaker_serving.archive.sources import LEFT_OUT, Plan, Sources, plan
from sagemaker_serving.archive.text_graph import may_be_text_graph, read_text_graph
from sagemaker_serving.archive.torch_script import TorchScript, read_torch_script
from sagemaker_serving.archive.tree import SkippingFile
from sagemaker_serving.archive.xgboost_model import XgboostModel, read_xgboost
from sagemaker_serving.progress import WatchedFile

SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")
REQUIREMENTS = "code/requirements.txt"
_LONGEST_TEXT = 1 << 20
_LONGEST_POINTER = 1023
"""Bytes of what stands for a file that Git LFS has not fetched (git-lfs/docs/spec.md)."""
_NO_GRAPHS = {*SAVED_MODEL, *LEFT_OUT}


def read_contents(path: Path, limits: Limits | None = None) -> ArchiveContents:
    """What the archive made of ``path`` holds; ``path`` is a folder, a model file or a ``.tar.gz``.

    An archive is streamed to its end, never unpacked. A file that is converted
    when it is packed (``.keras``, ``.h5``, a frozen ``.pb`` or ``.pbtxt``) has the layout that
    it will have, and no signatures; what the file itself tells stands under its
    own name. Raises `UnreadableArtifact` when there is nothing at ``path`` and
    for whatever `Refusal` names; ``limits`` default to `Limits.of_this_shell`.
    """
    return contents_of(path, limits=limits)


def contents_of(
    sources: Sources | Plan, *, convert: bool = True, limits: Limits | None = None
) -> ArchiveContents:
    """What the archive made of all ``sources`` holds; see `read_contents` and `build_archive`."""
    try:
        planned = sources if isinstance(sources, Plan) else plan(sources, convert=convert)
        return _contents_of(planned, limits)
    except OSError as error:
        raise UnreadableArtifact(f"{error.filename} cannot be read: {error.strerror}") from None


def _contents_of(planned: Plan, limits: Limits | None) -> ArchiveContents:
    if planned.ready is not None:
        with WatchedFile(planned.ready) as stream:
            return read_stream(stream, str(planned.ready), limits)
    reading = _Reading()
    for entry in planned.entries:
        with entry.path.open("rb") as stream:
            reading.file(entry.name, entry.size, SkippingFile(stream))
    for conversion in planned.conversions:
        for name in ("saved_model.pb", "variables/variables.index"):
            reading.files[f"{conversion.name}/{name}"] = 0
        with conversion.source.open("rb") as stream:
            size = conversion.source.stat().st_size
            reading.look_into(conversion.source.name, size, SkippingFile(stream))
    return reading.contents(
        converted={c.source.name: c.source.stat().st_size for c in planned.conversions},
    )


def read_stream(stream: Readable, name: str, limits: Limits | None = None) -> ArchiveContents:
    """What the ``.tar.gz`` in ``stream`` holds; ``name`` is what messages call it.

    Reads to the end and keeps no more than 64 KiB of a file in memory, scripts
    and the ends of PyTorch's and Keras's files apart (5 MiB), and an index of
    variables (64 MiB). Raises `UnreadableArtifact`; what ``stream`` itself
    raises passes.
    """
    allowed = limits if limits is not None else Limits.of_this_shell()
    inflated = Inflated(stream, name, allowed)
    reading = _Reading()
    for member in read_members(inflated, allowed):
        if member.kind is Kind.FILE:
            reading.file(member.name, member.size, member.content)
        elif member.kind is Kind.LINK:
            reading.links.append(member.name)
    return reading.contents(packed_size=inflated.packed_bytes)


@dataclass(frozen=True, kw_only=True)
class ArchiveContents:
    """The files of an archive: name inside the archive to size in bytes, unpacked.

    ``saved_models`` and ``graphs`` hold what could be read of each
    ``saved_model.pb`` and each other ``.pb``, None for what is neither, and each graph as text;
    ``traced`` what each ``.pt`` and ``.pth`` says that is TorchScript, None of others;
    ``keras`` each ``.keras`` and ``.h5``, ``onnx`` each ``.onnx``, and ``xgboost`` each file of
    XGBoost's, None for what is none;
    ``triton_configs`` the text of each ``config.pbtxt``;
    ``scripts`` are the Python files in ``code/`` itself by name, and ``requirements`` the lines of
    ``code/requirements.txt``, ``applications`` what ``config.yaml`` has Ray
    Serve import ("deployment:app"), None without one. ``links`` are links within the
    archive; ``converted`` the files that are converted when it is packed, with their bytes;
    ``damaged`` what is wrong with files of variables that are cut off or no such files, and with
    what Git LFS has not fetched; and what to do;
    ``packed_size`` the archive's bytes, None for a folder.
    """

    files: dict[str, int]
    links: tuple[str, ...] = ()
    saved_models: dict[str, SavedModel | None] = field(default_factory=dict)
    graphs: dict[str, FrozenGraph | None] = field(default_factory=dict)
    traced: dict[str, TorchScript | None] = field(default_factory=dict)
    keras: dict[str, KerasModel | None] = field(default_factory=dict)
    onnx: dict[str, OnnxModel | None] = field(default_factory=dict)
    xgboost: dict[str, XgboostModel | None] = field(default_factory=dict)
    triton_configs: dict[str, str] = field(default_factory=dict)
    scripts: dict[str, Script] = field(default_factory=dict)
    requirements: tuple[str, ...] | None = None
    applications: tuple[str, ...] | None = None
    converted: dict[str, int] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)
    packed_size: int | None = field(default=None, compare=False)

    @property
    def script(self) -> Script | None:
        """``code/inference.py``, which containers call unless a variable names another."""
        return self.scripts.get(SCRIPT)

    @property
    def models(self) -> tuple[ModelVersion, ...]:
        """The SavedModels where TensorFlow Serving looks: ``[name/]<digits>/saved_model.pb``."""
        found = (
            ModelVersion(model=path.parent.parent.name or "model", version=int(path.parent.name))
            for path in map(PurePosixPath, self.files)
            if path.name == "saved_model.pb" and is_version(path.parent.name)
        )
        return tuple(sorted(found, key=lambda found: (found.model, found.version)))

    @property
    def misplaced_models(self) -> tuple[str, ...]:
        """SavedModels that TensorFlow Serving would not find, by their folder."""
        return tuple(
            str(path.parent)
            for path in map(PurePosixPath, self.files)
            if path.name in SAVED_MODEL and not is_version(path.parent.name)
        )

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The frameworks whose files it holds, the likeliest first; see `frameworks_of`.

        A ``.json`` tells only by its content that it is XGBoost's.
        """
        return frameworks_of(self.files) or (("xgboost",) if self.xgboost else ())

    @property
    def has_lib(self) -> bool:
        """Whether there is a ``code/lib/``, which makes the container ignore requirements.txt."""
        return any(name.startswith("code/lib/") for name in self.files)

    @property
    def size(self) -> int:
        """Bytes of all files, unpacked."""
        return sum(self.files.values())


@dataclass(frozen=True)
class ModelVersion:
    """One SavedModel in an archive: the name and version that requests call it by."""

    model: str
    version: int


def is_version(name: str) -> bool:
    """Whether a folder called ``name`` holds a version: ASCII digits, nothing else."""
    return re.fullmatch(r"[0-9]+", name) is not None


_T = TypeVar("_T")


class _Reading:
    """What is gathered while files pass by in any order."""

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.links: list[str] = []
        self._found = ArchiveContents(files=self.files)
        self._requirements: tuple[str, ...] | None = None
        self._applications: tuple[str, ...] | None = None
        self._sizes: dict[str, int] = {}

    def file(self, name: str, size: int, content: protobuf.Source) -> None:
        """A file of the archive."""
        self.files[name] = size
        self.look_into(name, size, content)

    def look_into(self, name: str, size: int, content: protobuf.Source) -> None:
        """What a file tells, in the archive or before it is converted."""
        if size <= _LONGEST_POINTER:
            head = content.read(size)
            found = absent(head) if head else None
            if found is not None:
                self._found.damaged[name] = f"it is {found}"
                return
            content = SkippingFile(io.BytesIO(head))
        last = PurePosixPath(name).name
        if last == "saved_model.pb":
            self._found.saved_models[name] = _parsed(read_saved_model, content, size)
        elif last.endswith(".pb") and last not in _NO_GRAPHS:
            self._found.graphs[name] = _parsed(read_frozen_graph, content, size)
        elif may_be_text_graph(last):
            graph = _parsed(read_text_graph, content, size)
            if graph is not None:
                self._found.graphs[name] = graph
        elif name.endswith("variables/variables.index") and size <= bundle.LARGEST_INDEX:
            self._variables(name, content.read(size))
        elif last.endswith((".pt", ".pth")):
            self._found.traced[name] = read_torch_script(content, size)
        elif last.endswith(".keras"):
            self._found.keras[name] = _parsed(read_keras, content, size)
        elif last.endswith(".h5"):
            self._found.keras[name] = _parsed(read_h5, content, size)
        elif last.endswith(".onnx"):
            self._found.onnx[name] = _parsed(read_onnx, content, size)
        elif last.endswith(".ubj"):
            self._found.xgboost[name] = _parsed(partial(read_xgboost, is_saved=True), content, size)
        elif last.endswith(".json"):
            model = _parsed(partial(read_xgboost, is_saved=True), content, size)
            if model is not None:
                self._found.xgboost[name] = model
        elif last == "xgboost-model":
            self._found.xgboost[name] = read_xgboost(content, size, is_saved=False)
        elif last == "config.pbtxt" and size <= _LONGEST_TEXT:
            self._found.triton_configs[name] = content.read(size).decode("utf-8", "replace")
        elif re.fullmatch(r"code/[^/]+\.py", name) and size <= _LONGEST_TEXT:
            self._found.scripts[name] = read_script(content.read(size))
        elif name == REQUIREMENTS and size <= _LONGEST_TEXT:
            text = content.read(size).decode("utf-8", "replace")
            self._requirements = tuple(_meaningful(text))
        elif name == CONFIG and size <= _LONGEST_TEXT:
            self._applications = read_applications(content.read(size))

    def _variables(self, name: str, index: bytes) -> None:
        folder = name.removesuffix("variables.index")
        try:
            sizes = bundle.shard_sizes(index)
        except protobuf.Malformed as error:
            self._found.damaged[name] = f"{error}; export or copy the model again"
        else:
            self._sizes |= {folder + shard: size for shard, size in sizes.items()}

    def contents(
        self, *, converted: dict[str, int] | None = None, packed_size: int | None = None
    ) -> ArchiveContents:
        for name, end in self._sizes.items():
            if name in self.files and self.files[name] != end:
                self._found.damaged.setdefault(
                    name,
                    f"it has {self.files[name]} bytes, and the tensors in variables.index end at "
                    f"{end}; export or copy the model again",
                )
        return replace(
            self._found,
            links=tuple(self.links),
            requirements=self._requirements,
            applications=self._applications,
            converted=converted if converted is not None else {},
            packed_size=packed_size,
        )


def _parsed(
    read: Callable[[protobuf.Source, int], _T], content: protobuf.Source, size: int
) -> _T | None:
    try:
        return read(content, size)
    except protobuf.Malformed:
        return None


def _meaningful(text: str) -> Iterator[str]:
    for line in text.splitlines():
        stripped = re.sub(r"(^|\s)#.*", "", line).strip()
        if stripped:
            yield stripped


CONFIG = "config.yaml"


def read_applications(text: bytes) -> tuple[str, ...]:
    """The ``import_path`` of each application ("deployment:app"), empty where it names none.

    Source: ray 2.60, serve/schema.py, ServeDeploySchema.
    """
    import yaml

    try:
        found = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return ()
    applications = found.get("applications") if isinstance(found, dict) else None
    paths = [
        each.get("import_path")
        for each in (applications if isinstance(applications, list) else ())
        if isinstance(each, dict)
    ]
    return tuple(path for path in paths if isinstance(path, str))


def frameworks_of(names: Iterable[str]) -> tuple[str, ...]:
    """The frameworks whose files are among ``names``, the likeliest first.

    "tensorflow" for SavedModels and graphs, "pytorch", "mxnet", "onnx",
    "xgboost", "keras" for their own files, "neo" for what SageMaker Neo has
    compiled, "sagemaker-tritonserver" for a model repository of Triton's,
    "ray-serve" for an application of Ray Serve's, "huggingface" for what ``save_pretrained``
    writes, "sklearn" for joblib's files and skops'. Files below ``code/`` and ``variables/`` do not
    count.
    """
    found: dict[str, None] = {}
    paths = [PurePosixPath(name) for name in names]
    folders = {path.parent for path in paths if path.name in _CONFIGS and _counts(path)}
    if any(path.parent in folders and _PRETRAINED.fullmatch(path.name) for path in paths):
        found["huggingface"] = None
    if set(paths) >= _RAY_SERVE:
        return ("ray-serve",)
    for framework, patterns in _FILES.items():
        if any(path.match(pattern) for path in paths if _counts(path) for pattern in patterns):
            found[framework] = None
    for alone in ("neo", "sagemaker-tritonserver"):
        if alone in found:
            return (alone,)
    return tuple(found)


def _counts(path: PurePosixPath) -> bool:
    return path.parts[0] != "code" and "variables" not in path.parts


_RAY_SERVE = {PurePosixPath("config.yaml"), PurePosixPath("deployment.py")}
_CONFIGS = ("config.json", "model_index.json")
_PRETRAINED = re.compile(
    r"(model|pytorch_model)[^/]*[.](safetensors|bin)(?:[.]index[.]json)?|tf_model[.]h5|"
    r"model_index[.]json"
)
_FILES = {
    "neo": ("compiled.params", "compiled_model.json", "compiled.so", "dlr.h"),
    "sagemaker-tritonserver": ("*/config.pbtxt", "*/[0-9]*/model.onnx"),
    "tensorflow": ("saved_model.pb", "saved_model.pbtxt", "*.pb", "*.pbtxt"),
    "pytorch": ("*.pth", "*.pt"),
    "mxnet": ("*-symbol.json", "*.params"),
    "onnx": ("*.onnx",),
    "keras": ("*.keras", "*.h5"),
    "xgboost": ("*.model", "xgboost-model", "*.ubj"),
    "sklearn": ("*.joblib", "*.skops"),
}
