"""The extra ``run``, asked for by name before what it brings is missed."""

from __future__ import annotations

from importlib.util import find_spec

from local_aws.errors import Mistake

_BROUGHT = ("boto3", "click", "moto", "psutil")


def need_run() -> None:
    """Raises `Mistake`, naming what to install, unless the local AWS can run here."""
    missing = [name for name in _BROUGHT if find_spec(name) is None]
    if missing:
        raise Mistake(
            f"there is no {', no '.join(missing)}, which the extra `run` brings; "
            "pip install 'local-aws[run]'"
        )
