"""Processes that end together with whatever they have started."""

from .limits import raise_file_limit
from .supervisor import adopt_orphans, end_descendants, reap_orphans
from .tree import (
    ISOLATED_PYTHON,
    SUPERVISOR,
    Tree,
    end_leftovers_from_now_on,
    end_tree,
    ending_all,
    popen,
)
from .watched import has_ended, open_pidfd

__all__ = [
    "ISOLATED_PYTHON",
    "SUPERVISOR",
    "Tree",
    "adopt_orphans",
    "end_descendants",
    "end_leftovers_from_now_on",
    "end_tree",
    "ending_all",
    "has_ended",
    "open_pidfd",
    "popen",
    "raise_file_limit",
    "reap_orphans",
]
