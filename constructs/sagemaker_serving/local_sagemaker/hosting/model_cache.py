"""Which models a multi-model server has loaded, and which has to go for the next one."""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer

NO_ROOM = 507
"""What a container answers to a model that it has no memory for (SageMaker developer guide,
"Contract for Custom Containers to Serve Multiple Models")."""


class NotLoaded(Exception):
    """The model was not loaded in time; loading goes on."""


class LoadRefused(Exception):
    """The server did not load the model; ``answer`` is what it said."""

    def __init__(self, answer: ModelAnswer) -> None:
        super().__init__(f"{answer.status}")
        self.answer = answer


@dataclass(frozen=True, kw_only=True)
class Held:
    """A loaded model: the server's name for it, and whether its request found it loading."""

    name: str
    was_waited_for: bool


@dataclass(eq=False, kw_only=True)
class _Model:
    target: str
    name: str
    folder: Path
    ready: Future[None] = field(default_factory=Future)
    in_use: int = 0
    size: int = 0


class ModelCache:
    """Loads what is asked for and, where there is no room, unloads what was asked longest ago.

    ``fetch`` unpacks a target's archive into a folder, ``load`` has the server
    load it, ``unload`` has it forget a name. A model takes as much memory as
    its unpacked files: beyond ``limit_bytes`` of them, and whenever the server
    says 507, another one goes. One that is answering a request stays. Archives
    stay on disk, as they do on an instance; with ``keeps`` False each model goes
    as soon as nobody asks it.
    """

    def __init__(
        self,
        *,
        fetch: Callable[[str, Path], None],
        load: Callable[[str, str, Path], ModelAnswer],
        unload: Callable[[str], None],
        folder: Path,
        limit_bytes: float | None,
        keeps: bool,
        patience_seconds: float,
    ) -> None:
        self._fetch = fetch
        self._load = load
        self._unload = unload
        self._folder = folder
        self._limit = limit_bytes
        self._keeps = keeps
        self._patience = patience_seconds
        self._models: OrderedDict[str, _Model] = OrderedDict()  # the one asked last is the last
        self._changed = threading.Condition()
        self._loading = threading.Lock()  # the server loads and unloads one at a time

    def __len__(self) -> int:
        with self._changed:
            return len(self._loaded())

    @contextmanager
    def holding(self, target: str, patience_seconds: float) -> Iterator[Held]:
        """The target, loaded; it is not unloaded inside.

        Raises `NotLoaded` after ``patience_seconds``, `LoadRefused`, and what
        ``fetch`` and ``load`` raise.
        """
        with self._changed:
            model, is_new = self._models.get(target), False
            if model is None:
                model, is_new = self._new(target), True
                self._models[target] = model
                threading.Thread(target=self._bring, args=(model,), daemon=True).start()
            self._models.move_to_end(target)
            model.in_use += 1
            waited_for = is_new or not model.ready.done()
        try:
            try:
                model.ready.result(patience_seconds)
            except NotYet:
                raise NotLoaded(
                    f"Model {target} is still being downloaded or loaded. Try again."
                ) from None
            yield Held(name=model.name, was_waited_for=waited_for)
        finally:
            with self._changed:
                model.in_use -= 1
                self._changed.notify_all()
                done_with = not self._keeps and model.in_use == 0
            if done_with:
                threading.Thread(target=self._put_out, args=(model,), daemon=True).start()

    def forget(self) -> None:
        """The server has started anew: nothing is loaded."""
        with self._changed:
            self._models.clear()
            self._changed.notify_all()

    def lost(self, target: str) -> None:
        """The server no longer has the target, whose next request loads it again."""
        with self._changed:
            model = self._models.get(target)
            if model is not None and model.ready.done():
                del self._models[target]
                self._changed.notify_all()

    def _new(self, target: str) -> _Model:
        name = hashlib.sha256(target.encode()).hexdigest()[:32]
        return _Model(target=target, name=name, folder=self._folder / name / "model")

    def _bring(self, model: _Model) -> None:
        try:
            if not model.folder.exists():
                self._fetch_whole(model)
            model.size = _size(model.folder)
            with self._loading:
                self._load_with_room(model)
        except BaseException as error:
            with self._changed:
                if self._models.get(model.target) is model:
                    del self._models[model.target]
            model.ready.set_exception(error)
        else:
            model.ready.set_result(None)
        with self._changed:
            self._changed.notify_all()

    def _fetch_whole(self, model: _Model) -> None:
        """What was cut off is not taken for a model later."""
        try:
            self._fetch(model.target, model.folder)
        except BaseException:
            shutil.rmtree(model.folder, ignore_errors=True)
            raise

    def _load_with_room(self, model: _Model) -> None:
        while self._limit is not None and self._total() + model.size > self._limit:
            if not self._evict():
                raise LoadRefused(_no_room(model.size, self._limit))
        while True:
            answer = self._load(model.target, model.name, model.folder)
            if 200 <= answer.status < 300:
                return
            if answer.status != NO_ROOM or not self._evict():
                raise LoadRefused(answer)

    def _evict(self) -> bool:
        """Unload the model that was asked longest ago; False when none is loaded.

        Waits for one that is in use.
        """
        end = time.monotonic() + self._patience
        with self._changed:
            while True:
                loaded = self._loaded()
                idle = [model for model in loaded if model.in_use == 0]
                if idle:
                    victim = idle[0]
                    del self._models[victim.target]
                    break
                if not loaded or not self._changed.wait(end - time.monotonic()):
                    return False
        self._unload(victim.name)
        return True

    def _put_out(self, model: _Model) -> None:
        with self._loading:
            with self._changed:
                if model.in_use or self._models.get(model.target) is not model:
                    return
                del self._models[model.target]
            self._unload(model.name)

    def _loaded(self) -> list[_Model]:
        return [
            model
            for model in self._models.values()
            if model.ready.done() and model.ready.exception() is None
        ]

    def _total(self) -> int:
        with self._changed:
            return sum(model.size for model in self._loaded())


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _no_room(size: int, limit: float) -> ModelAnswer:
    mib = 1024 * 1024
    said = (
        f"the model's files take {size / mib:.1f} MB; the memory limit of the local AWS is "
        f"{limit / mib:g} MB"
    )
    return ModelAnswer(status=NO_ROOM, headers={}, body=said.encode(), container="model")
