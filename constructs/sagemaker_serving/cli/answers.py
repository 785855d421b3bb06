"""Where a command puts models' answers, and what it says of them."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self

import click

from local_aws.terminal import progress_bars
from sagemaker_serving.errors import Mistake
from sagemaker_serving.whole_files import whole_file, write_whole

if TYPE_CHECKING:
    from sagemaker_serving.client import Prediction


class Answers:
    """Answers on standard output or in ``output``: a file, for ``several`` a folder.

    A file is there once all of it is, whatever happens before.

    With ``verbose`` it says on standard error, at the end, who answered how fast.
    """

    def __init__(self, output: Path | None, *, several: bool, verbose: bool) -> None:
        self._output = output
        self._several = several
        self._verbose = verbose
        self._told: list[Prediction] = []
        self._advance: Callable[[int], None] = lambda count: None
        self._last = b""
        self._before: dict[Path, int | None] = {}
        self._file: BinaryIO = sys.stdout.buffer
        self._unfinished = ExitStack()

    def __enter__(self) -> Self:
        try:
            if self._output is not None and self._several:
                self._output.mkdir(parents=True, exist_ok=True)
            if self._output is not None and not self._several:
                partial = self._unfinished.enter_context(whole_file(self._output))
                self._file = self._unfinished.enter_context(partial.open("wb"))
        except OSError as error:
            raise Mistake(f"{self._output} cannot be written: {error.strerror}") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._unfinished.__exit__(kind, error, trace)
        is_shown = self._file is sys.stdout.buffer and sys.stdout.isatty()
        if kind is None and is_shown and not self._last.endswith(b"\n"):
            click.echo()
        if self._verbose and kind is None:
            for line in self._summary():
                click.echo(line, err=True)

    def write(self, content: bytes, *, of: Path | None = None) -> None:
        """Writes an answer, or a part of one; ``of`` is the file that it is the answer to."""
        if of is not None and self._output is not None:
            path = self._output / f"{of.name}.out"
            self._before[path] = _inode(path)
            write_whole(path, content)
            return
        self._last = content
        self._file.write(content)
        if of is not None and not content.endswith(b"\n"):
            self._file.write(b"\n")
        self._file.flush()

    def kept(self) -> str:
        """What is there of the answers when the command ends early, and what to do next."""
        if self._output is None:
            return "what was printed is all that came; run the command again"
        if not self._several:
            return f"{self._output} is as it was, since not all had come; run the command again"
        # Ctrl-C may come when the file is there and nobody has counted it yet.
        written = sum(_inode(path) not in (None, old) for path, old in self._before.items())
        return (
            f"{written} answers are in {self._output}, each of them whole; run the command "
            "again with the other files"
        )

    def text(self, answer: Any) -> bytes:
        """A joined answer as it is printed: bytes as they are, anything else as JSON."""
        if isinstance(answer, bytes):
            return answer
        plain = answer.tolist() if hasattr(answer, "tolist") else answer
        return json.dumps(plain).encode() + b"\n"

    def count(self, prediction: Prediction) -> None:
        """Notes an answer that came."""
        self._told.append(prediction)
        self._advance(prediction.records)

    @contextmanager
    def progress(self, records: int | None) -> Iterator[None]:
        """A bar on standard error while the block runs, when that is a terminal."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.progress import MofNCompleteColumn

        with progress_bars(MofNCompleteColumn()) as bars:
            task = bars.add_task("records", total=records)
            self._advance = lambda count: bars.update(task, advance=count)
            yield
            self._advance = lambda count: None

    def _summary(self) -> Iterator[str]:
        yield from self._times()
        again = sum(told.attempts - 1 for told in self._told)
        if again:
            waited = sum(told.waited_seconds for told in self._told)
            yield (
                f"{again} attempt{'s' if again > 1 else ''} met a model that was busy or not "
                f"ready, or an answer that broke off; {waited:.1f} s of waiting in all"
            )

    def _times(self) -> Iterator[str]:
        if len(self._told) == 1:
            (told,) = self._told
            yield (
                f"{told.content_type} from variant {told.variant} in {told.seconds * 1000:.1f} ms"
            )
            return
        seconds = [told.seconds * 1000 for told in self._told]
        if seconds:
            variants = ", ".join(sorted({told.variant for told in self._told}))
            yield (
                f"{sum(told.records for told in self._told)} records in {len(seconds)} requests "
                f"from {variants}; a request took {statistics.median(seconds):.1f} ms (median), "
                f"{max(seconds):.1f} ms (longest)"
            )


def _inode(path: Path) -> int | None:
    """The file's number, another one for each that is written; None where there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None
