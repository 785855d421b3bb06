"""Which service a program has, and loading it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sagemaker_serving.catalog.servers import TORCHSERVE_LARGEST
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.toolkit.contract import ToolkitContract, toolkit_contract
from sagemaker_serving.model_server.toolkit.service import Service
from sagemaker_serving.model_server.toolkit.settings import Settings

NO_MEMORY = "no memory"
RAISED = "raised"
"""How a worker says that its model failed, as far as it matters: memory, and any RuntimeError."""


def contract_of(program: Program, container_version: str | None) -> ToolkitContract | None:
    """PyTorch's contract of that version; None for the other images."""
    return toolkit_contract(container_version) if program is Program.PYTORCH else None


def largest_of(program: Program) -> int:
    """Bytes of a body; scikit-learn's image sets no limit (nginx.conf.template)."""
    return sys.maxsize if program is Program.SKLEARN else TORCHSERVE_LARGEST


def load_service(
    program: Program,
    model_dir: Path,
    settings: Settings,
    scratch: Path,
    *,
    model_name: str,
    container_version: str | None,
) -> Service:
    """The model of ``model_dir``, loaded; raises whatever the user's code raises, or `Mistake`."""
    environ: Mapping[str, str] = os.environ
    if program is Program.SKLEARN:
        from sagemaker_serving.model_server.pytorch import scikit_learn, service

        scikit_learn.must_name_script(environ)
        return service.load(model_dir, settings, model_name=model_name, own=scikit_learn)
    if program is Program.XGBOOST:
        from sagemaker_serving.model_server.neo.xgboost_algorithm import XgboostAlgorithm

        return XgboostAlgorithm(model_dir, environ)
    if program in (Program.PYTORCH, Program.NEO_PYTORCH):
        from sagemaker_serving.model_server.neo.torch_module import compiled_model_fn
        from sagemaker_serving.model_server.pytorch import service

        return service.load(
            model_dir,
            settings,
            contract=contract_of(program, container_version) or toolkit_contract(None),
            model_name=model_name,
            model_fn=compiled_model_fn(model_dir),
        )
    from sagemaker_serving.model_server.compiled import compiled_folder
    from sagemaker_serving.model_server.neo.engines import (
        OnnxEngine,
        OpenvinoEngine,
        XgboostEngine,
    )
    from sagemaker_serving.model_server.neo.script import load_script
    from sagemaker_serving.model_server.neo.service import of_rows, with_script

    if program is Program.NEO_XGBOOST:
        return of_rows(XgboostEngine(model_dir))
    compiled = compiled_folder(model_dir)
    engine = OnnxEngine(model_dir) if compiled is None else OpenvinoEngine(compiled)
    return with_script(engine, load_script(environ, model_dir, scratch))
