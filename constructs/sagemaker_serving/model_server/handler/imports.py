"""What the user's code can import: what the image has, and what the archive brings."""

from __future__ import annotations

import logging
import re
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from types import ModuleType

from sagemaker_serving.archive.image_modules import image_modules, package_of, standard_modules

log = logging.getLogger("handler")

_STANDARD = f"{sysconfig.get_path('stdlib')}/"
_OURS = tuple(f"{folder}/" for folder in (Path(__file__).parents[3], sys.prefix, sys.base_prefix))
_ANY = DistributionFinder.Context()


def import_as_the_image(version: str | None, user_paths: Sequence[str]) -> None:
    """Let imports of the user's code find what the image of a framework version has, and its own.

    ``user_paths`` are ``code/``, ``code/lib`` and what requirements.txt installed; whatever is put
    on the import path later is the user's, too. What this environment's packages import themselves
    is looked for as ever: their versions may differ from the image's, and so may what they need.
    """
    finder = _ImageFinder(version, frozenset(sys.path) - frozenset(user_paths))
    sys.meta_path[sys.meta_path.index(PathFinder)] = finder


class _ImageFinder(PathFinder):
    """`PathFinder`, but that the user's code finds no package which the image has not."""

    def __init__(self, version: str | None, ours: frozenset[str]) -> None:
        modules = image_modules(version)
        self._of_image = modules.keys()
        self._packages_of_image = set(map(_normalized, modules.values()))
        # pickle and copy look for Jython's org.python.core.
        self._standard = standard_modules(version) | {"org"}
        self._ours = ours

    # The methods of `PathFinder` are its class's; an instance finds as well.
    def find_spec(  # type: ignore[override]
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        in_image = name in self._of_image
        if path is not None or in_image or name in self._standard:
            spec = PathFinder.find_spec(name, path, target)
            if spec is None and path is None and in_image:
                self._advise(name, "which the image has and this machine has not: pip install")
            return spec
        spec = PathFinder.find_spec(name, self._user_paths(), target)
        if spec is not None or not self._is_user_s(_importer()):
            return spec or PathFinder.find_spec(name, path, target)
        self._advise(name, "which the image has not: put into code/requirements.txt")
        return None

    def find_distributions(  # type: ignore[override]
        self, context: DistributionFinder.Context = _ANY
    ) -> Iterable[Distribution]:
        found = PathFinder.find_distributions(context)
        return filter(self._is_there, found) if self._is_user_s(_importer()) else found

    def _is_there(self, distribution: Distribution) -> bool:
        """Whether the container would have it: the user's own, or one of the image's."""
        name = distribution.metadata["Name"]
        in_image = name is not None and _normalized(name) in self._packages_of_image
        return in_image or str(distribution.locate_file("")) not in self._ours

    def _user_paths(self) -> list[str]:
        return [path for path in sys.path if path not in self._ours]

    def _is_user_s(self, importer: str) -> bool:
        """Whether a file is none of this environment's."""
        own = any(importer.startswith(f"{path}/") for path in self._user_paths() if path)
        return own or not importer.startswith(_OURS)

    def _advise(self, name: str, what: str) -> None:
        """Say what to install, unless an installed package asks: most can do without."""
        importer = _importer()
        folders = [path for path in self._user_paths() if importer.startswith(f"{path}/")]
        if self._is_user_s(importer) and not any(map(_is_of_pip, folders)):
            log.warning("the code imports %s, %s %s", name, what, package_of(name))


def _importer() -> str:
    """The file whose code imports, or asks what is installed; one of ours where none does.

    The standard library does so for others: `importlib`, `pkgutil`, `pickle`.
    """
    frame = sys._getframe(1)
    while frame is not None and (
        frame.f_code.co_filename == __file__ or _is_standard(frame.f_code.co_filename)
    ):
        frame = frame.f_back  # type: ignore[assignment]
    return __file__ if frame is None else frame.f_code.co_filename


def _is_standard(filename: str) -> bool:
    if filename.startswith("<frozen "):
        return True
    return filename.startswith(_STANDARD) and "site-packages" not in filename


def _is_of_pip(folder: str) -> bool:
    return next(Path(folder).glob("*.dist-info"), None) is not None


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
