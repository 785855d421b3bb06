"""Which service a program has, and loading it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sagemaker_serving.catalog.servers import TORCHSERVE_LARGEST
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.toolkit.contract import (
    MULTI_MODEL_SERVER,
    ToolkitContract,
    toolkit_contract,
)
from sagemaker_serving.model_server.toolkit.service import Service
from sagemaker_serving.model_server.toolkit.settings import JSON, Settings, has_many

NO_MEMORY = "no memory"
RAISED = "raised"
"""How a worker says that its model failed, as far as it matters: memory, and any RuntimeError."""


def contract_of(program: Program, container_version: str | None) -> ToolkitContract | None:
    """PyTorch's contract of that version, Multi Model Server's where an image runs many models by
    it; None for the other images."""
    if program in (Program.XGBOOST, Program.HUGGING_FACE) and has_many(os.environ):
        return MULTI_MODEL_SERVER
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
    if program is Program.XGBOOST and environ.get("SAGEMAKER_PROGRAM"):
        from sagemaker_serving.model_server.pytorch import scikit_learn, service, xgboost_script

        scikit_learn.must_name_script(environ, "XGBoost")
        return service.load(model_dir, settings, model_name=model_name, own=xgboost_script)
    if program is Program.XGBOOST:
        from sagemaker_serving.model_server.neo.xgboost_algorithm import (
            XgboostAlgorithm,
            XgboostAmongMany,
        )

        return (XgboostAmongMany if has_many(environ) else XgboostAlgorithm)(model_dir, environ)
    if program is Program.HUGGING_FACE:
        from sagemaker_serving.model_server.pytorch import hugging_face, service

        return service.load(
            model_dir,
            replace(settings, default_accept=JSON),  # the toolkit reads no variable for it
            model_name=model_name,
            own=hugging_face,
            failure=hugging_face.failure,
        )
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
    from sagemaker_serving.model_server.neo.service import row_model, scripted_model

    if program is Program.NEO_XGBOOST:
        return row_model(XgboostEngine(model_dir))
    compiled = compiled_folder(model_dir)
    engine = OnnxEngine(model_dir) if compiled is None else OpenvinoEngine(compiled)
    return scripted_model(engine, load_script(environ, model_dir, scratch))
