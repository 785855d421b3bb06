"""Which command the user knows the local AWS by: its own, or one that is built on it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_VARIABLE = "LOCAL_AWS_PROGRAM"


@dataclass(frozen=True)
class Program:
    """A program with the local AWS's commands; ``group`` is what stands before them:
    ``local-aws``, or ``sagemaker-serving local``."""

    group: str

    @property
    def name(self) -> str:
        """The program alone."""
        return self.group.partition(" ")[0]

    @property
    def state_dir(self) -> Path:
        """The folder of a local AWS that is given none: hidden, where the command is run."""
        return Path(f".{self.name}")

    def variable(self, what: str) -> str:
        """An environment variable of its own: ``LOCAL_AWS_DEBUG`` for "debug"."""
        return f"{self.name}_{what}".upper().replace("-", "_")

    def command(self, text: str) -> str:
        """A command to be named in a message: "`local-aws up`" for "up"."""
        return f"`{self.group} {text}`"

    def called(self) -> None:
        """Have messages name it from now on, in this process and in those that it starts."""
        os.environ[_VARIABLE] = self.group


def program() -> Program:
    """The one that the user has called; ``local-aws`` where no command was."""
    return Program(os.environ.get(_VARIABLE, "local-aws"))
