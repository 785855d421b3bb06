"""Doing several things at once until one of them is decided."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any

_CHUNK = 64 * 1024


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


async def relay(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    theirs: asyncio.StreamReader,
    to_them: asyncio.StreamWriter,
) -> None:
    """Pass the bytes of two connections on to one another until either side ends its own."""
    try:
        await first_of(_pass(reader, to_them), _pass(theirs, writer))
    finally:
        to_them.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(_CHUNK):
        writer.write(chunk)
        await writer.drain()


async def _end(tasks: Sequence[asyncio.Future[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
