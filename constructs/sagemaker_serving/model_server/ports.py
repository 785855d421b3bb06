"""Listening sockets that nobody beyond this machine can reach."""

from __future__ import annotations

import logging
import socket
from pathlib import Path

from sagemaker_serving.errors import Mistake

log = logging.getLogger("front")

BACKLOG = 4096
"""How many connections wait for one that is accepted: the most that Linux allows unless told
otherwise (listen(2), man7.org). Where they are more, a port makes the next ones
try again after a second and longer, and a Unix socket refuses who does not wait."""


def listen(port: int) -> socket.socket:
    """A listening socket on 127.0.0.1; port 0 takes a free one.

    Raises `Mistake` when the port is in use or may not be used.
    """
    try:
        return socket.create_server(("127.0.0.1", port), backlog=BACKLOG)
    except PermissionError as error:
        raise Mistake(f"port {port} may not be used by this user; use 1024 or higher") from error
    except OverflowError as error:
        raise Mistake(f"port is {port}; it must be from 0 to 65535") from error
    except OSError as error:
        raise Mistake(
            f"port {port} is in use; stop what listens there or choose another port"
        ) from error


def listen_privately(path: Path) -> socket.socket:
    """A listening Unix socket; who may reach it is a matter of the folder that it is in."""
    listener = socket.socket(socket.AF_UNIX)
    try:
        listener.bind(str(path))
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


def free_port() -> int:
    """A port of 127.0.0.1 on which nothing listens yet, for a program that opens its own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def listen_near(preferred: int | None, protocol: str = "REST") -> socket.socket:
    """A listening socket on 127.0.0.1, at the container's port where that is free.

    Containers have their ports to themselves; here two fleets may share them.
    """
    if preferred is not None:
        try:
            return socket.create_server(("127.0.0.1", preferred), backlog=BACKLOG)
        except OSError:
            log.warning("port %d is taken; the %s port is another one", preferred, protocol)
    return socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
