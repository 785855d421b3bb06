"""The models of a container: the one of single mode, or those that requests load and unload.

Source: TorchServe's ``ModelArchive.downloadModel``, ``ApiUtils.handleRegister`` and
``ModelManager``, v0.12.0, and what it answered on 2026-11-23 (`toolkit.contract`).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from sagemaker_serving.errors import Failure, ReportedError
from sagemaker_serving.model_server.children import ChildFailed
from sagemaker_serving.model_server.mms.loading import NO_MEMORY, RAISED
from sagemaker_serving.model_server.mms.view import show
from sagemaker_serving.model_server.mms.workers import Container, Workers, import_paths
from sagemaker_serving.model_server.multi_model import served_path
from sagemaker_serving.model_server.toolkit.settings import MEMORY_LIMIT

log = logging.getLogger("front")

_MB = 1024 * 1024


@dataclass(kw_only=True)
class Model:
    """One that is registered; ``workers`` is None while it loads, and when that has failed."""

    name: str
    url: str
    at_start: bool = False
    worker_count: int
    workers: Workers | None = None
    is_settled: asyncio.Event = field(default_factory=asyncio.Event)
    """Set as soon as its load has ended, in whatever way."""

    under_way: int = 0
    """Requests that it works on, or that wait for it."""

    since: datetime = field(default_factory=lambda: datetime.now(UTC))


class NotLoaded(Failure):
    """A model that could not be loaded; ``has_no_memory`` says whether for want of memory."""

    def __init__(self, message: str, *, has_no_memory: bool) -> None:
        super().__init__(message)
        self.has_no_memory = has_no_memory


class Models:
    """By their names, in ``container``.

    ``folder`` stands for /opt/ml/models; ``environment`` is that of the workers, with the packages
    of all models on its import path.
    """

    def __init__(self, container: Container, folder: Path, environment: Mapping[str, str]) -> None:
        self.container = container
        self._folder = folder
        self._environment = environment
        self._models: dict[str, Model] = {}
        self._numbers = itertools.count()

    def all(self) -> list[Model]:
        """All, by name, as they are listed."""
        return [self._models[name] for name in sorted(self._models)]

    def get(self, name: str) -> Model | None:
        """The one of that name."""
        return self._models.get(name)

    def add(self, model: Model) -> None:
        """One that is loaded."""
        self._models[model.name] = model
        model.is_settled.set()

    def place(self, url: str) -> Path | None:
        """The folder that ``url`` of a load means; None when there is none.

        TorchServe takes a folder, or one of that name in its store, which is ``/``: here, in the
        folder that is served.
        """
        last = PurePosixPath(url).name
        in_store = [self._folder / last] if last and url in (last, f"/{last}") else []
        places = (served_path(url, self._folder), *in_store)
        return next((each for each in places if each is not None and each.is_dir()), None)

    async def load(self, name: str, url: str, place: Path, workers: int) -> Model:
        """Load the model in ``place``; raises `NotLoaded`, and the log has the reason."""
        model = self._models[name] = Model(name=name, url=url, worker_count=workers)
        try:
            model.workers = await self._started(model, place)
        except ReportedError as error:
            kind = error.kind if isinstance(error, ChildFailed) else ""
            if kind in (NO_MEMORY, RAISED):
                # TorchServe finds the process alive then, is disturbed while it ends it, and keeps
                # the model without a worker. Seen with all versions, each time.
                model.worker_count = 0
            else:
                del self._models[name]
            log.error("model %s cannot be loaded: %s", name, error)
            raise NotLoaded(str(error), has_no_memory=kind == NO_MEMORY) from None
        finally:
            model.is_settled.set()
        return model

    async def unload(self, name: str) -> None:
        """End the model's processes; its memory is free afterwards."""
        workers = self._models.pop(name).workers
        if workers is not None:
            await workers.stop()

    async def stop(self) -> None:
        """End all."""
        for model in self.all():
            await self.unload(model.name)

    async def _started(self, model: Model, place: Path) -> Workers:
        scratch = self.container.scratch / f"model{next(self._numbers)}"
        scratch.mkdir()
        workers = None
        try:
            view = scratch / "view"
            show(place, view, self.container.program, unwraps=self.container.unwraps)
            # A model's own code comes last of all, and its requirements.txt is not read.
            paths = import_paths(
                self._folder / "code", view, packages=self._environment.get("PYTHONPATH", "")
            )
            workers = await Workers.start(
                self.container,
                name=model.name,
                count=model.worker_count,
                view=view,
                scratch=scratch,
                environment={**self._environment, "PYTHONPATH": paths},
                last_path=view / "code",
            )
            self._require_memory(workers)
            return workers
        except BaseException:
            if workers is not None:
                await workers.stop()
            shutil.rmtree(scratch, ignore_errors=True)
            raise

    def _require_memory(self, newest: Workers) -> None:
        limit = self.container.settings.memory_limit_mb
        if limit is None:
            return
        others = [model.workers for model in self._models.values() if model.workers is not None]
        taken = sum(workers.memory_bytes() for workers in (newest, *others))
        if taken > limit * _MB:
            raise ChildFailed(
                f"{taken // _MB} MB are taken, {MEMORY_LIMIT} is {limit}", kind=NO_MEMORY
            )
