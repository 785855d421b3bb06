"""The worker's resource in multi-model mode: /models, and what lies below it."""

from __future__ import annotations

import json
import logging
import random
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import falcon
import requests

from sagemaker_serving.model_server.contract import Contract
from sagemaker_serving.model_server.discovery import Code
from sagemaker_serving.model_server.engine_forks.client import EngineForksClient, LoadedEngine
from sagemaker_serving.model_server.handler.answering import Answerer, Handlers, Target, fail
from sagemaker_serving.model_server.handler.falcon_answers import Uncaught, new_application
from sagemaker_serving.model_server.handler.service import Ping
from sagemaker_serving.model_server.handler.user_code import load_handlers
from sagemaker_serving.model_server.multi_model import (
    NO_MEMORY,
    NO_PORTS,
    Leftover,
    Outcome,
    served_path,
)


class ModelCode:
    """The handlers of the models below ``folder``, imported when they are first asked for.

    Imports are the whole process's: what one model's ``code/lib`` brings is
    there for all, and the first of two modules of one name is everybody's.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handlers: dict[str, tuple[int, Handlers]] = {}

    def handlers(self, name: str, load: int) -> Handlers:
        """A model's own handlers, None when it has none; imported anew for another ``load``.

        Raises whatever importing its ``inference.py`` does.
        """
        known = self._handlers.get(name)
        if known is None or known[0] != load:
            known = self._handlers[name] = load, self._imported(name)
        return known[1]

    def forget(self, name: str) -> None:
        """A model that is unloaded needs its handlers no more."""
        self._handlers.pop(name, None)

    def _imported(self, name: str) -> Handlers:
        code = Code(self._folder / name / "model" / "code")
        if code.lib.exists() and str(code.lib) not in sys.path:
            log.info("Add Python code library for the model %s found at path %s.", name, code.lib)
            sys.path.append(str(code.lib))
        if not code.script.exists():
            return None
        log.info(
            "Importing handlers from model-specific inference script for the model %s "
            "found at path %s.",
            name,
            code.script,
        )
        return load_handlers(code.script)


log = logging.getLogger("handler")

STATUS_TIMEOUT_SECONDS = 5
"""How long an engine may take to tell its model's status."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")


@dataclass(frozen=True, kw_only=True)
class Served:
    """What a multi-model container serves."""

    folder: Path
    """Stands for ``/opt/ml/models``."""

    wait_seconds: int
    batching: bool


def models_application(
    served: Served, engine_forks: EngineForksClient, universal: Handlers, contract: Contract
) -> falcon.App:
    """The falcon application; ``universal`` handlers are those of models that bring none."""
    app = new_application(contract.handler.falcon_major)
    models = Models(served, engine_forks, universal, contract)
    app.add_route("/ping", Ping())
    for path in ("/invocations", "/models", "/models/{model_name}", "/models/{model_name}/invoke"):
        app.add_route(path, models)
    return app


class Models:
    """One resource for every path, as in the container.

    So GET /models/NAME/invoke tells a status and POST /models/NAME predicts,
    which nobody asks for.
    """

    def __init__(
        self,
        served: Served,
        engine_forks: EngineForksClient,
        universal: Handlers,
        contract: Contract,
    ) -> None:
        self._served = served
        self._engine_forks = engine_forks
        self._universal = universal
        self._rules = contract.multi_model
        self._answerer = Answerer(contract.handler, served.wait_seconds)
        self._code = ModelCode(served.folder) if self._rules.code_of_models else None
        self._failed: dict[str, list[LoadedEngine]] = {}
        """What loads that failed have left in this worker, as in the image's."""
        self._has_loaded = False

    def on_get(
        self, request: falcon.Request, response: falcon.Response, model_name: str | None = None
    ) -> None:
        """The status of all models, or of one."""
        models = self._engine_forks.loaded(model_name) | self._failed
        if model_name is None:
            statuses = {name: _status(name, engines[0]) for name, engines in models.items()}
            response.text = json.dumps({name: reply.json() for name, reply in statuses.items()})
        elif self._is_bad_name(response, model_name):
            return
        elif model_name not in models:
            fail(response, falcon.HTTP_404, self._rules.status_unknown.format(model_name))
        elif not self._rules.tells_status:
            raise Uncaught
        else:
            reply = _status(model_name, models[model_name][0])
            response.text = json.dumps({"model": reply.json()})

    def on_post(
        self, request: falcon.Request, response: falcon.Response, model_name: str | None = None
    ) -> None:
        """Load a model, or predict with one."""
        if model_name is not None:
            self._invoke(request, response, model_name)
        elif request.path == "/models":
            self._load(request, response)
        else:
            status, message = self._rules.unnamed
            fail(response, falcon.code_to_http_status(status), message)

    def on_delete(
        self, request: falcon.Request, response: falcon.Response, model_name: str
    ) -> None:
        """Unload a model; its memory is free when the answer comes."""
        if self._is_bad_name(response, model_name):
            return
        engines = self._engine_forks.loaded(model_name).get(model_name, [])
        if model_name in self._failed and not self._rules.unloads_the_dead:
            fail(response, falcon.HTTP_500, "[Errno 3] No such process")
        elif not self._unload(model_name):
            fail(response, falcon.HTTP_404, f"Model {model_name} is not loaded yet")
        elif not self._rules.unloads_the_dead and not all(engine.alive for engine in engines):
            fail(response, falcon.HTTP_500, "[Errno 3] No such process")
        else:
            _succeed(response, f"Successfully unloaded model {model_name}.")

    def _load(self, request: falcon.Request, response: falcon.Response) -> None:
        name, url = _load_request(request)
        if self._is_bad_name(response, name):
            return
        if self._served.batching and not self._rules.batches:
            self._fail_plainly(response, falcon.HTTP_500, "No such file or directory")
            return
        outcome = self._outcome(name, url)
        if outcome is Outcome.LOADED:
            self._import_code(name)
            models = self._engine_forks.loaded(name)
            rest = {model: engines[-1].rest for model, engines in models.items()}
            grpc = {model: engines[-1].grpc for model, engines in models.items()}
            _succeed(response, self._rules.loaded(name, rest, grpc))
        else:
            self._refusals(response, name, url)[outcome]()

    def _outcome(self, name: str, url: str) -> Outcome:
        if name in self._failed:
            return Outcome.LOADED_ALREADY
        place = served_path(url, self._served.folder)
        outcome = Outcome.NO_BASE_PATH if place is None else self._engine_forks.load(name, place)
        leftover = self._rules.leftover
        is_left = leftover is Leftover.FOREVER or (
            leftover is Leftover.UNTIL_A_LOAD_SUCCEEDS and not self._has_loaded
        )
        if outcome is Outcome.LOADED:
            self._has_loaded = True
            if leftover is Leftover.UNTIL_A_LOAD_SUCCEEDS:
                self._failed.clear()
        elif outcome in (Outcome.FAILED, Outcome.NO_MEMORY) and is_left:
            self._failed[name] = [_NOBODY]
        return outcome

    def _refusals(
        self, response: falcon.Response, name: str, url: str
    ) -> dict[Outcome, Callable[[], None]]:
        no_base_path = f"Could not find valid base path {url} for servable {name}"
        too_late = f"Timed out after {self._served.wait_seconds} seconds"
        twice = self._rules.loaded_twice.format(name)
        at_once = self._rules.loading_twice.format(name)
        return {
            Outcome.LOADED_ALREADY: lambda: fail(response, falcon.HTTP_409, twice),
            Outcome.LOADING: lambda: fail(response, falcon.HTTP_409, at_once),
            Outcome.NO_PORTS: lambda: fail(response, falcon.HTTP_507, NO_PORTS),
            Outcome.NO_BASE_PATH: lambda: fail(response, falcon.HTTP_404, no_base_path),
            Outcome.NO_MEMORY: lambda: self._fail_plainly(response, falcon.HTTP_507, NO_MEMORY),
            Outcome.FAILED: lambda: self._fail_plainly(response, falcon.HTTP_408, too_late),
        }

    def _fail_plainly(self, response: falcon.Response, status: str, message: str) -> None:
        """A text that is no JSON, whatever its content type says."""
        if self._rules.uncaught:
            raise Uncaught
        response.status = status
        response.text = message

    def _import_code(self, name: str) -> None:
        """A model whose code cannot be imported is not loaded: the answer is a 500."""
        try:
            self._handlers_of(name, self._engine_forks.loaded(name)[name])
        except Exception:
            log.exception("the code of model %s cannot be imported", name)
            self._unload(name)
            raise Uncaught from None

    def _unload(self, name: str) -> bool:
        if self._code is not None:
            self._code.forget(name)
        return self._engine_forks.unload(name)

    def _invoke(self, request: falcon.Request, response: falcon.Response, name: str) -> None:
        engines = (self._engine_forks.loaded(name) | self._failed).get(name, [])
        if self._rules.forgets_the_dead and not all(engine.alive for engine in engines):
            self._unload(name)
            engines = []
        if not engines:
            fail(response, falcon.HTTP_404, f"Model {name} is not loaded yet.")
            return
        engine = random.choice(engines)
        target = Target(
            rest_port=engine.served,
            grpc_port=engine.served_grpc,
            default_model=name,
            model=name,
            channel=None,
        )
        self._answerer.answer(request, response, target, self._handlers_of(name, engines))

    def _handlers_of(self, name: str, engines: list[LoadedEngine]) -> Handlers:
        own = None if self._code is None else self._code.handlers(name, engines[0].pid)
        return self._universal if own is None else own

    def _is_bad_name(self, response: falcon.Response, name: str) -> bool:
        """Whether the answer is a 400 now."""
        if not self._rules.judges_names or _NAME.fullmatch(name):
            return False
        fail(response, falcon.HTTP_400, f"invalid model_name: {name!r}")
        return True


_NOBODY = LoadedEngine(rest=1, grpc=1, served=1, served_grpc=1, pid=0, alive=False)
"""Where no engine answers: an ordinary program may not listen there."""


def _load_request(request: falcon.Request) -> tuple[str, str]:
    try:
        facts: Any = json.loads(request.stream.read())
        name, url = facts["model_name"], facts["url"]
    except (ValueError, KeyError, TypeError) as error:
        log.error("a request to load a model: %s: %s", type(error).__name__, error)
        raise Uncaught from None
    if not isinstance(name, str) or not isinstance(url, str):
        raise Uncaught
    return name, url


def _status(name: str, engine: LoadedEngine) -> requests.Response:
    """What TF Serving's REST API says of a model; a 500 when nobody answers."""
    url = f"http://localhost:{engine.served}/v1/models/{name}"
    try:
        return requests.get(url, timeout=STATUS_TIMEOUT_SECONDS)
    except requests.RequestException:
        log.exception("exception handling GET models request.")
        raise Uncaught from None


def _succeed(response: falcon.Response, message: str) -> None:
    response.text = json.dumps({"success": message})
