"""Models that no image loads by itself: what to write, so that scikit-learn's image loads them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.archive import (
    ArchiveContents,
    Refusal,
    UnreadableArtifact,
    known_contents,
)
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
    found = [(path, each) for path in files if (each := _loaded(path)) is not None]
    name, how = (found[0][0].name, found[0][1]) if found else ("", _UNKNOWN)
    script = (
        f"import {how.imports}\nimport os\n\n"
        f"def model_fn(model_dir):\n    return {how.expression.format(name=name)}\n"
    )
    needs = f"\nand into {model}/code/requirements.txt what it needs: {how.needs}"
    moved = f"move it into {model}/, and " if files and files[0].parent != Path(model) else ""
    return (
        f"{moved}write {model}/code/inference.py:\n\n{textwrap.indent(script, '    ')}"
        f"{needs if how.needs else ''}\nthen: sagemaker-serving init --model {model} --framework "
        "sklearn (or another of `sagemaker-serving images`)"
    )


def readable(path: Path) -> ArchiveContents:
    """What is in a model; raises `Mistake` with the code to write for one that only code reads."""
    try:
        return known_contents(path)
    except UnreadableArtifact as error:
        if error.refusal not in (Refusal.NOT_AN_ARCHIVE, Refusal.ZIP) or _ARCHIVE.search(path.name):
            raise
        known = _loaded(path) is not None
        raise Mistake(
            f"{path} is served from a folder, with code that loads it; {loading(path.stem, [path])}"
            if known
            else f"{path} is no model of a kind that is known (sagemaker-serving docs archives has "
            f"them); if code of yours loads it, {loading(path.stem, [path])}"
        ) from None


_ARCHIVE = re.compile(r"(?i)\.(tar|tgz|tar\.gz|gz|zip)$")


_AT = 'os.path.join(model_dir, "{name}")'
_JOBLIB = _Loaded(imports="joblib", expression=f"joblib.load({_AT})")
_BY_SUFFIX = {
    **dict.fromkeys((".joblib", ".pkl", ".pickle"), _JOBLIB),
    ".cbm": _Loaded(
        imports="catboost", expression=f"catboost.CatBoost().load_model({_AT})", needs="catboost"
    ),
}
_LIGHTGBM = _Loaded(
    imports="lightgbm", expression=f"lightgbm.Booster(model_file={_AT})", needs="lightgbm"
)
_MLFLOW = _Loaded(
    imports="mlflow",
    expression="mlflow.pyfunc.load_model(model_dir)",
    needs="the lines of MLflow's requirements.txt",
)
_UNKNOWN = _Loaded(imports="joblib", expression="...  # what has predict(), of the model's files")


def _loaded(path: Path) -> _Loaded | None:
    if path.name == "MLmodel":
        return _MLFLOW
    if path.suffix == ".txt" and path.is_file():
        with path.open("rb") as stream:
            return _LIGHTGBM if stream.read(16).startswith(b"tree\n") else None
    return _BY_SUFFIX.get(path.suffix)
