"""How often a process looks for garbage that reference counting cannot free."""

from __future__ import annotations

import gc


def collect_seldom() -> None:
    """Among the young after 2,000 new objects, not 700, and among all twenty times as seldom as
    among the middle-aged (docs.python.org/3/library/gc.html, "set_threshold").

    What is read and imported at a start is nobody's garbage, and was looked through again and
    again: a fifth of the processor time of a first deployment. What requests leave behind, with
    their bodies, is young, and found nearly as soon.
    """
    gc.set_threshold(2_000, 10, 20)
