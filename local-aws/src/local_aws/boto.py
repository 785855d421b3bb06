"""boto3 on this machine's own address: nothing of the user's AWS has a say in it."""

from __future__ import annotations

import functools
import os
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.loaders import JSONFileLoader, Loader

DIRECTLY = Config(proxies={}, use_fips_endpoint=False, use_dualstack_endpoint=False)
"""For clients of another address than the real AWS's: it is asked directly, as it is named."""


INTERNAL_USER_AGENT = "local-aws/internal"
"""In the User-Agent of calls that the local AWS makes for its own bookkeeping: no fault that a
user has set strikes them."""


def isolated_session(*, endpoint_url: str | None = None, **given: str) -> Any:
    """A boto3 session that reads nothing of ``~/.aws`` and of no profile in the shell.

    With ``endpoint_url`` all that is made by it asks there, directly. What else is ``given`` are
    arguments of boto3's.
    """
    session = botocore.session.Session()
    settings = session.get_component("config_store")
    settings.set_config_variable("profile", None)
    settings.set_config_variable("config_file", os.devnull)
    settings.set_config_variable("credentials_file", os.devnull)
    if endpoint_url is not None:
        session.set_default_client_config(DIRECTLY)
        create = session.create_client
        session.create_client = lambda *arguments, **options: create(
            *arguments, **{**options, "endpoint_url": options.get("endpoint_url") or endpoint_url}
        )
    made = boto3.session.Session(botocore_session=session, **given)
    # Only now: boto3 puts a path of its own into the loader that it finds.
    session.register_component("data_loader", _loader())
    return made


@functools.cache
def _loader() -> Loader:
    """One for all such sessions, of which each would read services' descriptions anew: botocore's
    own, and none of ``~/.aws/models`` or ``AWS_DATA_PATH``."""
    return Loader([Loader.BUILTIN_DATA_PATH], include_default_search_paths=False)


def read_models_once() -> None:
    """From now on a file of botocore's data is read once in this process, and none of the user's.

    botocore keeps what it has read for each session, and the emulator makes a session for each
    service: half of the files that a first deployment reads, it reads again. And whatever looks a
    service up finds ``~/.aws/models`` first.
    """
    Loader.FILE_LOADER_CLASS = _ReadingOnce
    Loader.CUSTOMER_DATA_PATH = Loader.BUILTIN_DATA_PATH


@functools.cache
def _read(path: str) -> Any:
    return JSONFileLoader().load_file(path)


class _ReadingOnce(JSONFileLoader):  # type: ignore[misc]
    def load_file(self, file_path: str) -> Any:
        return _read(file_path)
