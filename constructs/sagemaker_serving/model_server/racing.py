"""Doing several things at once until one of them is decided."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any


async def first_of(*works: Awaitable[Any]) -> None:
    """Wait until one of ``works`` ends, and end the others; raises what that one raised.

    When several end at the same moment, the one that was named first counts.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        next(task for task in tasks if task in done).result()
    finally:
        await _end(tasks)


async def all_of(*works: Awaitable[Any]) -> None:
    """Wait for all ``works``; the first that raises ends the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.gather(*tasks)
    finally:
        await _end(tasks)


async def _end(tasks: Sequence[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
