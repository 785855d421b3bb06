"""The local AWS and the address that the functions which compile are tested with, too."""

from __future__ import annotations

from tests.functions.neo_compilation.conftest import aws, listener

__all__ = ["aws", "listener"]
