"""What a model folder holds: SavedModels by name and version, and the user's code.

The rules are those of the container's start script: it looks below
``/opt/ml/model``, which the folder stands for here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.errors import Mistake

EXPECTED_LAYOUT = (
    "<model name>/<version number>/saved_model.pb, or <version number>/saved_model.pb at the top"
)


@dataclass(frozen=True)
class Model:
    """A model's name, the folder that holds its versions, and their numbers, ascending."""

    name: str
    base_path: Path
    versions: dict[int, Path]


@dataclass(frozen=True)
class Code:
    """The ``code/`` folder of a model; each part may be missing."""

    folder: Path

    @property
    def script(self) -> Path:
        """``inference.py``."""
        return self.folder / "inference.py"

    @property
    def requirements(self) -> Path:
        """``requirements.txt``."""
        return self.folder / "requirements.txt"

    @property
    def lib(self) -> Path:
        """``lib/``, which goes on the import path and makes requirements.txt ignored."""
        return self.folder / "lib"

    def has_any(self, parts: Iterable[str]) -> bool:
        """Whether any of ``parts``, names in the folder, exists."""
        return any((self.folder / part).exists() for part in parts)


def find_models(model_dir: Path) -> list[Model]:
    """The models below ``model_dir``, in the order the container finds them.

    A model is the grandparent of a ``saved_model.pb`` whose parent is all
    digits; at the very top it is named ``model``, the name of the folder in
    the container. All its all-digit siblings are versions, whether or not
    they hold a SavedModel. Raises `Mistake` when there is none, and when two
    folders have the same name.
    """
    base_paths = dict.fromkeys(
        path.parent.parent
        for path in _saved_model_files(model_dir)
        if path.parent != model_dir and re.fullmatch(r"\d+", path.parent.name, re.ASCII)
    )
    if not base_paths:
        raise Mistake(f"no SavedModel bundles found! {model_dir} must hold {EXPECTED_LAYOUT}")
    models = [
        Model("model" if path == model_dir else path.name, path, find_versions(path))
        for path in base_paths
    ]
    _must_differ(models)
    return models


def model_config(models: list[Model]) -> str:
    """The text of TensorFlow Serving's model configuration, as the container writes it."""
    lines = ["model_config_list: {"]
    for model in models:
        lines += [
            "  config: {",
            f"    name: '{model.name}'",
            f"    base_path: '{model.base_path}'",
            "    model_platform: 'tensorflow'",
            "    model_version_policy: {",
            "      specific: {",
            *(f"        versions: {version}" for version in model.versions),
            "      }",
            "    }",
            "  }",
        ]
    return "\n".join([*lines, "}"])


def _must_differ(models: list[Model]) -> None:
    folders: dict[str, Path] = {}
    for model in models:
        if model.name in folders:
            raise Mistake(
                f"Illegal to list model {model.name} multiple times in config list: "
                f"{folders[model.name]} and {model.base_path}; rename one of them"
            )
        folders[model.name] = model.base_path


def find_versions(base_path: Path) -> dict[int, Path]:
    """A model's all-digit folders by number, ascending, whether or not they hold a SavedModel."""
    found = {
        int(entry.name): Path(entry.path)
        for entry in os.scandir(base_path)
        if re.fullmatch(r"\d+", entry.name, re.ASCII)
    }
    return dict(sorted(found.items()))


def _saved_model_files(folder: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        if entry.is_dir():
            yield from _saved_model_files(Path(entry.path))
        elif entry.name == "saved_model.pb":
            yield Path(entry.path)
