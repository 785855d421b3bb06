"""A real browser for tests: Debian's chromium, spoken to by its own DevTools protocol."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium")
_SECONDS = 60


class Tab:
    """One tab: what it is asked, and the addresses that it has asked for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._session: str | None = None
        self._asked = 0
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._loaded = asyncio.Event()
        self.requested: list[str] = []
        """The address of every request, refused ones too."""
        self.complaints: list[str] = []
        """What was not caught, and what the console has as errors."""
        self._reading = asyncio.create_task(self._read())

    async def attach(self) -> None:
        """Opens the tab."""
        target = await self.ask("Target.createTarget", url="about:blank")
        attached = await self.ask("Target.attachToTarget", flatten=True, **target)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.ask(f"{domain}.enable")

    async def ask(self, method: str, **parameters: Any) -> Any:
        """The result of a command."""
        self._asked += 1
        command = {"id": self._asked, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        answer = self._answers[self._asked] = asyncio.get_running_loop().create_future()
        await self._socket.send_json(command)
        return await asyncio.wait_for(answer, _SECONDS)

    async def resize(self, width: int, height: int = 800, *, dark: bool = False) -> None:
        """Shows pages in this width, as a reader who prefers light or dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        await self.ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.ask("Emulation.setEmulatedMedia", features=[scheme])

    async def open(self, url: str) -> None:
        """Opens a page and waits until it is loaded."""
        self._loaded.clear()
        opened = await self.ask("Page.navigate", url=url)
        assert "errorText" not in opened, (url, opened["errorText"])
        await asyncio.wait_for(self._loaded.wait(), _SECONDS)

    async def run(self, script: str) -> Any:
        """What an expression of JavaScript is, awaited where it is a promise."""
        made = {"expression": script, "awaitPromise": True, "returnByValue": True}
        answer = await self.ask("Runtime.evaluate", **made)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    async def press(self, key: str, text: str | None = None) -> None:
        """Presses and releases a key of the keyboard, such as ``Tab``."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27}.get(key, 0)
        pressed = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        typed = {} if text is None else {"text": text}
        await self.ask("Input.dispatchKeyEvent", type="keyDown", **pressed, **typed)
        await self.ask("Input.dispatchKeyEvent", type="keyUp", **pressed)

    async def until(self, script: str) -> Any:
        """Waits until an expression is true, and returns it."""
        async with asyncio.timeout(_SECONDS):
            while not (found := await self.run(script)):
                await asyncio.sleep(0.02)
            return found

    async def _read(self) -> None:
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                answer = self._answers.pop(told["id"])
                if "error" in told:
                    answer.set_exception(RuntimeError(told["error"]["message"]))
                else:
                    answer.set_result(told["result"])
                continue
            what, given = told["method"], told["params"]
            if what == "Network.requestWillBeSent":
                self.requested.append(given["request"]["url"])
            elif what == "Page.loadEventFired":
                self._loaded.set()
            elif what == "Runtime.exceptionThrown":
                self.complaints.append(str(given["exceptionDetails"]))
            elif what == "Log.entryAdded" and given["entry"]["level"] == "error":
                self.complaints.append(str(given["entry"]))


@asynccontextmanager
async def tab_of_chromium(profile: Path) -> AsyncIterator[Tab]:
    """A tab of a browser of its own, for which no name but the loopback's resolves."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stderr is not None
        listening = None
        async with asyncio.timeout(_SECONDS):
            while listening is None:
                line = (await process.stderr.readline()).decode(errors="replace")
                assert line, "the browser ended"
                listening = re.match("DevTools listening on (ws://.*)", line)
        drain = asyncio.create_task(process.stderr.read())
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(listening[1].strip(), max_msg_size=0) as socket,
        ):
            tab = Tab(socket)
            await tab.attach()
            yield tab
    finally:
        os.killpg(process.pid, 9)
        await process.wait()
    await drain
