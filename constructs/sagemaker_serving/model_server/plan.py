"""What a container will run, decided and logged before any process starts."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.commands import log_settings
from sagemaker_serving.model_server.contract import CONTRACTS, Contract
from sagemaker_serving.model_server.discovery import (
    Code,
    Model,
    find_models,
    model_config,
)
from sagemaker_serving.model_server.generations import Generation, generation_of, is_uncertain
from sagemaker_serving.model_server.modeldir import (
    open_folder_of_models,
    open_model,
    require_existing,
)
from sagemaker_serving.model_server.settings import Settings, read_settings
from sagemaker_serving.model_server.universal_code import find_universal_code
from sagemaker_serving.model_server.variables import TENSORFLOW_VARIABLES

log = logging.getLogger("front")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The contract, the settings, the models and the code of one container."""

    contract: Contract
    container_version: str | None
    """The image's; None is the newest."""

    settings: Settings
    model_dir: Path

    models: list[Model]
    """Those that are loaded at the start: none in multi-model mode."""

    default_model: str
    code: Code

    @property
    def wait_seconds(self) -> int:
        """How long the models may take to load."""
        return self.contract.wait_time(self.settings)

    @property
    def wants_worker(self) -> bool:
        """Whether requests go through the handler worker."""
        return (
            self.settings.multi_model
            or self.settings.universal_code.is_in_s3
            or self.code.has_any(self.contract.worker_parts)
        )

    def worker_paths(self) -> list[Path]:
        """The import path of the user's code: ``code/`` and, if it exists, ``code/lib``.

        In multi-model mode older images forget the first.
        """
        imports_siblings = (
            not self.settings.multi_model or self.contract.multi_model.imports_siblings
        )
        return [
            *([self.code.folder] if imports_siblings else []),
            *([self.code.lib] if self.code.lib.exists() else []),
        ]

    def requirements(self) -> Path | None:
        """The requirements.txt to install; ``code/lib`` makes it ignored, as in the image."""
        if not self.code.requirements.exists() or self.code.lib.exists():
            return None
        return self.code.requirements


def make_plan(
    model: Path, scratch: Path, environ: Mapping[str, str], container_version: str | None
) -> Plan:
    """Read the settings in ``environ`` and look into ``model``, a folder or an archive.

    An archive is unpacked below ``scratch``. Raises `Mistake` for whatever the
    container would not start with.
    """
    contract = CONTRACTS[generation_of(container_version)]
    _log_version(container_version, contract)
    require_tensorflow()
    settings = read_settings(environ)
    log_settings(settings, environ)
    if settings.multi_model:
        model_dir = open_folder_of_models(model)
        models: list[Model] = []
        default_model = settings.default_model_name or "None"
    else:
        model_dir = open_model(model, scratch)
        models = find_models(model_dir)
        log.info("tensorflow serving model config: \n%s\n", model_config(models))
        default_model = _default_model(settings, models)
    plan = Plan(
        contract=contract,
        container_version=container_version,
        settings=settings,
        model_dir=model_dir,
        models=models,
        default_model=default_model,
        code=find_universal_code(settings, contract, model_dir, scratch),
    )
    _log_code(plan)
    return plan


def require_model(model: Path, environ: Mapping[str, str]) -> None:
    """Raise `Mistake` for a path that is not there or a folder without a SavedModel.

    In multi-model mode any folder will do. An archive is not looked into: that
    is `make_plan`'s work.
    """
    require_existing(model)
    if environ.get("SAGEMAKER_MULTI_MODEL", "").lower() == "true":
        open_folder_of_models(model)
    elif model.is_dir():
        find_models(model)


def require_tensorflow() -> None:
    """Raise `Mistake` when TensorFlow is not installed."""
    if importlib.util.find_spec("tensorflow") is None:
        raise Mistake(
            "TensorFlow is not installed, and the model server runs models with it; "
            "pip install 'sagemaker-serving[tensorflow]'"
        )


def child_environment(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """``environ`` for the container's processes: their own home, the image's defaults."""
    return {**TENSORFLOW_VARIABLES, **environ, "HOME": str(home)}


def _log_version(container_version: str | None, contract: Contract) -> None:
    if contract.generation is not Generation.C:
        log.info(
            "container version %s: contract of generation %s "
            "(sagemaker-serving docs container-contract)",
            container_version,
            contract.generation,
        )
    if is_uncertain(container_version):
        log.warning(
            "images of version %s may have been built before generation %s and behave as 2.8",
            container_version,
            contract.generation,
        )


def _log_code(plan: Plan) -> None:
    log.info("PYTHON SERVICE: %s", plan.wants_worker)
    code = plan.code
    if not plan.wants_worker and code.has_any(("requirements.txt", "lib")):
        log.warning("%s has no inference.py, and so this version's image ignores it", code.folder)
    if plan.wants_worker and code.requirements.exists() and code.lib.exists():
        log.warning("loading modules in '%s', ignoring requirements.txt", code.lib)


def _default_model(settings: Settings, models: list[Model]) -> str:
    name = settings.default_model_name
    if name is not None:
        found = [model.name for model in models]
        if name not in found:
            raise Mistake(
                f"SAGEMAKER_TFS_DEFAULT_MODEL_NAME is {name!r}; the model has {', '.join(found)}"
            )
        return name
    log.info("using default model name: %s", models[0].name)
    return models[0].name
