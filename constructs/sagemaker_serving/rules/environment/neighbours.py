"""The other environment files of an app, as far as their names may collide with this one's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sagemaker_serving.errors import ReportedError
from sagemaker_serving.rules.facts import NeighbourFacts
from sagemaker_serving.spec.inheritance import read_with_bases

_FOLDER = "environments"
_NAME = re.compile(r"^name:[ \t]*[\"']?([^\s\"'#]*)", re.M)


def neighbours(path: Path, name: str | None) -> Iterator[NeighbourFacts]:
    """The files beside ``path`` that an app builds together with it, and whose names come near.

    Those are the ones of a folder ``environments``, as `app.py` reads them: none that begins with
    ``_``. A name comes near when it is the same, or one begins with the other; only such files are
    read whole. One that cannot be read is told when it is checked itself.
    """
    folder = path.absolute().parent
    if name is None or folder.name != _FOLDER or path.name.startswith("_"):
        return
    for other in sorted(folder.glob("[!_]*.yaml")):
        if other.name != path.name and _comes_near(other, name):
            yield from _read(other)


def _comes_near(path: Path, name: str) -> bool:
    try:
        found = _NAME.search(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return False
    if found is None:
        return True  # its base may say it
    mine, other = name.lower(), found[1].lower()
    return mine == other or mine.startswith(f"{other}-") or other.startswith(f"{mine}-")


def _read(path: Path) -> Iterator[NeighbourFacts]:
    try:
        data, _, _ = read_with_bases(path)
    except ReportedError:
        return
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        return
    models = data.get("models")
    yield NeighbourFacts(
        file=path.name,
        name=data["name"],
        region=_text(data.get("region")),
        account=_text(data.get("account")),
        models=(*(models if isinstance(models, dict) else ()), "Storage"),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
