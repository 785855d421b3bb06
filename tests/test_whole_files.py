"""Files that are whole or as they were, whatever ends the command that writes them."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sagemaker_serving.whole_files import whole_file, write_whole

HALF = """
import sys, time
from pathlib import Path
from sagemaker_serving.whole_files import whole_file

with whole_file(Path(sys.argv[1])) as partial:
    partial.write_text("half")
    print("half", flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda one: one.name)
@pytest.mark.parametrize("before", [None, "before"])
def test_what_ends_a_command_half_way_leaves_the_old_file_or_none(
    tmp_path: Path, number: signal.Signals, before: str | None
) -> None:
    path = tmp_path / "kept"
    if before is not None:
        path.write_text(before)
    with subprocess.Popen(
        [sys.executable, "-c", HALF, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == b"half\n"
        writing.send_signal(number)
        writing.wait(120)
    assert (path.read_text() if path.exists() else None) == before
    left = [each for each in tmp_path.iterdir() if each != path]
    assert all(each.name.startswith(".unfinished-") for each in left)
    assert not left or number == signal.SIGKILL
    write_whole(path, "whole")
    assert list(tmp_path.iterdir()) == [path], "the next command removes what was left"


def test_what_another_command_has_not_finished_yet_is_left_alone(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HALF, str(tmp_path / "one")], stdout=subprocess.PIPE
    ) as writing:
        assert writing.stdout is not None
        assert writing.stdout.readline() == b"half\n"
        write_whole(tmp_path / "another", "whole")
        assert len(list(tmp_path.iterdir())) == 2
        writing.kill()


def test_a_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    file, link = tmp_path / "there" / "kept", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    write_whole(link, "né")
    assert (file.read_bytes(), link.is_symlink()) == ("né".encode(), True)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_new_file_has_the_mode_that_the_shell_gives(tmp_path: Path) -> None:
    write_whole(tmp_path / "ours", b"")
    (tmp_path / "shell").touch()
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "shell").stat().st_mode


def test_what_is_no_file_is_written_to_itself(tmp_path: Path) -> None:
    write_whole(Path(os.devnull), "nothing")
    assert not Path(os.devnull).is_file()


def test_a_folder_that_is_not_there_is_named_by_the_file_that_was_asked_for(
    tmp_path: Path,
) -> None:
    with pytest.raises(FileNotFoundError) as raised, whole_file(tmp_path / "none" / "kept"):
        pass
    assert raised.value.filename == str(tmp_path / "none" / "kept")
