"""From what the user has to the entries of its archive: where each file goes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from sagemaker_serving.archive.names import safe_name
from sagemaker_serving.archive.refusals import (
    POINTER,
    Refusal,
    UnreadableArtifact,
    absent,
    shown,
)
from sagemaker_serving.archive.text_graph import begins_text_graph, may_be_text_graph
from sagemaker_serving.archive.tree import Entry, walk
from sagemaker_serving.errors import Mistake

CONVERTED = (".keras", ".h5", ".pb")
"""Files that TensorFlow turns into a SavedModel when they are packed, beside graphs as text."""

_CONVERTED_FOR_NEO = (".pb",)
"""The same of what SageMaker Neo is to compile: it takes a frozen graph, too, but nothing serves
what it makes of one."""

_AS_THEY_ARE = (".pth", ".pt", ".onnx", ".params", ".model", ".ubj", ".json", ".pbtxt")
_CODE = ("inference.py", "requirements.txt")
_LONGEST_HEAD = 1 << 16
_SOURCE = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(/(?P<version>[0-9]+))?=(?P<path>.+)")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A path, and perhaps the model's name and version that it is to have in the archive.

    ``inside`` is a file's whole name there, where the layout does not tell it.
    """

    path: Path
    name: str | None = None
    version: int | None = None
    inside: str | None = None


Sources = Path | Sequence[Path | Source]
"""What one archive is made of."""


def parse_source(text: str, folder: Path = Path()) -> Source:
    """Reads ``[NAME[/VERSION]=]PATH``, the path below ``folder`` unless it is absolute.

    What exists as a path is one, whatever it is called.
    """
    match = _SOURCE.fullmatch(text)
    if match is None or (folder / text).exists():
        return Source(path=folder / text)
    version = match["version"]
    return Source(
        path=folder / match["path"],
        name=match["name"],
        version=int(version) if version is not None else None,
    )


@dataclass(frozen=True, kw_only=True)
class Tensors:
    """The names of a frozen graph's inputs and outputs ("x" or "x:0"); empty: to be guessed."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """A file to be turned into the SavedModel ``name`` ("digits/1") of the archive."""

    source: Path
    name: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What an archive will hold: entries sorted by name and conversions, or a ready archive."""

    entries: tuple[Entry, ...] = ()
    conversions: tuple[Conversion, ...] = ()
    ready: Path | None = None


def plan(sources: Sources, *, convert: bool = True, versions_on_top: bool = False) -> Plan:
    """Where everything in ``sources`` goes.

    A ready archive must stand alone. A folder with nothing but Keras models or frozen graphs, and
    perhaps code for them, is taken as if each stood here by itself. With ``convert`` false,
    Keras models stay what they are, as SageMaker Neo wants them, and the other ``.pb`` files
    beside a SavedModel's graph stay out: it takes exactly one (the rule ``neo-files``). With
    ``versions_on_top`` the only SavedModel's versions have no folder around them, as TensorFlow
    Serving wants it in multi-model mode (the rule ``artifact-multi-model-layout``). Raises
    `UnreadableArtifact` when there are no sources or nothing at a path, when two files would
    have one name, and for what may not be packed.
    """
    each = [sources] if isinstance(sources, Path) else sources
    named = [source if isinstance(source, Source) else Source(path=source) for source in each]
    if not named:
        raise UnreadableArtifact("there is nothing to pack; give a model's file or folder")
    for source in named:
        if source.path.parts[:1] in (("http:",), ("https:",)):
            raise UnreadableArtifact(f"{source.path} is an address; download it, and give the file")
        if not source.path.exists():
            note = source.path.with_name(f"{source.path.name}.dvc")
            fetched = f" but DVC's note of it; `dvc pull {note}` gets it" if note.is_file() else ""
            raise UnreadableArtifact(f"there is nothing at {source.path}{fetched}")
        if not (source.path.is_file() or source.path.is_dir()):
            raise UnreadableArtifact(f"{source.path} is no file and no folder; give a model's")
    converted = CONVERTED if convert else _CONVERTED_FOR_NEO
    given = [part for source in named for part in _parts(source, converted)]
    for source in given:
        if source.inside is None:
            _must_be_here(source.path)
    first = given[0].path
    if len(given) == 1 and given[0].inside is None and first.is_file() and _is_alone(first):
        return Plan(ready=first)
    entries: list[Entry] = []
    conversions: list[Conversion] = []
    for source in given:
        if source.inside is not None:
            entries.append(Entry(safe_name(source.inside), source.path, source.path.stat()))
        elif source.path.is_dir():
            entries += _folder(source, alone=len(given) == 1)
        elif _is_converted(source.path, converted):
            conversions.append(_conversion(source))
        else:
            entries.append(_file(source.path))
    if not convert:
        entries = [entry for entry in entries if entry.name.rpartition("/")[2] not in LEFT_OUT]
    if not entries and not conversions:
        raise UnreadableArtifact(f"{given[0].path} holds no file")
    if versions_on_top:
        entries, conversions = _with_versions_on_top(entries, conversions)
    _must_differ([*(entry.name for entry in entries), *(c.name for c in conversions)])
    return Plan(
        entries=tuple(sorted(entries, key=lambda entry: entry.name)),
        conversions=tuple(conversions),
    )


def _must_be_here(path: Path) -> None:
    if path.is_file() and path.name not in _CODE:
        with path.open("rb") as stream:
            found = absent(stream.read(len(POINTER)))
        if found is not None:
            raise UnreadableArtifact(f"{path} is {found}", Refusal.DAMAGED)


LEFT_OUT = ("fingerprint.pb", "keras_metadata.pb")
"""Files with a SavedModel that end in ``.pb`` and are no graph."""


def _with_versions_on_top(
    entries: list[Entry], conversions: list[Conversion]
) -> tuple[list[Entry], list[Conversion]]:
    """Without the folder of the model, if there is one model, and it has one.

    What lies beside it in that folder comes along, so that no file is lost from view.
    """
    folders = [PurePosixPath(e.name).parent for e in entries if e.name.endswith("/saved_model.pb")]
    folders += [PurePosixPath(conversion.name) for conversion in conversions]
    models = {f"{folder.parent}/" for folder in folders if re.fullmatch(r"[0-9]+", folder.name)}
    if len(models) != 1 or models == {"./"}:
        return entries, conversions
    (model,) = models
    return (
        [replace(entry, name=entry.name.removeprefix(model)) for entry in entries],
        [replace(each, name=each.name.removeprefix(model)) for each in conversions],
    )


def _is_alone(path: Path) -> bool:
    """Whether a single file is to be taken as a ready archive (and refused if it is none)."""
    return path.suffix not in (*CONVERTED, *_AS_THEY_ARE) and path.name != "xgboost-model"


def _parts(source: Source, converted: Sequence[str]) -> list[Source]:
    """The models and the code of a folder that has to be converted; else ``source`` itself."""
    if source.inside is not None or not source.path.is_dir():
        return [source]
    here = sorted(source.path.iterdir())
    models = [path for path in here if path.is_file() and _is_converted(path, converted)]
    code = [path for path in here if path.name in (*_CODE, "code")]
    if not models or _is_saved_model(source.path) or len(models) + len(code) < len(here):
        return [source]
    if source.name is not None and len(models) > 1:
        raise Mistake(
            f"{source.name}={source.path}: the folder has {len(models)} models, which one name "
            f"does not hold: {', '.join(path.name for path in models)}; give each by itself"
        )
    return [*(replace(source, path=path) for path in models), *(Source(path=p) for p in code)]


def _is_converted(path: Path, suffixes: Sequence[str]) -> bool:
    if not may_be_text_graph(path.name):
        return path.suffix in suffixes
    with path.open("rb") as stream:
        return begins_text_graph(stream.read(_LONGEST_HEAD))


def _file(path: Path) -> Entry:
    if path.name == "saved_model.pb":
        raise UnreadableArtifact(f"{path} is part of a SavedModel; give its folder, {path.parent}")
    name = f"code/{path.name}" if path.name in _CODE else path.name
    if path.name not in _CODE and _is_alone(path):
        raise UnreadableArtifact(
            f"{path} cannot stand beside other sources; give models, "
            f"{' or '.join(_CODE)}, a code/ folder, or one ready archive alone"
        )
    return Entry(safe_name(name), path, path.stat())


def _conversion(source: Source) -> Conversion:
    if source.path.name == "saved_model.pb":
        raise UnreadableArtifact(
            f"{source.path} is part of a SavedModel; give its folder, {source.path.parent}"
        )
    name = source.name if source.name is not None else source.path.stem
    return Conversion(source=source.path, name=safe_name(f"{name}/{_version(source, 1)}"))


def _folder(source: Source, *, alone: bool) -> Iterator[Entry]:
    folder = source.path.resolve()
    for entry in walk(source.path):
        name = entry.name
        if _is_saved_model(folder):
            if not name.startswith("code/"):
                name = f"{_name(source)}/{_version(source, _number(folder.name, 1))}/{name}"
        elif (folder / "export" / "Servo").is_dir() and name.startswith("export/Servo/"):
            name = f"{_name(source)}/{name.removeprefix('export/Servo/')}"
        elif source.name is not None or (not alone and _holds_versions(folder)):
            _must_hold_versions(source, folder)
            if not name.startswith("code/"):
                name = f"{_name(source)}/{name}"
        elif not alone and _is_code(folder):
            name = f"code/{name}"
        yield Entry(safe_name(name), entry.path, entry.status)


def _name(source: Source) -> str:
    """The model's name: as given, or the nearest folder's that is neither a number nor Servo."""
    if source.name is not None:
        return source.name
    names = [part for part in reversed(source.path.resolve().parts) if part != os.sep]
    if names[:1] and names[0].isdigit():
        names = names[1:]
        if names[:2] == ["Servo", "export"]:
            names = names[2:]
    return names[0] if names else "model"


def _version(source: Source, otherwise: int) -> int:
    return source.version if source.version is not None else otherwise


def _number(name: str, otherwise: int) -> int:
    return int(name) if re.fullmatch(r"[0-9]{1,18}", name) else otherwise


def _is_saved_model(folder: Path) -> bool:
    return (folder / "saved_model.pb").is_file()


def _holds_versions(folder: Path) -> bool:
    return any(
        re.fullmatch(r"[0-9]+", path.name) and _is_saved_model(path) for path in folder.iterdir()
    )


def _must_hold_versions(source: Source, folder: Path) -> None:
    if not _holds_versions(folder):
        raise Mistake(
            f"{source.name}={source.path}: neither the folder nor a version folder such as 1/ "
            "in it holds saved_model.pb; a name takes a SavedModel or the folder of its versions"
        )
    if source.version is not None:
        raise Mistake(
            f"{source.name}/{source.version}={source.path}: the folder has versions of its own; "
            f"give {source.name}={source.path}, or one version's folder"
        )


def _is_code(folder: Path) -> bool:
    return folder.name == "code" or any((folder / name).is_file() for name in _CODE)


def _must_differ(names: Iterable[str]) -> None:
    seen: set[str] = set()
    parents: set[str] = set()
    for name in names:
        if name in seen or name in parents:
            _refuse(name)
        seen.add(name)
        for parent in PurePosixPath(name).parents:
            if str(parent) in seen:
                _refuse(str(parent))
            parents.add(str(parent))


def _refuse(name: str) -> None:
    raise UnreadableArtifact(
        f"two sources would be {shown(name)} in the archive; give one of them another name or "
        "version: NAME/VERSION=PATH",
        Refusal.DUPLICATE,
    )
