"""Processes that end together with whatever they have started."""

from local_aws.process.forks import Fork, ForkServer
from local_aws.process.limits import raise_file_limit, return_freed_memory
from local_aws.process.supervisor import adopt_orphans, end_descendants, reap_orphans
from local_aws.process.tree import (
    ISOLATED_PYTHON,
    SUPERVISOR,
    Tree,
    end_leftovers_from_now_on,
    end_tree,
    ending_all,
    own,
    popen,
)
from local_aws.process.watched import has_ended, open_pidfd

__all__ = [
    "ISOLATED_PYTHON",
    "SUPERVISOR",
    "Fork",
    "ForkServer",
    "Tree",
    "adopt_orphans",
    "end_descendants",
    "end_leftovers_from_now_on",
    "end_tree",
    "ending_all",
    "has_ended",
    "open_pidfd",
    "own",
    "popen",
    "raise_file_limit",
    "reap_orphans",
    "return_freed_memory",
]
