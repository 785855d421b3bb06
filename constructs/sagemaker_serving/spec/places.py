"""Where things lie in an environment's bucket: below each model's name, but compiled models."""

from __future__ import annotations

COMPILED = "compiled/"
"""Compiled models of all: ``compiled/<job>/``."""

ARCHIVES, CAPTURED, CORE_DUMPS, ASYNC = "models", "captured", "core-dumps", "async"
ASYNC_PLACES = {kind: f"{ASYNC}/{kind}" for kind in ("input", "output", "failure")}
BATCH_PLACES = {kind: f"batch/{kind}" for kind in ("input", "output", "work", "reports")}

ROUTED = "routers"
"""Asynchronous requests to inference routers: ``routers/<router>/<target>/``."""

KEPT = (ARCHIVES, "batch", ASYNC, CORE_DUMPS)
"""What lies below a model's name beside what is captured."""
