"""Which service a program has, and loading it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.toolkit.service import Service
from sagemaker_serving.model_server.toolkit.settings import Settings


def load_service(program: Program, model_dir: Path, settings: Settings, scratch: Path) -> Service:
    """The model of ``model_dir``, loaded; raises whatever the user's code raises, or `Mistake`."""
    environ: Mapping[str, str] = os.environ
    if program in (Program.PYTORCH, Program.NEO_PYTORCH):
        from sagemaker_serving.model_server.pytorch import service

        return service.load(model_dir, settings)
    from sagemaker_serving.model_server.neo.engines import OnnxEngine, XgboostEngine
    from sagemaker_serving.model_server.neo.script import load_script
    from sagemaker_serving.model_server.neo.service import of_rows, with_script

    if program is Program.NEO_XGBOOST:
        return of_rows(XgboostEngine(model_dir))
    engine = OnnxEngine(model_dir)
    return with_script(engine, load_script(environ, model_dir, scratch))
