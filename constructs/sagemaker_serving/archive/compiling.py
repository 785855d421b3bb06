"""Compiling an unpacked model with OpenVINO, where it is installed, in a process of its own.

OpenVINO stands in for Neo's compiler, which exists on AWS alone. What it makes lies beside the
model: ``assets.extra/openvino/`` of a SavedModel, ``openvino/`` beside a file. So the archive is
still what it was to whoever looks for the model, and its server finds what is to run instead.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import util
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from local_aws.process import Tree
from sagemaker_serving.errors import Failure, Mistake

Precision = Literal["f32", "bf16", "int8"]
PRECISIONS: tuple[Precision, ...] = ("f32", "bf16", "int8")

FOLDER = "openvino"
"""Where what was compiled lies, beside its model."""

FACTS = "compiled.json"
"""What the compiler says of its result: ``compiler``, ``precision`` and ``runs_in``."""

_SUFFIXES = {
    "TENSORFLOW": ("saved_model.pb",),
    "ONNX": (".onnx",),
    "PYTORCH": (".pth", ".pt"),
}
"""What the names of a framework's model files end with, in Neo's spelling of the framework."""
_LONGEST_SECONDS = 3600.0
_LOOK_SECONDS = 0.2


class CannotCompile(Failure):
    """The compiler refused the model; the message is in its own words."""


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """What was made.

    ``compiler`` is its name and version, ``precision`` what was asked for, and ``runs_in`` the
    type in which this machine's processor computes it ("float32" where it has no bfloat16).
    """

    folder: Path
    compiler: str
    precision: Precision
    runs_in: str

    def __str__(self) -> str:
        return f"{self.compiler}, {self.precision}"


def why_not_compiled(files: Iterable[str], framework: str, shapes: Any) -> str | None:
    """Why nothing on this machine compiles a model of these files; None where something does.

    ``files`` are paths below the model's folder, ``framework`` is in Neo's spelling ("ONNX"), and
    ``shapes`` are the inputs' sizes, as for `compile_model`.
    """
    if framework not in _SUFFIXES:
        return f"nothing on this machine compiles {framework} models"
    if len(_models(files, framework)) != 1:
        wanted = " or ".join(_SUFFIXES[framework])
        return f"it does not hold exactly one {wanted}, which this machine compiles"
    if framework == "PYTORCH" and not shapes:
        # Neo reads them out of the file, where PyTorch 2.0 wrote it and the target is an instance
        # (developer guide, "Prepare Model for Compilation").
        return "a TorchScript's inputs have no sizes that this machine reads; give DataInputConfig"
    needed = {"openvino": "OpenVINO", **({"torch": "torch"} if framework == "PYTORCH" else {})}
    missing = [extra for extra in needed if util.find_spec(extra) is None]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        return (
            f"{' and '.join(needed[extra] for extra in missing)} {are} not installed; to compile "
            f"on this machine, pip install 'sagemaker-serving[{','.join(missing)}]'"
        )
    return None


def compile_model(
    folder: Path,
    framework: str,
    shapes: Any,
    *,
    precision: Precision = "f32",
    calibration: Path | None = None,
    seconds: float = _LONGEST_SECONDS,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Compiled | None:
    """Compile the model in ``folder`` and put the result beside it.

    ``shapes`` are the inputs' sizes, by name or in their order; None leaves them open.
    ``calibration`` is a folder of ``.npz`` files with inputs by name, which ``int8`` needs. Raises
    `Mistake` where nothing here compiles it, `CannotCompile` with the compiler's words, and
    `TimeoutError` after ``seconds``. None when ``is_stopped`` says so in between.
    """
    files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    why_not = why_not_compiled(files, framework, shapes)
    if why_not is None and precision == "int8" and util.find_spec("nncf") is None:
        why_not = "nncf is not installed, which makes int8; pip install 'sagemaker-serving[nncf]'"
    if why_not is not None:
        raise Mistake(why_not)
    model = folder / _models(files, framework)[0]
    is_saved_model = framework == "TENSORFLOW"
    target = model.parent / ("assets.extra" if is_saved_model else "") / FOLDER
    request = {
        "source": str((model.parent if is_saved_model else model).resolve()),
        "target": str(target.resolve()),
        "shapes": shapes,
        "precision": precision,
        "calibration": None if calibration is None else str(calibration.resolve()),
    }
    said = _run(request, time.monotonic() + seconds, is_stopped)
    if said is None:
        return None
    if said:
        raise CannotCompile(f"OpenVINO cannot compile {model.name}: {said}")
    facts = json.loads((target / FACTS).read_text(encoding="utf-8"))
    return Compiled(folder=target, **facts)


def _models(files: Iterable[str], framework: str) -> list[str]:
    """The framework's model files; what lies in ``code`` is the user's own."""
    return [
        file
        for file in files
        if file.lower().endswith(_SUFFIXES[framework])
        and not PurePosixPath(file).name.startswith(".")
        and PurePosixPath(file).parts[0] != "code"
    ]


def _run(request: Any, until: float, is_stopped: Callable[[], bool]) -> str | None:
    """What the compiler complains of, "" when it is content; None when it was stopped."""
    with Tree(
        [sys.executable, "-m", "sagemaker_serving.compiler"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as compiling:
        given: str | None = json.dumps(request)
        while True:
            try:
                _, said = compiling.process.communicate(given, _LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                given = None
            if is_stopped():
                return None
            if time.monotonic() > until:
                raise TimeoutError
        status = compiling.process.returncode
    lines = said.strip().splitlines()
    return "" if status == 0 else (lines[-1] if lines else f"it ended with {status}")
