"""Where the local AWS is and how its parts call one another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ACCOUNT_ID = "123456789012"
"""The one account of the local AWS: the emulator's own default, nobody's real one."""

ACCESS_KEY_ID = "test"
SECRET_ACCESS_KEY = "test"


@dataclass(frozen=True, kw_only=True)
class LocalContext:
    """What every part of the local AWS is given: its address, its folder, its clients.

    ``url`` is the gateway (``http://localhost:<port>``); ``state_dir`` is the
    folder that holds its files (unpacked models, logs). Parts call one another
    as users do, through boto3 clients on the gateway, so that each call passes
    the same door.
    """

    url: str
    state_dir: Path
    account_id: str = ACCOUNT_ID
    client: Callable[[str, str], Any] = field(repr=False, compare=False)
    """``client("s3", "eu-west-1")``: a boto3 client on the gateway, made once per pair."""

    @classmethod
    def at(cls, url: str, state_dir: Path) -> LocalContext:
        """A context whose clients speak to the gateway at ``url``."""
        return cls(url=url, state_dir=state_dir, client=_clients(url))


def _clients(url: str) -> Callable[[str, str], Any]:
    import boto3
    from botocore.config import Config

    session = boto3.session.Session(
        aws_access_key_id=ACCESS_KEY_ID, aws_secret_access_key=SECRET_ACCESS_KEY
    )
    config = Config(max_pool_connections=64, retries={"max_attempts": 1})

    making = threading.Lock()

    @cache
    def client(service: str, region: str) -> Any:
        # Clients may be used by several threads, but not made by them.
        with making:
            return session.client(service, region_name=region, endpoint_url=url, config=config)

    return client
