"""Long work is shown on a terminal, and quiet everywhere else."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sagemaker_serving.progress import WatchedFile, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    (tmp_path / "model.tar.gz").write_bytes(b"x" * 3000)
    with WatchedFile(tmp_path / "model.tar.gz") as file:
        while file.read(1000):
            pass
    assert "read model.tar.gz" in terminal.getvalue()


def test_a_pipe_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    with progress_bar("pack") as progress:
        assert progress is None
    assert pipe.getvalue() == ""
