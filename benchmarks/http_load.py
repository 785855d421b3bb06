"""Requests as fast as they are answered, from a process of its own that costs little.

``python http_load.py PORT PATH CONTENT_TYPE CONNECTIONS SECONDS BODY_FILE`` prints the seconds
that each request took, as JSON. It speaks as much HTTP as it needs: an HTTP library in Python
takes longer than what is measured.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path


async def main(
    port: int, path: str, content_type: str, connections: int, seconds: float, body: bytes
) -> list[float]:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    request = head.encode() + body
    end = time.perf_counter() + seconds
    took: list[float] = []

    async def ask() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while (began := time.perf_counter()) < end:
            writer.write(request)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert answer.startswith(b"http/1.1 200"), answer
            length = int(answer.split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            took.append(time.perf_counter() - began)
        writer.close()

    await asyncio.gather(*(ask() for _ in range(connections)))
    return took


if __name__ == "__main__":
    given = sys.argv[1:]
    body = Path(given[5]).read_bytes()
    print(
        json.dumps(
            asyncio.run(
                main(int(given[0]), given[1], given[2], int(given[3]), float(given[4]), body)
            )
        )
    )
