"""Models that no image loads by itself: what to write, so that scikit-learn's image loads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sagemaker_serving.archive import (
    ArchiveContents,
    Refusal,
    UnreadableArtifact,
    known_contents,
)
from sagemaker_serving.archive.inflate import ARCHIVE
from sagemaker_serving.errors import Mistake


@dataclass(frozen=True, kw_only=True)
class _Loaded:
    """How a script loads a file: what it imports, and what the image does not have of that."""

    expression: str
    imports: str
    needs: str = ""


def loading(model: str, files: Sequence[Path]) -> str:
    """What to write for a model of these files, in the folder ``model``, and what to type then.

    The rest of a message. Of files that are not known, it leaves the expression to the user.
    """
    found = [each for path in files if (each := _loaded(path)) is not None]
    how = found[0] if found else _UNKNOWN
    script = (
        f"import {how.imports}\nimport os\n\n"
        f"def model_fn(model_dir):\n    return {how.expression}\n"
    )
    needs = f"\nand into {model}/code/requirements.txt what it needs: {how.needs}"
    moved = f"move it into {model}/, and " if files and files[0].parent != Path(model) else ""
    return (
        f"{moved}write {model}/code/inference.py:\n\n{script}"
        f"{needs if how.needs else ''}\nthen: sagemaker-serving init --model {model} --framework "
        "sklearn (or another of `sagemaker-serving images`)"
    )


def readable(path: Path) -> ArchiveContents:
    """What is in a model; raises `Mistake` with the code to write for one that only code reads."""
    try:
        return known_contents(path)
    except UnreadableArtifact as error:
        if error.refusal not in (Refusal.NOT_AN_ARCHIVE, Refusal.ZIP) or ARCHIVE.search(path.name):
            raise
        if (path.parent / MLMODEL).is_file():
            folder, files = path.parent, [path.parent / MLMODEL]
            raise Mistake(
                f"{path} is part of a model of MLflow's, whose folder {folder} no image of AWS's "
                f"knows; {loading(str(folder), files)}"
            ) from None
        known = _loaded(path) is not None
        raise Mistake(
            f"{path} is served from a folder, with code that loads it; {loading(path.stem, [path])}"
            if known
            else f"{path} is no model of a kind that is known (sagemaker-serving docs archives has "
            f"them); if code of yours loads it, {loading(path.stem, [path])}"
        ) from None


MLMODEL = "MLmodel"
"""What says at the top of a model of MLflow's how it was saved."""

_JOBLIB = _Loaded(imports="joblib", expression="joblib.load({at})")
_BY_SUFFIX = {
    **dict.fromkeys((".joblib", ".pkl", ".pickle"), _JOBLIB),
    ".skops": _Loaded(
        imports="skops.io",
        expression="skops.io.load({at})  # trusted=[...]: names of types of your own",
        needs="skops",
    ),
    ".cbm": _Loaded(
        imports="catboost", expression="catboost.CatBoost().load_model({at})", needs="catboost"
    ),
}
_LIGHTGBM = _Loaded(
    imports="lightgbm", expression="lightgbm.Booster(model_file={at})", needs="lightgbm"
)
_MLFLOW = _Loaded(
    imports="mlflow",
    expression="mlflow.pyfunc.load_model(model_dir)",
    needs="the lines of MLflow's requirements.txt",
)
_UNKNOWN = _Loaded(imports="joblib", expression="...  # what has predict(), of the model's files")


def _loaded(path: Path) -> _Loaded | None:
    if path.name == MLMODEL:
        file = _of_scikit_learn(path)
        return _loaded(path.parent / file) or _MLFLOW if file else _MLFLOW
    how = _BY_SUFFIX.get(path.suffix)
    if path.suffix == ".txt" and path.is_file():
        with path.open("rb") as stream:
            how = _LIGHTGBM if stream.read(16).startswith(b"tree\n") else None
    if how is None:
        return None
    at = f'os.path.join(model_dir, "{path.name}")'
    return replace(how, expression=how.expression.format(at=at))


def _of_scikit_learn(mlmodel: Path) -> str | None:
    """The file in which MLflow keeps a model of scikit-learn, which needs no MLflow to be loaded.

    Source: mlflow 3.17, sklearn/__init__.py, save_model.
    """
    import yaml

    try:
        flavor = yaml.safe_load(mlmodel.read_bytes())["flavors"]["sklearn"]
        # Of cloudpickle's some need that package, and code that lies elsewhere.
        return None if flavor["serialization_format"] == "cloudpickle" else flavor["pickled_model"]
    except (OSError, yaml.YAMLError, ValueError, KeyError, TypeError):
        return None
