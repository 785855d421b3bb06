"""Multi-model mode's Python service of each generation, over engines that remember names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from werkzeug.test import Client, TestResponse

from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.engine_forks.client import EngineForksClient, LoadedEngine
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.handler.answering import Handlers
from sagemaker_serving.model_server.handler.models import Served, models_application
from sagemaker_serving.model_server.multi_model import Outcome
from tests.model_server.contract.light import HALF, Light
from tests.model_server.contract.test_code import SERVER_ERROR, UNCAUGHT

A, B1, B2, C = Generation
TO_2_8, TO_2_19 = (A, B1), (A, B1, B2)


class EngineForks(EngineForksClient):
    """Models that are served already: loading one is remembering its name."""

    def __init__(self, rest_port: int, outcome: Outcome = Outcome.LOADED) -> None:
        self._rest_port = rest_port
        self.outcome = outcome
        self.models: dict[str, bool] = {}
        self.base_paths: list[Path] = []

    def loaded(self, name: str | None = None) -> dict[str, list[LoadedEngine]]:
        return {
            name: [
                LoadedEngine(
                    rest=9100 - n,
                    grpc=9200 - n,
                    served=self._rest_port,
                    served_grpc=9200 - n,
                    pid=n,
                    alive=alive,
                )
            ]
            for n, (name, alive) in enumerate(self.models.items())
        }

    def load(self, name: str, base_path: Path) -> Outcome:
        self.base_paths.append(base_path)
        if name in self.models:
            return Outcome.LOADED_ALREADY
        if self.outcome is Outcome.LOADED:
            self.models[name] = True
        return self.outcome

    def unload(self, name: str) -> bool:
        return self.models.pop(name, None) is not None


class Multi:
    """The service of a generation."""

    def __init__(
        self,
        container: Light,
        generation: Generation,
        folder: Path = Path("/served"),
        *,
        universal: Handlers = None,
        outcome: Outcome = Outcome.LOADED,
        batching: bool = False,
    ) -> None:
        self.engine_forks = EngineForks(container.rest_port, outcome)
        served = Served(folder=folder, wait_seconds=55, batching=batching)
        contract = CONTRACTS[generation]
        self._client = Client(models_application(served, self.engine_forks, universal, contract))

    def ask(self, method: str, path: str, **given: Any) -> TestResponse:
        return self._client.open(path, method=method, **given)

    def load(self, name: str = HALF, url: str = "/opt/ml/models/half/model") -> TestResponse:
        return self.ask("POST", "/models", json={"model_name": name, "url": url})

    def invoke(self, name: str = HALF, **given: Any) -> TestResponse:
        return self.ask(
            "POST", f"/models/{name}/invoke", **{"data": '{"instances": [1.0]}'} | given
        )


def meant(response: TestResponse) -> tuple[int, Any]:
    if response.content_type == "text/html":
        return response.status_code, response.get_data(as_text=True)
    return response.status_code, json.loads(response.get_data(as_text=True))


def uncaught(generation: Generation) -> tuple[int, Any]:
    """An exception that the image's service does not catch: gunicorn's page, or falcon 3's JSON."""
    return 500, UNCAUGHT.body if generation in TO_2_8 else SERVER_ERROR
