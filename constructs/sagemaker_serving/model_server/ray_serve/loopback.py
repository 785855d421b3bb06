"""What each of Ray's workers is told as it starts: to listen to this machine alone."""

from __future__ import annotations

HOOK = f"{__name__}.stay_on_loopback"
"""The name that Ray imports: ``worker_process_setup_hook`` of a runtime environment."""


def stay_on_loopback() -> None:
    """Let a replica's server for its neighbours, which unpickles what it is sent, be 127.0.0.1's.

    Source: ray 2.60, serve/_private/replica.py, which names all addresses and has no setting.
    """
    from ray._common import tls_utils

    add_port = tls_utils.add_port_to_grpc_server

    def add_local_port(server: object, address: str) -> object:
        return add_port(server, address.replace("[::]", "127.0.0.1"))

    tls_utils.add_port_to_grpc_server = add_local_port
