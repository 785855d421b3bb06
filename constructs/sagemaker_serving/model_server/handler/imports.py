"""What the user's code can import: what the image has, and what the archive brings."""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from sagemaker_serving.archive.image_modules import image_modules, package_of, standard_modules

log = logging.getLogger("handler")

_HERE = Path(__file__).parents[3]
_OURS = (f"{_HERE}/", f"{sys.prefix}/", f"{sys.base_prefix}/")


def import_as_the_image(version: str | None, user_paths: Sequence[str]) -> None:
    """Let imports of the user's code find what the image of a framework version has, and its own.

    ``user_paths`` are ``code/``, ``code/lib`` and what requirements.txt installed. What this
    environment's packages import themselves is looked for as ever: their versions may differ
    from the image's, and so may what they need.
    """
    sys.meta_path[sys.meta_path.index(PathFinder)] = _ImageFinder(version, list(user_paths))


def let_import(folder: Path) -> None:
    """Put a folder of the user's code at the end of the import path."""
    sys.path.append(str(folder))
    for finder in sys.meta_path:
        if isinstance(finder, _ImageFinder):
            finder.user_paths.append(str(folder))


class _ImageFinder:
    """`PathFinder`, but that the user's code finds no package which the image has not."""

    def __init__(self, version: str | None, user_paths: list[str]) -> None:
        self._of_image = image_modules(version).keys()
        self._standard = standard_modules(version)
        self.user_paths = user_paths

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        in_image = name in self._of_image
        if path is not None or in_image or name in self._standard:
            spec = PathFinder.find_spec(name, path, target)
            if spec is None and path is None and in_image and self._is_the_user_s():
                self._advise(name, "which the image has and this machine has not: pip install")
            return spec
        spec = PathFinder.find_spec(name, self.user_paths, target)
        if spec is not None or not self._is_the_user_s():
            return spec or PathFinder.find_spec(name, path, target)
        self._advise(name, "which the image has not: put into code/requirements.txt")
        return None

    def invalidate_caches(self) -> None:
        PathFinder.invalidate_caches()

    def _is_the_user_s(self) -> bool:
        """Whether the code that imports is none of this environment's."""
        frame = sys._getframe(2)
        while frame is not None and _passes_on(frame.f_code.co_filename):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None:
            return False
        importer = frame.f_code.co_filename
        own = any(importer.startswith(f"{path}/") for path in self.user_paths if path)
        return own or not importer.startswith(_OURS)

    def _advise(self, name: str, what: str) -> None:
        log.warning("the code imports %s, %s %s", name, what, package_of(name))


def _passes_on(filename: str) -> bool:
    """Whether a frame only imports what another one asked for."""
    return filename.startswith("<frozen ") or filename == importlib.__file__
