"""What an environment file for one model is to say: found in the model, or packed for its image."""

from __future__ import annotations

import re
import shlex
import tempfile
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path

from sagemaker_serving.archive import (
    ArchiveContents,
    Source,
    Tensors,
    must_be_convertible,
    unpack,
)
from sagemaker_serving.cli.completing import FOLDER
from sagemaker_serving.cli.init.serving import Serving, framework_of, layout_of
from sagemaker_serving.cli.package import Server, pack
from sagemaker_serving.cli.scripted import readable
from sagemaker_serving.errors import Mistake
from sagemaker_serving.s3_address import is_s3

_COMMON = re.compile(r"(?i)(saved_?)?models?|exports?|servo|outputs?|artifacts?|weights|[0-9]+")
"""What tools call a model whose folder has a name of its own."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """A model on disk, what it holds, and the framework of the image that is to serve it."""

    path: Path
    contents: ArchiveContents
    framework: str
    tensors: Tensors
    """What of a frozen graph was asked for."""

    @property
    def size(self) -> int:
        """Bytes, unpacked; of what is converted those of the file."""
        return self.contents.size + sum(self.contents.converted.values())

    @property
    def name(self) -> str:
        """The model's, of letters, digits and hyphens: its file's, or that of the nearest folder
        that the user named."""
        last = self.path.name or self.path.resolve().name
        if self.path.is_file():
            last = last.removesuffix(".tar.gz").rpartition(".")[0] or last.removesuffix(".tar.gz")
        names = [last, *reversed(self.path.parts[:-1])]
        names = [re.sub(r"[^A-Za-z0-9]+", "-", _in_ascii(name)).strip("-") for name in names]
        own = next((name for name in names if name and not _COMMON.fullmatch(name)), "model")
        return own[:20].strip("-")


def _in_ascii(name: str) -> str:
    """``größe`` as ``grosse``: letters without their marks, where there are such letters."""
    return unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode()


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What the file is to say: ``name`` is the environment's, ``model`` the model's.

    ``contents`` are the artifact's; ``made_by`` is the command that makes it again, "" for one
    that was there.
    """

    name: str
    region: str
    model: str
    artifact: Path
    contents: ArchiveContents
    serving: Serving
    made_by: str = ""

    @property
    def endpoint(self) -> str:
        """The endpoint's name."""
        return f"{self.name}-{self.model}"


def look_into(model: str, framework: str | None, tensors: Tensors) -> Found:
    """What lies at ``model``; ``framework`` is the image's that the user asks for, and ``tensors``
    are the inputs and outputs.

    Raises `Mistake` for what cannot be read, and where no image follows from it.
    """
    if is_s3(model):
        raise Mistake(
            f"{model} is in S3; init looks into a model on this machine: copy it here with "
            "`aws s3 cp`, or write the file by hand with artifact: {s3: …}"
        )
    path = Path(model)
    contents = readable(path)
    if contents.damaged:
        told = "\n".join(f"{name} is damaged: {why}" for name, why in contents.damaged.items())
        raise Mistake(f"in {model} {told}")
    if tensors != Tensors() and not (contents.converted and contents.graphs):
        raise Mistake(f"{model} is no frozen graph, of which --input and --output name tensors")
    if contents.converted:
        must_be_convertible(path, tensors)
    served_by = framework_of(contents, model, framework)
    return Found(path=path, contents=contents, framework=served_by, tensors=tensors)


def environment_path(name: str) -> Path:
    """The file of the environment ``name``; raises `Mistake` for what is no name of one."""
    if not re.fullmatch(r"[A-Za-z]([A-Za-z0-9-]{0,38}[A-Za-z0-9])?", name):
        raise Mistake(
            f"name is {name!r}; an environment's name has at most 40 letters, digits and hyphens, "
            "a letter first"
        )
    return FOLDER / f"{name}.yaml"


def draft_of(found: Found, name: str, region: str, serving: Serving, *, force: bool) -> Draft:
    """What the file says of ``found``, which is packed first where its image has a layout, or
    where tensors of a frozen graph were named.

    Raises `ProblemsFound` for a model that this image would not serve, and `Mistake` where the
    archive exists and ``force`` is false.
    """
    draft = Draft(
        name=name,
        region=region,
        model=found.name,
        artifact=found.path,
        contents=found.contents,
        serving=serving,
    )
    server = layout_of(found.contents, serving.framework)
    if server is None and found.tensors == Tensors():
        return draft
    target = Path(f"{name}-{found.name}.tar.gz")
    if target.exists() and not force:
        raise Mistake(f"{target} exists; --force replaces it, --name NAME writes another")
    options = [] if server is None else ["--for", server]
    for option in ("input", "output"):
        for tensor in getattr(found.tensors, f"{option}s"):
            options += [f"--{option}", tensor]
    sources = [str(source.path) for source in _sources(found.path, server)]
    made_by = shlex.join(["sagemaker-serving", "package", *sources, *options, "-o", str(target)])
    return replace(
        draft,
        artifact=target,
        contents=_packed(found, target, server),
        made_by=made_by if found.contents.packed_size is None else "init",
    )


def _packed(found: Found, target: Path, server: Server | None) -> ArchiveContents:
    """What is in the archive; a finished one is unpacked first."""
    called = str(found.path)
    if found.contents.packed_size is None:
        return pack(
            _sources(found.path, server),
            target,
            called=called,
            server=server,
            tensors=found.tensors,
        ).contents
    with tempfile.TemporaryDirectory(prefix="sagemaker-serving-") as folder:
        with found.path.open("rb") as stream:
            unpack(stream, Path(folder), called)
        return pack(_sources(Path(folder), server), target, called=called, server=server).contents


def _sources(path: Path, server: Server | None) -> list[Source]:
    """What is packed for ``server``: of a folder for Triton its ONNX models alone."""
    files = sorted(path.rglob("*.onnx")) if server == "triton" and path.is_dir() else []
    return [Source(path=each) for each in files or [path]]
