"""A model as the user has it, a folder or a model.tar.gz, as a folder to serve."""

from __future__ import annotations

import tarfile
import zlib
from pathlib import Path

from sagemaker_serving.errors import Mistake, NotFound


def open_model(path: Path, scratch: Path) -> Path:
    """The folder to serve for ``path``; an archive is unpacked below ``scratch``.

    Raises `NotFound` when nothing is there, and `Mistake` for a file that is
    no readable tar archive or that holds a member leading out of the folder
    (absolute names, ``..``, links outside, devices).
    """
    require_existing(path)
    if path.is_dir():
        return path.resolve()
    target = scratch / "model"
    target.mkdir()
    with _opened(path) as archive:
        try:
            archive.extractall(target, filter="data")
        except tarfile.FilterError as error:
            raise Mistake(f"{path} is refused: {_lowered(error)}; pack the model anew") from error
        except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
            raise Mistake(f"{path} cannot be unpacked: {_lowered(error)}") from error
    return target


def _opened(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path)
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise Mistake(
            f"{path} is neither a folder nor a tar archive; "
            "give a model's folder or its model.tar.gz"
        ) from error


def require_existing(path: Path) -> None:
    """Raise `NotFound` when nothing is at ``path``."""
    if not path.exists():
        raise NotFound(f"{path} does not exist; give a model's folder or its model.tar.gz")


def _lowered(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return text[0].lower() + text[1:]
