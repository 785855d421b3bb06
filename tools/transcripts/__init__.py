"""Pages whose commands are run: what their ``text`` blocks show is what the ``sh`` blocks print."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from tools.transcripts.blocks import Block, blocks

_END = "--- the block has ended with"
_CHANGING = {
    r"http://localhost:\d+": "<url>",
    r"\(process \d+\) after [\d.]+ s": "<process and seconds>",
    r"\d{4}-\d\d-\d\dT[\d:+]+": "<time>",
    r"\b\d\d:\d\d:\d\d\b": "<time>",
    r"^commit .*": "<commit>",
    r"(EndpointConfig|Models)\w+-[A-Z0-9]+": r"\1<id>",
    r"\brun-\d{8}-\d{6}-\d{6}\b": "<run>",
    r"\b[\d.]+ s\b": "<seconds>",
    r"[0-9a-f]{64}": "<sha256>",
}
"""What another run prints otherwise."""

ANOTHER_ENVIRONMENT = "<!-- from here on, the tests have an environment of their own -->"
"""Parts a page: what follows is run with other extras installed, in a folder of its own."""

_A_MOMENT = re.compile(r"Creating$")
"""What `watch` says only when it looks at the right moment."""


class Differs(AssertionError):
    """A command failed, or printed something else than its page shows."""


class Shell:
    """One bash in ``folder``, which blocks are pasted into; nothing of another home is known."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env={"HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache"), **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def paste(self, block: str) -> tuple[list[str], int]:
        """What the block prints, and the status that its last command ends with."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        # Braces, so that no command reads the blocks after its own from the same pipe.
        self._process.stdin.write(f"{{\n{block}\n}} </dev/null\nprintf '\\n{_END} %s\\n' $?\n")
        self._process.stdin.flush()
        printed: list[str] = []
        for line in self._process.stdout:
            if line.startswith(_END):
                return printed, int(line.removeprefix(_END))
            printed.append(line.rstrip("\n"))
        raise Differs(f"the shell ended in the middle of a block: {printed}")

    def close(self) -> None:
        """Ends it; nothing that it printed is waited for."""
        self._process.kill()
        self._process.communicate()


def follow(
    page: Path,
    folder: Path,
    environment: Mapping[str, str],
    *,
    part: int = 0,
    region: str = "eu-west-1",
    within: float = 1000,
) -> Iterator[tuple[Block, list[str]]]:
    """Pastes the ``sh`` blocks of a part of the page into one shell.

    A page whose later commands need another environment has `ANOTHER_ENVIRONMENT` before them.

    Gives each ``text`` block with the lines that the ``sh`` block before it printed. Raises
    `Differs` where a command ends with another status than 0. The page's eu-west-1 is ``region``
    in both. ``within`` is in seconds.
    """
    shell = Shell(folder, environment)
    watchdog = threading.Timer(within, shell.close)
    watchdog.start()
    printed: list[str] = []
    try:
        parts = page.read_text(encoding="utf-8").split(ANOTHER_ENVIRONMENT)
        begin, end = (sum(each.count("\n") for each in parts[:to]) for to in (part, part + 1))
        for written in blocks(page, "sh", "text"):
            if not begin < written.line <= end:
                continue
            block = replace(written, text=written.text.replace("eu-west-1", region))
            if block.language == "text":
                yield block, printed
                continue
            # Another local AWS may have the usual port here.
            command = re.sub(r"\blocal up\b", "local up --port 0", block.text)
            printed, status = shell.paste(command)
            if status:
                log = folder / ".sagemaker-serving" / "deploy.log"
                said = log.read_text()[-2000:] if log.exists() else ""
                raise Differs("\n".join([block.where, *printed, said]))
    finally:
        watchdog.cancel()
        shell.close()


def must_show(shown: str, printed: list[str], where: str) -> None:
    """Every line that is shown was printed, in this order; ``…`` stands for any."""
    came = iter([stable(line) for line in printed])
    for line in shown.splitlines():
        if line == "…" or _A_MOMENT.search(line):
            continue
        if stable(line) not in came:
            raise Differs(f"{where}: {line!r} was not printed in its place: {printed}")


def stable(line: str) -> str:
    """The line without what another run prints otherwise."""
    for pattern, name in _CHANGING.items():
        line = re.sub(pattern, name, line)
    return line.rstrip()
