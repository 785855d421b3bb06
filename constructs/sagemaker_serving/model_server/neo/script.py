"""The user's script of a Neo image: where it is told to be, and its two functions."""

from __future__ import annotations

import importlib.util
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.archive.handlers import CONTAINER_MODEL, module_of_script, place_of_script
from sagemaker_serving.errors import Failure, Mistake


@dataclass(frozen=True, kw_only=True)
class Script:
    """``neo_preprocess(payload, content_type)`` and ``neo_postprocess(result)``."""

    neo_preprocess: Callable[[Any, str], Any]
    neo_postprocess: Callable[[Any], Any]


def load_script(environ: Mapping[str, str], model_dir: Path, scratch: Path) -> Script:
    """Import the script that SAGEMAKER_SUBMIT_DIRECTORY and SAGEMAKER_PROGRAM name.

    The directory is an ``s3://`` archive with exactly one .py file, fetched into
    ``scratch`` with this process's credentials, or a folder of the model; by default
    ``code``. Raises `Mistake` when there is no such script or a function is missing, and
    whatever the script itself raises.
    """
    place = place_of_script(environ)
    assert place is not None  # an environment of texts names one, or the default
    if place.startswith("s3://"):
        path = _from_s3(place, scratch)
    else:
        path = _folder(place, model_dir) / f"{module_of_script(environ)}.py"
    if not path.is_file():
        raise Mistake(
            f"SAGEMAKER_SUBMIT_DIRECTORY is {place!r}; there is no {path.name} in it, and this "
            "image calls its neo_preprocess and neo_postprocess"
        )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    missing = [name for name in Script.__annotations__ if not hasattr(module, name)]
    if missing:
        raise Mistake(f"{path.name} has no {' and no '.join(missing)}, which this image calls")
    return Script(**{name: getattr(module, name) for name in Script.__annotations__})


def _folder(place: str, model_dir: Path) -> Path:
    """The folder that ``place`` means here, where ``/opt/ml/model`` is the model's."""
    inside = place.removeprefix(CONTAINER_MODEL).strip("/")
    return model_dir / inside if place.startswith(CONTAINER_MODEL) else Path(place)


def _from_s3(url: str, scratch: Path) -> Path:
    import boto3

    bucket, _, key = url.removeprefix("s3://").partition("/")
    archive = scratch / "script.tar.gz"
    try:
        boto3.client("s3").download_file(bucket, key, str(archive))
        with tarfile.open(archive, "r:*") as tar:
            scripts = [name for name in tar.getnames() if name.endswith(".py")]
            if len(scripts) != 1:
                raise Mistake(
                    f"{url} has {len(scripts)} .py files; this image takes an archive with one"
                )
            tar.extract(scripts[0], scratch / "script", filter="data")
    except (OSError, tarfile.TarError) as error:
        raise Failure(f"SAGEMAKER_SUBMIT_DIRECTORY is {url!r}: {error}") from None
    return scratch / "script" / scripts[0]
