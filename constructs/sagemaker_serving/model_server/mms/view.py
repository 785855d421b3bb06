"""The model's folder as the container shows it to the user's code."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

from sagemaker_serving.model_server.programs import Program

log = logging.getLogger("front")

COMPILED = "compiled.pt"
"""What Neo calls a PyTorch model (SageMaker developer guide, "Prerequisites" of deploying a
compiled model)."""


def show(model_dir: Path, view: Path, program: Program, *, unwraps: bool) -> None:
    """Make the folder ``view`` with all that is in ``model_dir``.

    ``unwraps``: in the folder in it, where that is all there is, so that a model of nothing but
    ``code/`` has its code at the top (``ModelArchive.downloadModel``).

    Its files have hard links there, which need no room. Symbolic ones lead out of the folder, which
    code that guards it refuses, such as MLflow's; those to folders stay.

    What the code adds there is gone afterwards, as in the image. A file that it writes over is the
    model's own, where the image has a copy.
    For a model that Neo compiled, its one .pt or .pth file is called as Neo calls it.
    """
    view.mkdir()
    entries = sorted(model_dir.iterdir())
    if unwraps and len(entries) == 1 and entries[0].is_dir():
        entries = sorted(entries[0].iterdir())
    names = {entry: entry.name for entry in entries}
    models = [entry for entry in entries if entry.suffix in (".pt", ".pth")]
    if program is Program.NEO_PYTORCH and len(models) == 1 and models[0].name != COMPILED:
        names[models[0]] = COMPILED
        log.info("%s is served as %s; it is not compiled", models[0].name, COMPILED)
    for entry, name in names.items():
        _place(entry, view / name)


def _place(source: Path, target: Path) -> None:
    if source.is_file():
        try:
            os.link(source.resolve(), target)
        except OSError:  # on another file system, or of another user
            shutil.copy2(source, target)
    elif source.is_dir() and not source.is_symlink():
        target.mkdir()
        for entry in source.iterdir():
            _place(entry, target / entry.name)
    else:  # a folder elsewhere, which may lead back here, or nothing
        target.symlink_to(os.path.realpath(source))
