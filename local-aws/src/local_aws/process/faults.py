"""The faults of a local AWS that runs, set and taken away from another process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote

from local_aws.errors import Mistake, NotFound
from local_aws.process.address import Address

_PATH = "/_local/faults"


class FaultsPage:
    """Makes the local AWS at ``address`` fail as AWS does.

    Every method gives the faults that are set then, each with how often it was ``matched`` and has
    ``struck``. What the local AWS refuses is raised as `Mistake`, with all that is wrong.
    """

    def __init__(self, address: Address) -> None:
        self._address = address

    def set(self, kind: str, **options: Any) -> list[dict[str, Any]]:
        """Set a fault, which strikes from now on.

        ``kind`` is one of `local_aws.faults.KINDS`. The
        options are those of `local_aws.faults.Fault`: ``id`` (default: the kind; one of the same
        id is replaced), ``service``, ``operation`` and ``name`` (patterns; default: any), one of
        ``rate`` (0 to 1), ``every`` and ``first``, ``seed``, ``latency_ms`` and ``status``.
        """
        return self._ask("PUT", options.get("id", kind), {"kind": kind, **options})

    def listed(self) -> list[dict[str, Any]]:
        """Nothing but tell them."""
        return self._ask("GET")

    def clear(self, id: str | None = None) -> list[dict[str, Any]]:
        """Take one away, or all of them; raises `NotFound` for one that is not set."""
        return self._ask("DELETE", id)

    def _ask(
        self, method: str, id: str | None = None, body: Mapping[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        path = _PATH if id is None else f"{_PATH}/{quote(id, safe='')}"
        data = None if body is None else json.dumps(body).encode()
        try:
            with self._address.open(path, method, data) as answer:
                listed: list[dict[str, Any]] = json.load(answer)["faults"]
        except HTTPError as refused:
            error = NotFound if refused.code == 404 else Mistake
            raise error(json.load(refused)["message"]) from None
        return listed
