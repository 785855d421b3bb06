"""An environment file that is being written: its fields, and what is to be said beside them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import yaml

from sagemaker_serving.spec import Container, Environment, Model
from sagemaker_serving.spec.yaml_text import read_yaml

Path = tuple[str | int, ...]
_WIDTH = 96


class Draft:
    """The fields of a file by their paths (``models``, ``digits``, ``variants``, 0, ``name``).

    A remark becomes a comment above its field, or above what the field would stand in.
    """

    def __init__(self, name: str, region: str) -> None:
        self.data: dict[str, Any] = {"name": name, "region": region}
        self.remarks: dict[tuple[Path, str], None] = {}

    def get(self, path: Path) -> Any:
        """What stands at ``path``; None where nothing does."""
        here: Any = self.data
        for key in path:
            try:
                here = here[key]
            except (KeyError, IndexError, TypeError):
                return None
        return here

    def set(self, path: Path, value: Any) -> None:
        """Writes ``value`` at ``path``, with the mappings and lists on the way."""
        here: Any = self.data
        for key, following in pairwise(path):
            empty: Any = [] if isinstance(following, int) else {}
            here = _entry(here, key, empty)
        _entry(here, path[-1], None)
        here[path[-1]] = _plain(value)

    def remark(self, path: Path, text: str) -> None:
        """Says ``text`` of the field at ``path``, once."""
        self.remarks.setdefault((path, text))

    def lift(self, above: Path, parts: Sequence[Path]) -> None:
        """Moves fields of the container, and remarks, that all ``parts`` share to ``above``."""
        for field in Container.model_fields if parts else ():
            values = [self.get((*part, field)) for part in parts]
            if values[0] is not None and all(one == values[0] for one in values):
                self.set((*above, field), values[0])
                for part in parts:
                    del self.get(part)[field]
            said = {text for path, text in self.remarks if path == (*parts[0], field)}
            for text in said:
                each = [((*part, field), text) for part in parts]
                if all(one in self.remarks for one in each):
                    for one in each:
                        del self.remarks[one]
                    self.remark((*above, field), text)

    def text(self) -> str:
        """The file, its fields in the order in which docs/environment-files.md has them."""
        data = _ordered(self.data, Environment)
        models = data.get("models", {})
        data["models"] = {name: _ordered(model, Model) for name, model in models.items()}
        for model in data["models"].values():
            for field in ("variants", "shadow_variants"):
                if field in model:
                    model[field] = _named_first(model[field])
        lines = yaml.safe_dump(data, sort_keys=False, width=_WIDTH).splitlines()
        where = read_yaml("\n".join(lines), "")[1]
        above: dict[int, list[str]] = {}
        for path, said in self.remarks:
            length = len(path)
            while path[:length] not in where.lines:
                length -= 1
            absent = ".".join(map(str, path[length:]))
            above.setdefault(where.lines[path[:length]], []).append(
                f"{absent}: {said}" if absent else said
            )
        written = []
        for number, line in enumerate(lines, start=1):
            indent = " " * (len(line) - len(line.lstrip()))
            for said in above.get(number, ()):
                written += textwrap.wrap(
                    said,
                    _WIDTH,
                    initial_indent=f"{indent}# ",
                    subsequent_indent=f"{indent}#   ",
                    break_on_hyphens=False,
                )
            written.append(line)
        schema = "# yaml-language-server: $schema=environment.schema.json"
        return "\n".join([schema, *written, ""])


def _plain(value: Any) -> Any:
    """Lists and mappings of the plain types, which YAML can write."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _entry(here: Any, key: str | int, empty: Any) -> Any:
    if isinstance(key, int):
        here.extend({} for _ in range(key + 1 - len(here)))
        return here[key]
    return here.setdefault(key, empty)


def _ordered(fields: dict[str, Any], kind: type[Environment | Model]) -> dict[str, Any]:
    order = {name: number for number, name in enumerate(kind.model_fields)}
    return dict(sorted(fields.items(), key=lambda item: order.get(item[0], len(order))))


def _named_first(variants: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": one["name"], **one} if "name" in one else one for one in variants]
