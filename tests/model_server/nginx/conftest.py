from __future__ import annotations

from tests.model_server.contract.conftest import container

__all__ = ["container"]
