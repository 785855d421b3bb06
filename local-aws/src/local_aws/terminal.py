"""What is printed: our own colours as they are, and of what others wrote nothing that steers.

Log lines of models, names of endpoints and of files in archives, messages of AWS: what a terminal
would obey in them, from a new title of its window to a cleared screen, is shown as ``\\u001b``;
mere colours, which servers give their log lines, are left out. It is done where text leaves the
process, so that no command has to think of it. Bytes that go to a file or a pipe stay as they are.

The characters: control characters but for line feed and tab, C1 controls, DEL (ECMA-48, 5th
edition, section 5), and what changes the direction of text (Unicode 17.0, UAX #9, section 2); and
halves of characters, which no encoding can write. The escape is JSON's, so
that a JSON document stays one, and the same.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn


def clean(text: str) -> str:
    """``text`` without colours, every character that would steer a terminal shown as its escape."""
    if text.isprintable():
        return text
    plain = _COLOURS.sub("", text.replace("\r\n", "\n"))
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)


def install() -> None:
    """Has everything that this process prints cleaned from now on."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, CleanStream):
            setattr(sys, name, cast(TextIO, CleanStream(stream)))


def print_own(text: str) -> None:
    """Prints ``text``, which is ours to the last character, with its colours."""
    stream = _own(sys.stdout)
    stream.write(f"{text}\n")
    stream.flush()


def console(*, stderr: bool = False, **options: Any) -> Console:
    """A rich console, which cleans what it is given and writes its own colours.

    What stands in square brackets or between colons is no markup: it is somebody's name.
    """
    plain = {"highlight": False, "markup": False, "emoji": False, **options}
    made: Console = _console()(file=_own(sys.stderr if stderr else sys.stdout), **plain)
    return made


def progress_bars(*columns: ProgressColumn) -> Progress:
    """Progress bars on standard error, gone at their end, each with its description."""
    from rich.progress import BarColumn, Progress, TextColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *columns,
        console=console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


class CleanStream:
    """A text stream that cleans what is written; ``own`` is the stream below.

    Its ``buffer`` is the one below, too, but for a terminal's.
    """

    def __init__(self, own: TextIO) -> None:
        self.own = own
        self.buffer: Any = own.buffer
        if own.isatty():
            self.buffer = _CleanBuffer(self)

    def write(self, text: str) -> int:
        """Writes ``text``, cleaned; the number of its characters."""
        self.own.write(clean(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes each of ``lines``."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)


class _CleanBuffer:
    """Bytes on their way to a terminal: text where they are UTF-8, else escapes."""

    def __init__(self, stream: CleanStream) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def write(self, data: bytes) -> int:
        self._stream.write(self._decoder.decode(bytes(data)))
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream.own.buffer, name)


@cache
def _console() -> Any:
    from rich.console import Console
    from rich.segment import Segment

    class CleanConsole(Console):
        """Cleans text as it becomes bytes; what rich itself says to the terminal passes."""

        def _render_buffer(self, buffer: Iterable[Segment]) -> str:
            return super()._render_buffer(
                segment
                if segment.control
                else Segment(clean(segment.text), segment.style, segment.control)
                for segment in buffer
            )

    return CleanConsole


def _own(stream: Any) -> TextIO:
    return cast(TextIO, stream.own if isinstance(stream, CleanStream) else stream)


_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
"""SGR, "select graphic rendition" (ECMA-48, section 8.3.117)."""

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
