"""The worker's resources in single-model mode: /invocations and /ping, in falcon."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import falcon
import grpc

from sagemaker_serving.model_server.contract import HandlerRules
from sagemaker_serving.model_server.handler.answering import Answerer, Handlers, Target
from sagemaker_serving.model_server.handler.falcon_answers import Uncaught, new_application


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """Where the engines are, and how long one may take to answer."""

    rest_ports: Sequence[int]
    grpc_ports: Sequence[int]
    default_model: str
    timeout_seconds: int


def application(upstream: Upstream, handlers: Handlers, rules: HandlerRules) -> falcon.App:
    """The falcon application; without handlers, requests go to the engine as they come.

    Made in the process that answers: a gRPC channel does not outlive a fork.
    """
    app = new_application(rules.falcon_major)
    app.add_route("/ping", Ping())
    app.add_route("/invocations", Invocations(upstream, handlers, rules))
    return app


class Ping:
    """GET /ping: this worker runs."""

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """200, empty."""
        response.status = falcon.HTTP_200


class Invocations:
    """/invocations: the user's handlers, or the default one."""

    def __init__(self, upstream: Upstream, handlers: Handlers, rules: HandlerRules) -> None:
        self._handlers = handlers
        self._answers_get = rules.answers_get
        self._answerer = Answerer(rules, upstream.timeout_seconds)
        self._targets = [
            Target(
                rest_port=rest_port,
                grpc_port=str(grpc_port),
                default_model=upstream.default_model,
                channel=grpc.insecure_channel(f"localhost:{grpc_port}"),
            )
            for rest_port, grpc_port in zip(upstream.rest_ports, upstream.grpc_ports, strict=True)
        ]

    def on_get(self, request: falcon.Request, response: falcon.Response) -> None:
        """200 and {}, or a 500: in single-model mode there is no list of models to show."""
        if not self._answers_get:
            raise Uncaught
        response.text = "{}"

    def on_post(self, request: falcon.Request, response: falcon.Response) -> None:
        """The answer of one of the engines."""
        self._answerer.answer(request, response, random.choice(self._targets), self._handlers)
