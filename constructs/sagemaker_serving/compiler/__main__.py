"""``python -m sagemaker_serving.compiler``: reads one request from standard input.

It is an object in JSON: ``source``, a SavedModel's folder, an ``.onnx`` file or a TorchScript file
(``.pth`` or ``.pt``); ``target``, the folder to write into; ``shapes``, the inputs' fixed sizes by
name, a list of them in the inputs' order, or null to leave them open, which no TorchScript takes;
``precision``, ``f32``, ``bf16`` or ``int8``; ``calibration``, for int8 a folder of ``.npz`` files
with inputs by name. Ends with 1 and one line on standard error when the model cannot be compiled.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sagemaker_serving.extras import import_openvino

MODEL = "model.xml"
FACTS = "compiled.json"


def main() -> None:
    """Compiles what standard input asks for; standard output is left to nobody's chatter."""
    request = json.load(sys.stdin)
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    try:
        compile_to(**request)
    except Exception as error:
        print(_words(error), file=sys.stderr)
        sys.exit(1)


def compile_to(
    source: str, target: str, shapes: Any, precision: str = "f32", calibration: str | None = None
) -> None:
    """Compile ``source`` into the folder ``target``, as a request asks for it."""
    openvino = import_openvino()
    if source.endswith((".pth", ".pt")):
        model = _from_torch(source, shapes)
    else:
        model = openvino.convert_model(source)
        if shapes:
            by_name = isinstance(shapes, dict)
            model.reshape(shapes if by_name else dict(enumerate(shapes)))
    if precision == "int8":
        assert calibration is not None
        model = _quantized(model, Path(calibration))
    # Whether this machine's processor can run it, too.
    hint = "bf16" if precision == "bf16" else "f32"
    compiled = openvino.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": hint})
    runs_in = compiled.get_property("INFERENCE_PRECISION_HINT").to_string()
    folder = Path(target)
    folder.mkdir(parents=True)
    # Half-precision weights, the default, would move numbers that nobody asked to be moved.
    openvino.save_model(model, folder / MODEL, compress_to_fp16=False)
    facts = {
        "compiler": f"OpenVINO {openvino.get_version().partition('-')[0]}",
        "precision": precision,
        "runs_in": runs_in,
    }
    (folder / FACTS).write_text(json.dumps(facts), encoding="utf-8")


def _from_torch(source: str, shapes: Any) -> Any:
    """The sizes stand for a TorchScript's inputs in their order, whatever they are called.

    Numbers are float32, as Neo wants them of PyTorch (SageMaker developer guide, "Prepare Model for
    Compilation": input0, input1, or a list; "Saving Models for SageMaker Neo").
    """
    import torch

    openvino = import_openvino()
    model = torch.jit.load(source, map_location="cpu").eval()
    sizes = list(shapes.values()) if isinstance(shapes, dict) else shapes
    return openvino.convert_model(model, input=[(tuple(size), openvino.Type.f32) for size in sizes])


def _quantized(model: Any, calibration: Path) -> Any:
    import nncf
    import numpy

    def inputs() -> Iterator[Any]:
        for file in sorted(calibration.glob("*.npz")):
            with numpy.load(file) as arrays:
                yield dict(arrays)

    given = list(inputs())
    return nncf.quantize(model, nncf.Dataset(given), subset_size=len(given))


def _words(error: Exception) -> str:
    """The converter's own words in one line, without where in its source they were said."""
    lines = [line.strip() for line in str(error).splitlines()]
    useful = [line.removeprefix("-- ") for line in lines if line and not line.startswith(_AROUND)]
    return f"{type(error).__name__}: {' '.join(useful)}" if useful else type(error).__name__


_AROUND = (
    *("Check '", "Exception from", "FrontEnd API failed", "Summary:"),
    "To facilitate the conversion",
)


if __name__ == "__main__":
    main()
