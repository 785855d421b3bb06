"""Keeps what the local AWS holds: saved in the background soon after it changed, found again."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from local_aws.errors import Mistake
from local_aws.private_files import damaged
from local_aws.state.emulator import Emulator
from local_aws.state.folder import Manifest, StateFolder
from local_aws.write_lock import WriteLock

QUIET_SECONDS = 0.5
"""A save follows this long after the last change,"""

LONGEST_SECONDS = 2.0
"""or this long after the first one that is not saved yet;"""

IDLE_SECONDS = 10.0
"""and this often in any case, for what changes by itself: an execution that ends."""

_REST = 4
"""So many times as long as a save took it is waited before the next, `LONGEST_SECONDS` at most:
calls that each are to be saved at once, one after the other, spent 40 % of their processor time on
saves."""

_EMULATOR = "moto."
_log = logging.getLogger(__name__)


@runtime_checkable
class Part(Protocol):
    """A part of the local AWS besides the emulator, which keeps plain JSON values."""

    def export_state(self) -> Any:
        """What the part holds, as JSON has it; makes no request and changes nothing."""

    def restore_state(self, state: Any, /) -> None:
        """Hold what `export_state` gave; called before the local AWS answers requests."""


class StateSaver:
    """Saves the emulator, and the parts that are added, into ``folder``.

    Each save is of one moment, which ``write_lock`` finds.
    """

    def __init__(self, folder: Path, write_lock: WriteLock) -> None:
        self._folder = StateFolder(folder)
        self._emulator = Emulator(self._folder.objects)
        self._write_lock = write_lock
        self._parts: dict[str, Part] = {}
        self._kept: dict[str, bytes] = {}
        self._manifest: Manifest | None = None
        self._lost: dict[str, str] = {}
        self._size_bytes = 0
        self._save_seconds = 0.0
        self._held_seconds = 0.0
        self._failure: str | None = None
        self._every_service = False
        self._saving = threading.Lock()
        self._condition = threading.Condition()
        self._called: set[str] = set()
        self._first_change: float | None = None
        self._due = self._rested = 0.0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="state", daemon=True)

    def add(self, parts: Mapping[str, Part]) -> None:
        """Save these parts, too, by their names."""
        self._parts = {**self._parts, **parts}

    def restore(self) -> Manifest | None:
        """Give everything what it held when it was last saved; None when nothing is kept.

        Raises `Mistake` when what is kept cannot be used: why, and what to do.
        """
        found = self._folder.read()
        if found is None:
            return None
        self._manifest, self._kept = found
        self._lost = dict(self._manifest.not_kept)
        emulated = [name for name in self._kept if name.startswith(_EMULATOR)]
        for name in (*emulated, *self._parts):
            try:
                if name in self._parts:
                    self._restore_part(name, self._parts[name])
                else:
                    self._emulator.restore(name, self._kept[name])
            except Mistake:
                raise
            except Exception as error:
                _log.debug("restoring %s", name, exc_info=True)
                path = self._folder.path / "parts" / self._manifest.files[name]
                raise damaged(path, f"{type(error).__name__}: {error}") from None
        self._size_bytes = self._folder.size_bytes()
        return self._manifest

    def start(self) -> None:
        """Save from now on what `changed` tells of."""
        try:
            self._manifest = self._folder.begin()
        except OSError as error:
            self._failed(f"{error.filename} cannot be written: {error.strerror}")
        self._thread.start()

    def changed(self, service: str, *, at_once: bool = False) -> None:
        """Something of ``service`` may have changed: save it soon, or now in the background."""
        now = time.monotonic()
        with self._condition:
            self._called.add(service)
            sooner = at_once or self._first_change is None
            if self._first_change is None:
                self._first_change = now
            if at_once:
                self._first_change = now - LONGEST_SECONDS
            self._due = min(now + QUIET_SECONDS, self._first_change + LONGEST_SECONDS)
            if sooner:  # else the saver finds the later time by itself
                self._condition.notify_all()

    def save(self, *, ended: bool = False) -> None:
        """Write what changed, now; that it cannot be is logged and told by `summary`."""
        try:
            self._save(ended=ended)
            self._failure = None
        except OSError as error:
            where = error.filename if error.filename is not None else self._folder.path
            self._failed(f"{where} cannot be written: {error.strerror}")
            _log.error("the state could not be saved: %s", self._failure)
        except Exception as error:
            self._failed(f"{type(error).__name__}: {error}")
            _log.exception("the state could not be saved")

    def _failed(self, why: str) -> None:
        self._failure = f"{why}; it is tried again with the next change"
        self._every_service = True

    def close(self) -> None:
        """Save for the last time, if ever `start` was called; nothing is saved after."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
        if self._thread.ident is not None:  # it may have ended by now
            self._thread.join()
            self.save(ended=True)

    def summary(self) -> dict[str, Any]:
        """Where, when and what was saved, as ``local status`` shows it.

        ``save_seconds`` is how long the last save took, ``held_seconds`` how long changes had
        to wait for it; ``unsaved`` is whether one is due or under way, ``failure`` why the last one
        could not be made; ``not_kept`` are services that cannot be kept, ``lost`` those that
        were not when this state was saved, each with the reason.
        """
        manifest = self._manifest
        return {
            "folder": str(self._folder.path),
            "size_bytes": self._size_bytes,
            "saved_at": None if manifest is None else manifest.saved_at,
            "save_seconds": round(self._save_seconds, 4),
            "held_seconds": round(self._held_seconds, 4),
            "unsaved": self._first_change is not None or self._saving.locked(),
            "failure": self._failure,
            "not_kept": dict(self._emulator.not_kept),
            "lost": self._lost,
        }

    def _restore_part(self, name: str, part: Part) -> None:
        if name in self._kept:
            part.restore_state(json.loads(self._kept[name]))

    def _save(self, *, ended: bool) -> None:
        with self._saving:
            began = time.perf_counter()
            self._emulator.keep_contents()
            with self._write_lock.still() as still:
                held = time.perf_counter()
                if not still:
                    _log.info("saving while something changes")
                # Only now: what is called meanwhile is of this save, too.
                called = self._taken_calls()
                every = ended or self._every_service
                parts = {**self._kept, **self._emulator.export(None if every else called)}
                for name, part in self._parts.items():
                    data = _json(part)
                    if data is not None:
                        parts[name] = data
                self._held_seconds = time.perf_counter() - held
                self._every_service = False
            if parts != self._kept or self._manifest is None or self._manifest.ended != ended:
                self._manifest = self._folder.write(
                    parts,
                    self._emulator.contents,
                    ended=ended,
                    not_kept=dict(self._emulator.not_kept),
                )
                self._kept = parts
                self._size_bytes = self._folder.size_bytes()
            self._save_seconds = time.perf_counter() - began

    def _taken_calls(self) -> set[str]:
        with self._condition:
            called, self._called = self._called, set()
            self._first_change = None
        return called

    def _run(self) -> None:
        while self._wait():
            self.save()
            rest = min(_REST * self._save_seconds, LONGEST_SECONDS)
            self._rested = time.monotonic() + rest

    def _wait(self) -> bool:
        """Return when a save is due: True, or False when the saver was closed."""
        idle_until = time.monotonic() + IDLE_SECONDS
        with self._condition:
            while not self._closed:
                due = idle_until if self._first_change is None else max(self._due, self._rested)
                left = due - time.monotonic()
                if left <= 0:
                    return True
                self._condition.wait(left)
        return False


def _json(part: Part) -> bytes | None:
    """The part's state; None when it changes too fast to be had just now."""
    for _ in range(4):
        try:
            return json.dumps(part.export_state(), separators=(",", ":")).encode()
        except RuntimeError:  # something was added or removed meanwhile
            continue
    return None
