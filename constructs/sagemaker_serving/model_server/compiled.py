"""A model as the stand-in for Neo's compiler left it, run by OpenVINO."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sagemaker_serving.archive.compiling import FACTS, FOLDER
from sagemaker_serving.errors import Mistake
from sagemaker_serving.extras import import_openvino

RECORDING = "SAGEMAKER_SERVING_RECORD_INPUTS"
"""The variable that names a folder for the inputs of every call, as ``.npz`` files by name."""


class WrongInputs(Exception):
    """Inputs that the compiled model does not take; the message is OpenVINO's."""


class CompiledModel:
    """What lies in ``folder``, loaded; safe in any thread. Raises `Mistake` without OpenVINO."""

    def __init__(self, folder: Path, *, threads: int = 0) -> None:
        if importlib.util.find_spec("openvino") is None:
            raise Mistake(
                f"{folder.parent} was compiled by OpenVINO, which is not installed here; "
                "pip install 'sagemaker-serving[openvino]'"
            )
        openvino = import_openvino()
        facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
        hint = "bf16" if facts["precision"] == "bf16" else "f32"
        options = {"INFERENCE_PRECISION_HINT": hint, "PERFORMANCE_HINT": "LATENCY"}
        if threads:
            options["INFERENCE_NUM_THREADS"] = str(threads)
        # OpenVINO reads the weights lazily from the file, which may go with its folder.
        model = openvino.Core().compile_model(str(folder / "model.xml"), "CPU", options)
        self._model = model
        self._requests = threading.local()
        self._recorded = itertools.count()
        self.name = f"{facts['compiler']}, {facts['precision']}"
        self.input_names = tuple(port.get_any_name() for port in model.inputs)
        self.input_types = {
            name: port.get_element_type().to_dtype()
            for name, port in zip(self.input_names, model.inputs, strict=True)
        }
        self._outputs = {name: at for at, port in enumerate(model.outputs) for name in port.names}
        self.output_count = len(model.outputs)

    def knows(self, inputs: set[str], outputs: set[str]) -> bool:
        """Whether these are all its inputs, and some of its outputs."""
        return inputs == set(self.input_names) and outputs <= set(self._outputs)

    def run(self, inputs: Mapping[str, Any]) -> list[Any]:
        """The outputs in the model's order; raises `WrongInputs`."""
        self._record(inputs)
        if not hasattr(self._requests, "own"):
            self._requests.own = self._model.create_infer_request()
        try:
            found = self._requests.own.infer(dict(inputs))
        except RuntimeError as error:
            raise WrongInputs(str(error).strip().splitlines()[-1]) from None
        return [found[at].copy() for at in range(self.output_count)]

    def output(self, name: str) -> int:
        """The place of an output among those of `run`."""
        return self._outputs[name]

    def _record(self, inputs: Mapping[str, Any]) -> None:
        folder = os.environ.get(RECORDING)
        if folder is not None:
            import numpy

            number = f"{os.getpid()}-{next(self._recorded)}"
            numpy.savez(Path(folder, f"{number}.npz"), **inputs)


def compiled_folder(model: Path) -> Path | None:
    """What was compiled from the SavedModel or the folder ``model``; None where nothing was."""
    places = (model / "assets.extra" / FOLDER, model / FOLDER)
    return next((place for place in places if (place / FACTS).is_file()), None)
