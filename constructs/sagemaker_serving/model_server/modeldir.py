"""A model as the user has it, a folder or a model.tar.gz, as a folder to serve."""

from __future__ import annotations

from pathlib import Path

from sagemaker_serving.archive import unpack
from sagemaker_serving.errors import Mistake, NotFound


def open_model(path: Path, scratch: Path) -> Path:
    """The folder to serve for ``path``; an archive is unpacked below ``scratch``.

    Raises `NotFound` when nothing is there, and
    `sagemaker_serving.archive.UnreadableArtifact` for a file that is no readable
    ``.tar.gz`` or that holds what SageMaker does not take.
    """
    require_existing(path)
    if path.is_dir():
        return path.resolve()
    target = scratch / "model"
    with path.open("rb") as stream:
        unpack(stream, target, str(path))
    return target


def open_folder_of_models(path: Path) -> Path:
    """The folder that multi-model mode serves, empty or not; it stands for ``/opt/ml/models``.

    Raises `NotFound` when nothing is there, `Mistake` when it is no folder.
    """
    require_existing(path)
    if not path.is_dir():
        raise Mistake(
            f"{path} is no folder; SAGEMAKER_MULTI_MODEL serves a folder of models, "
            "NAME/model/VERSION/saved_model.pb"
        )
    return path.resolve()


def require_existing(path: Path) -> None:
    """Raise `NotFound` when nothing is at ``path``."""
    if not path.exists():
        raise NotFound(f"{path} does not exist; give a model's folder or its model.tar.gz")
