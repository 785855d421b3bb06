"""Faults at random: kills, a full disk, a clock that jumps; each until all answers again."""

from __future__ import annotations

import contextlib
import errno
import itertools
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from benchmarks.soak.clock import Clock
from benchmarks.soak.place import Place

BETWEEN_SECONDS = (15.0, 60.0)
HELD_SECONDS = 15.0
"""How long the disk stays full and the clock elsewhere."""
JUMPS_SECONDS = (-600, 600)
"""Less than the 15 minutes at which a signature is refused, on AWS, too."""
RECOVERY_SECONDS = 120.0

KILL_ALL, DISK, CLOCK = "kill -9 local AWS", "full disk", "clock jumps"


@dataclass
class Made:
    """A fault, from its beginning until everything answered again; ``ended`` is 0 until then."""

    kind: str
    began: float
    ended: float = 0.0

    @property
    def spares_requests(self) -> bool:
        """Whether requests are answered all the same."""
        return self.kind in (DISK, CLOCK)

    def meets(self, began: float, ended: float) -> bool:
        """Whether it was there at any time in between."""
        return began <= (self.ended or float("inf")) and self.began <= ended

    def excuses(self, began: float, ended: float) -> bool:
        """Whether a request of that time may be without an answer."""
        return not self.spares_requests and self.meets(began, ended)


class Faults:
    """One after the other, from ``with`` on; ``recovered`` says when everything answers.

    The local AWS itself is killed in the first third of the time only: afterwards its memory is
    compared over time.
    """

    def __init__(self, place: Place, clock: Clock, seed: int, seconds: float) -> None:
        self._place, self._clock = place, clock
        self._random = random.Random(seed)
        self._kills_until = time.monotonic() + seconds / 3
        self._over = threading.Event()
        self._making = threading.Thread(target=self._make)
        self._counts: Counter[str] = Counter()
        self._failed: Exception | None = None
        self.made: list[Made] = []
        self.recovered: Callable[[], bool] = lambda: True

    def __enter__(self) -> Faults:
        self._making.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._making.join()
        self._clock.jump(0)
        if self._failed is not None:
            raise self._failed

    def met(self, began: float) -> list[Made]:
        """Those that were there since a moment."""
        return [made for made in self.made if made.meets(began, time.monotonic())]

    def _make(self) -> None:
        while not self._over.wait(self._random.uniform(*BETWEEN_SECONDS)):
            kind, fault = self._drawn()
            made = Made(kind=kind, began=time.monotonic())
            self.made.append(made)
            try:
                with contextlib.suppress(psutil.NoSuchProcess):  # it has ended by itself
                    fault()
                deadline = time.monotonic() + RECOVERY_SECONDS
                while not self.recovered() and time.monotonic() < deadline:
                    time.sleep(0.2)
            except Exception as error:
                self._failed = error
                return
            finally:  # what never ends would excuse all that comes after it
                made.ended = time.monotonic()

    def _drawn(self) -> tuple[str, Callable[[], None]]:
        """One of those that came least often."""
        kinds: dict[str, Callable[[], None]] = {CLOCK: self._jump}
        for process in self._place.processes()[1:]:
            with contextlib.suppress(psutil.Error):
                kinds[f"kill -9 {_program(process)}"] = process.kill
        if self._place.has_small_disk:
            kinds[DISK] = self._fill
        if time.monotonic() < self._kills_until:
            kinds[KILL_ALL] = self._place.kill
        fewest = min(self._counts[kind] for kind in kinds)
        kind = self._random.choice([kind for kind in kinds if self._counts[kind] == fewest])
        self._counts[kind] += 1
        return kind, kinds[kind]

    def _jump(self) -> None:
        for seconds in (self._random.choice(JUMPS_SECONDS), 0):
            self._clock.jump(seconds)
            self._over.wait(HELD_SECONDS)

    def _fill(self) -> None:
        filler = self._place.disk / "filler"
        block = bytes(1 << 20)
        try:
            with filler.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(block)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
            self._over.wait(HELD_SECONDS)
        finally:
            filler.unlink()


def _program(process: psutil.Process) -> str:
    """``model_server.engine`` of a Python module, ``node`` of another program.

    A fork has its parent's command: of the fork server's those are containers, of these engines.
    """
    command: list[str] = process.cmdline()
    same = [each for each in process.parents() if each.cmdline() == command]
    for option, name in itertools.pairwise(command):
        if option == "-m":
            return " fork of ".join([*["the"] * len(same), name])
    named = [part for part in command if part.endswith((".py", ".js", ".mjs"))]
    return re.sub(r".*/", "", (named or command or [process.name()])[0])
