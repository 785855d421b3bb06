"""A clock of the local AWS's own process that jumps while it runs."""

from __future__ import annotations

from pathlib import Path

from tools.own_environments.environments import environment_of

_FILE = "SOAK_CLOCK"


class Clock:
    """Wall-clock time as the local AWS sees it; its servers and functions see the machine's."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self.jump(0)

    def environment(self) -> dict[str, str]:
        """Variables with which Python loads ``sitecustomize`` of this folder."""
        packages = next(environment_of("clock").glob("lib/python3*/site-packages"))
        return {
            "PYTHONPATH": f"{Path(__file__).parent}:{packages}",
            _FILE: str(self._file),
        }

    def jump(self, seconds: int) -> None:
        """So far ahead of the machine's time, or behind it, from within a second on."""
        self._file.write_text(str(seconds))
