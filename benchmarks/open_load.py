"""Requests at given times, answered or not, from a process of its own that costs little.

``python open_load.py FILE`` reads JSON: ``arrivals`` in seconds, ``ports`` (of each request), path,
content_type and body. It prints for each request its status and the seconds that it took from the
moment when it was due. It speaks as much HTTP as it needs, as `http_load` does.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def main(given: Any) -> list[tuple[int, float]]:
    body = given["body"].encode()
    head = (
        f"POST {given['path']} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: {given['content_type']}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    request = head.encode() + body
    idle: dict[int, list[Connection]] = {}

    async def ask(port: int, due: float) -> tuple[int, float]:
        there = idle.setdefault(port, [])
        while True:
            kept = bool(there)
            reader, writer = (
                there.pop() if kept else await asyncio.open_connection("127.0.0.1", port)
            )
            try:
                writer.write(request)
                answer = (await reader.readuntil(b"\r\n\r\n")).lower()
                break
            except (asyncio.IncompleteReadError, ConnectionError):
                if not kept:  # else the server had ended it while nothing was sent
                    raise
        length = int(answer.split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(length)
        there.append((reader, writer))
        return int(answer.split(b" ", 2)[1]), time.perf_counter() - due

    began = time.perf_counter() + 0.1
    sent = []
    for at, port in zip(given["arrivals"], given["ports"], strict=True):
        await asyncio.sleep(max(began + at - time.perf_counter(), 0))
        sent.append(asyncio.ensure_future(ask(port, began + at)))
    return list(await asyncio.gather(*sent))


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(json.loads(Path(sys.argv[1]).read_text())))))
