"""Processes that end with their parent, however it ends.

A parent keeps the writing end of a pipe open and gives each child the reading
end. Nothing is ever written: when the parent is gone, even by kill -9, the
kernel closes its end and the child reads the end of the file.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from _thread import start_new_thread
from typing import Any

# Both taken before gevent can patch them: a patched thread would block its hub.
_start_thread = start_new_thread
_read = os.read


def add_child_arguments(parser: argparse.ArgumentParser) -> None:
    """``--parent-fd`` and ``--report-fd``, which every child of the front is given."""
    parser.add_argument("--parent-fd", type=int, required=True)
    parser.add_argument("--report-fd", type=int, required=True)


def exit_at_end_of(parent_fd: int) -> None:
    """Watch ``parent_fd`` from a thread and end this process when its parent is gone."""
    _start_thread(_wait_and_exit, (parent_fd,))


def report(report_fd: int, **facts: Any) -> None:
    """Tell the front something: one line of JSON. A front that is gone is not told."""
    with contextlib.suppress(OSError):
        os.write(report_fd, json.dumps(facts).encode() + b"\n")


def _wait_and_exit(parent_fd: int) -> None:
    while _read(parent_fd, 1):
        pass
    os._exit(0)
