"""A container that opens a WebSocket and says back what it is told, or ends as it is told to."""

from __future__ import annotations

import os
from http import HTTPStatus

from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

PATHS = ("/invocations-bidirectional-stream", "/v1/listen?model=small")


def answer(connection: ServerConnection, request: Request) -> Response | None:
    """To /ping that it lives, to what is no WebSocket's path 404."""
    if request.path == "/ping":
        return connection.respond(HTTPStatus.OK, "")
    if request.path not in PATHS:
        return connection.respond(HTTPStatus.NOT_FOUND, f"no {request.path} here")
    return None


def talk(connection: ServerConnection) -> None:
    """Say back each message, in the same fragments; one of some words is done instead."""
    assert connection.request is not None
    if "?" in connection.request.path:
        connection.send(connection.request.path)
    for message in iter(lambda: [*connection.recv_streaming()], [""]):
        match message:
            case ["die"]:
                os._exit(3)
            case ["close"]:
                return
            case ["fail"]:
                connection.close(1011, "out of memory")
                return
            case ["count", *_]:
                for number in range(2000):
                    connection.send(f"{number}" * 100)
            case [whole]:
                connection.send(whole)
            case _:
                connection.send(iter(message))


if __name__ == "__main__":
    port = int(os.environ["SAGEMAKER_BIND_TO_PORT"].split("-")[0])
    with serve(talk, "127.0.0.1", port, process_request=answer) as server:
        server.serve_forever()
