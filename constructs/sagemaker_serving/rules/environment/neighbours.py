"""The other environment files of an app, as far as their names may collide with this one's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sagemaker_serving.errors import ReportedError
from sagemaker_serving.rules.facts import NeighbourFacts
from sagemaker_serving.spec.inheritance import read_with_bases

_FOLDER = "environments"
_NAME = re.compile(r"^name:[ \t]*[\"']?([^\s\"'#]*)", re.M)


def neighbours(
    path: Path, name: str | None, existing: Sequence[str] = ()
) -> Iterator[NeighbourFacts]:
    """The files beside ``path`` that an app builds together with it, and whose names come near.

    Those are the ones of a folder ``environments``, as `app.py` reads them: none that begins with
    ``_``. A name comes near when it is the same, or one begins with the other. So does a file that
    may make, or names, one of the endpoints ``existing``. Only such files are read whole. One that
    cannot be read is told when it is checked itself.
    """
    folder = path.absolute().parent
    if name is None or folder.name != _FOLDER or path.name.startswith("_"):
        return
    for other in sorted(folder.glob("[!_]*.yaml")):
        if other.name != path.name and _comes_near(other, name, existing):
            yield from _read(other)


def names_beside(path: Path) -> set[str] | None:
    """The names of all environments of the app that ``path`` is of; None where nobody knows, as of
    a file that stands elsewhere, or beside one that cannot be read."""
    folder = path.absolute().parent
    if folder.name != _FOLDER:
        return None
    files = sorted(folder.glob("[!_]*.yaml"))
    named = [found.name for file in files for found in _read(file)]
    return set(named) if len(named) == len(files) else None


def _comes_near(path: Path, name: str, existing: Sequence[str]) -> bool:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    found = _NAME.search(text)
    if found is None:
        return True  # its base may say it
    mine, other = name.lower(), found[1].lower()
    return (
        mine == other
        or mine.startswith(f"{other}-")
        or other.startswith(f"{mine}-")
        or any(each.lower().startswith(f"{other}-") or each in text for each in existing)
    )


def _read(path: Path) -> Iterator[NeighbourFacts]:
    try:
        data, _, _ = read_with_bases(path)
    except ReportedError:
        return
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        return
    models = data["models"] if isinstance(data.get("models"), dict) else {}
    yield NeighbourFacts(
        file=path.name,
        name=data["name"],
        region=_text(data.get("region")),
        account=_text(data.get("account")),
        models=(*models, "Storage"),
        existing=tuple(_existing(models)),
    )


def _existing(models: dict[str, object]) -> Iterator[str]:
    for model in models.values():
        endpoint = model.get("endpoint") if isinstance(model, dict) else None
        existing = endpoint.get("existing") if isinstance(endpoint, dict) else None
        if isinstance(existing, str):
            yield existing


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
