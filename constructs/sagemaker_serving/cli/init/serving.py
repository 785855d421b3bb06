"""What serves a model: AWS's image by the model's files, and an instance type that holds it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path, PurePosixPath

from sagemaker_serving.archive import TRITON, ArchiveContents
from sagemaker_serving.archive.contents import SAVED_MODEL, frameworks_of
from sagemaker_serving.archive.handlers import (
    BY_VARIABLES,
    script_of,
    script_variables,
)
from sagemaker_serving.archive.sources import LEFT_OUT
from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.host_images import image_for
from sagemaker_serving.catalog.images import UnknownImage, framework_scopes, framework_versions
from sagemaker_serving.catalog.instances import (
    InstanceType,
    Use,
    instance_type,
    instance_types,
    regions_offering,
)
from sagemaker_serving.catalog.support import image_support
from sagemaker_serving.cli.package import Server
from sagemaker_serving.cli.scripted import MLMODEL, loading
from sagemaker_serving.errors import Mistake

SERVED_BY = {
    "tensorflow": "tensorflow",
    "keras": "tensorflow",
    "pytorch": "ray-serve",
    "onnx": TRITON,
    "xgboost": "xgboost",
    "huggingface": "huggingface",
    "sklearn": "sklearn",
    "mxnet": "mxnet",
    TRITON: TRITON,
    "ray-serve": "ray-serve",
}
"""The framework of AWS's image, by the framework whose files a model has. PyTorch's own image is
patched no more (`docs images`)."""

_BY_SCRIPT = tuple({*BY_VARIABLES} - {"xgboost"})
"""Images that load no model without a script of one's own; XGBoost's has its algorithm."""

_LAYOUTS: dict[tuple[str, str], Server] = {
    ("onnx", TRITON): "triton",
    ("pytorch", "ray-serve"): "ray-serve",
}
_MOST_SHOWN = 20
_FAMILIES = ("c5", "m5", "c6i", "m6i", "c7i", "m7i")
_SERVER_MIB = 1024


@dataclass(frozen=True, kw_only=True)
class Serving:
    """The image of ``framework`` and ``version``, and what is known of it and its host."""

    framework: str
    version: str
    image: EcrImage
    host: InstanceType
    patched_until: date | None


def framework_of(contents: ArchiveContents, model: str, asked: str | None) -> str:
    """The framework whose image serves ``contents``: as ``asked`` for, or by its files.

    Raises `Mistake` where they tell none that AWS has an image for.
    """
    found = [SERVED_BY[each] for each in contents.frameworks if each in SERVED_BY]
    if MLMODEL in contents.files and contents.script is None:
        raise Mistake(
            f"{model} is MLflow's, whose layout no image of AWS's knows; "
            f"{loading(model, [Path(model, MLMODEL)])}"
        )
    if asked is None and contents.script is None and contents.packed_size is None:
        _must_be_one(contents, model, {*found})
    if asked is not None or found:
        served_by = asked or found[0]
        _must_be_loaded(contents, model, served_by)
        return served_by
    if "neo" in contents.frameworks:
        raise Mistake(
            f"{model} is what SageMaker Neo has compiled; give the model as it was before, and "
            "add compile: to the file, see sagemaker-serving docs neo"
        )
    raise Mistake(
        f"nothing in {model} tells which image of AWS's serves it; "
        f"{loading(model, sorted(Path(model).glob('*')))}"
    )


def _must_be_one(contents: ArchiveContents, model: str, served_by: set[str]) -> None:
    """Raises `Mistake` for a folder of models that are no one model: it names them."""
    if "huggingface" in served_by or contents.converted:
        return
    is_found = served_by != {"tensorflow"} or contents.models
    models = {}
    for path in map(PurePosixPath, sorted(contents.files)):
        kinds = frameworks_of([str(path)])
        kinds = kinds or (("xgboost",) if contents.xgboost.get(str(path)) else ())
        if kinds and path.name not in LEFT_OUT:
            models[str(path.parent if path.name in SAVED_MODEL else path)] = kinds[0]
    if not models or (is_found and len(served_by) < 2):
        return
    names = list(models)
    few = names[:_MOST_SHOWN]
    rest = f"\n  and {len(names) - len(few)} more" if len(few) < len(names) else ""
    told = "".join(f"\n  {Path(model, name)} ({models[name]})" for name in few)
    raise Mistake(
        f"{model} is not a model, and an endpoint serves one; there is:{told}{rest}\n"
        f"name it: sagemaker-serving init --model {shlex.quote(str(Path(model, names[0])))}; or, "
        "where the folder is a model as it is, its image with --framework"
    )


def _must_be_loaded(contents: ArchiveContents, model: str, framework: str) -> None:
    name = script_of(framework, script_variables(framework, contents.scripts))
    script = None if name is None else contents.scripts.get(name)
    if script is not None and script.error is not None:
        line = "" if script.error_line is None else f" line {script.error_line}"
        raise Mistake(f"{model}: {name}{line} does not parse: {script.error}; correct it")
    if framework in _BY_SCRIPT and not (script is not None and script.defines("model_fn")):
        raise Mistake(
            f"{framework}'s image loads no model by itself; "
            f"{loading(model, sorted(Path(model).glob('*')))}"
        )


def layout_of(contents: ArchiveContents, framework: str) -> Server | None:
    """The server in whose layout the model is packed first; None where it is served as it is."""
    found = [_LAYOUTS.get((each, framework)) for each in contents.frameworks]
    return next((each for each in found if each is not None), None)


def serving_of(framework: str, *, region: str, host: str, today: date) -> Serving:
    """The newest image of ``framework`` in ``region`` that AWS patches, or else the newest.

    It is the one that instances of type ``host`` run. Raises `UnknownImage` and
    `UnknownInstanceType`.
    """
    kind = instance_type(host)
    images = list(_images(framework, kind, region))
    if not images:
        newest = framework_versions(framework, framework_scopes(framework)[0])[-1]
        image_for(kind, framework=framework, version=newest, region=region)
    patched = [each for each in images if image_support(each[1]).state(today) == "patched"]
    version, image = next(iter(patched or images))
    support = image_support(image)
    return Serving(
        framework=framework,
        version=version,
        image=image,
        host=kind,
        patched_until=None if support.older_than else support.patched_until,
    )


def default_host(size: int, region: str, use: Use = "endpoint") -> str:
    """The smallest instance type without GPUs in ``region`` that holds a model of ``size`` bytes.

    A rule of thumb: twice the model, as it is loaded, and a GiB for the server.
    """
    needed = _SERVER_MIB + 2 * size / (1 << 20)
    found = [
        kind
        for kind in instance_types(use)
        if kind.family in _FAMILIES
        and (kind.memory_mib or 0) >= needed
        and region in regions_offering(kind.name, use)
    ]
    if not found:
        raise Mistake(
            f"the model has {size / 1e9:.1f} GB; no type of {', '.join(_FAMILIES)} in {region} "
            "holds it; choose one with --instance-type, see `sagemaker-serving instances`"
        )
    return min(
        found, key=lambda kind: (kind.memory_mib, kind.vcpus, _FAMILIES.index(kind.family))
    ).name


def _images(framework: str, kind: InstanceType, region: str) -> Iterator[tuple[str, EcrImage]]:
    """Versions and their images for these instances, the newest first."""
    for scope in framework_scopes(framework):
        for version in reversed(framework_versions(framework, scope)):
            try:
                yield version, image_for(kind, framework=framework, version=version, region=region)
            except UnknownImage:
                continue
