"""The container without TensorFlow: its real front, REST API and Python service over numpy.

Models: ``half_plus_three`` (version 122 adds two instead) with predict, regress
and classify, and ``text``, which answers with the strings that it is given.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from aiohttp import web

from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.engine.examples import ExampleList
from sagemaker_serving.model_server.engine.registry import Registry
from sagemaker_serving.model_server.engine.rest import RestApi
from sagemaker_serving.model_server.engine.running import DirectRunner
from sagemaker_serving.model_server.engine.service import Service
from sagemaker_serving.model_server.engine.signatures import Signature, TensorInfo
from sagemaker_serving.model_server.engine.tensors import Array
from sagemaker_serving.model_server.front import Engines, Front, WithoutCode
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.link import LinkClient, Reply
from sagemaker_serving.model_server.nginx.server import HttpServer
from sagemaker_serving.model_server.ports import BACKLOG, listen

HALF = "half_plus_three"
TEXT = "text"


@dataclass(frozen=True, kw_only=True)
class Light:
    """Where it listens on 127.0.0.1."""

    rest_port: int
    fronts: Mapping[Generation, int]
    """The port of a container without code, by generation."""


class Graph:
    """A model of one function from x to y, and over examples where it is asked for."""

    def __init__(self, dtype: str, offset: float | None) -> None:
        self._offset = offset
        self.signatures: Mapping[str, Signature] = {
            "serving_default": _signature("predict", {"x": dtype}, {"y": dtype}),
            "regress_x_to_y": _signature("regress", {"inputs": "STRING"}, {"outputs": "FLOAT"}),
            "classify_x_to_y": _signature("classify", {"inputs": "STRING"}, {"scores": "FLOAT"}),
        }

    def run(
        self, feeds: Mapping[str, Array], fetches: tuple[str, ...], *, here: bool = False
    ) -> dict[str, Array]:
        (x,) = feeds.values()
        if self._offset is None:
            return dict.fromkeys(fetches, x)
        y = np.asarray(x.astype(np.float32) * 0.5 + self._offset, np.float32)
        return {name: y[:, None] if name == "scores:0" else y for name in fetches}

    def serialized(self, examples: ExampleList) -> Array:
        """The feature x alone stands for the example."""
        return np.array([example["x"].values[0] for example in examples.examples])


def _signature(method: str, ins: Mapping[str, str], outs: Mapping[str, str]) -> Signature:
    return Signature(
        inputs=_tensors(ins),
        outputs=_tensors(outs),
        method_name=f"tensorflow/serving/{method}",
        text=method,
    )


def _tensors(dtypes: Mapping[str, str]) -> dict[str, TensorInfo]:
    return {
        name: TensorInfo(tensor=f"{name}:0", dtype=f"DT_{dtype}", shape=None)
        for name, dtype in dtypes.items()
    }


class _DirectLink(LinkClient):
    """A link without a socket."""

    def __init__(self, api: RestApi) -> None:
        super().__init__(read_timeout=60)
        self._api = api

    @property
    def is_open(self) -> bool:
        return True

    async def request(self, method: str, path: str, body: bytes = b"") -> Reply:
        return await self._api.answer(method, path, body)


@contextmanager
def light() -> Iterator[Light]:
    """All of it, served from a thread of this process."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            registry = Registry(
                {
                    HALF: {122: Graph("FLOAT", 2.0), 123: Graph("FLOAT", 3.0)},
                    TEXT: {1: Graph("STRING", None)},
                }
            )
            api = RestApi(registry, Service(DirectRunner(pool), pool))
            serving = asyncio.run_coroutine_threadsafe(_serve(api), loop)
            rest, rest_port, fronts, ports = serving.result(20)
            yield Light(rest_port=rest_port, fronts=dict(zip(Generation, ports, strict=True)))
            asyncio.run_coroutine_threadsafe(_end(rest, fronts), loop).result(20)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def _front(api: RestApi, generation: Generation) -> Front:
    engines = Engines()
    engines.connect(0, _DirectLink(api))
    front = Front()
    front.open(WithoutCode(engines, HALF, CONTRACTS[generation]), engines)
    return front


async def _serve(api: RestApi) -> tuple[web.ServerRunner, int, list[HttpServer], list[int]]:
    rest = web.ServerRunner(web.Server(api.handle, access_log=None), shutdown_timeout=1.0)
    await rest.setup()
    public = listen(0)
    await web.SockSite(rest, public).start()
    fronts, ports = [], []
    for generation in Generation:
        server = HttpServer(_front(api, generation).handle, CONTRACTS[generation].nginx)
        door = listen(0)
        await server.start(door, backlog=BACKLOG)
        fronts.append(server)
        ports.append(door.getsockname()[1])
    return rest, public.getsockname()[1], fronts, ports


async def _end(rest: web.ServerRunner, fronts: list[HttpServer]) -> None:
    for front in fronts:
        await front.close(1.0)
    await rest.cleanup()
