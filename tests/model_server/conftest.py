"""The SavedModels are written once per test run, whatever the number of workers."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import running

WRITER = Path(__file__).with_name("saved_models.py")


@pytest.fixture(scope="session")
def saved_models(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder with the models ``half_plus_three`` and ``kinds``."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    folder = shared / "saved_models"
    with (shared / "saved_models.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = shared / "saved_models.unfinished"
            subprocess.run([sys.executable, WRITER, unfinished], check=True, capture_output=True)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def without_code(
    saved_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ModelServer]:
    """A server of both models, without user code; half_plus_three answers by default."""
    environment = {"SAGEMAKER_TFS_DEFAULT_MODEL_NAME": "half_plus_three"}
    with running(saved_models, tmp_path_factory.mktemp("server"), environment) as server:
        yield server
