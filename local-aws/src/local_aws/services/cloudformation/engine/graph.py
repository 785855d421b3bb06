"""Which resource needs which, and work done in that order.

`Graph` is the order; `run` walks it with several workers: whatever has all it
needs is begun at once, because an endpoint takes seconds to start and its
neighbours need not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from graphlib import CycleError, TopologicalSorter
from queue import SimpleQueue
from threading import Event
from typing import Any

from local_aws.services.cloudformation.engine.template import Template
from local_aws.template import needed

WORKERS = 16
"""Resources of one stack that are worked on at the same time."""


class Graph:
    """Names and what each needs; needs outside the names are ignored."""

    def __init__(self, needs: Mapping[str, set[str]]) -> None:
        self.needs = {name: set(wanted) & needs.keys() for name, wanted in needs.items()}

    def order(self) -> list[str]:
        """Every name after all that it needs, otherwise in the order given."""
        return list(TopologicalSorter(self.needs).static_order())

    def cycle(self) -> list[str]:
        """The names of one cycle, or nothing."""
        try:
            TopologicalSorter(self.needs).prepare()
        except CycleError as error:
            return sorted(set(error.args[1]))
        return []

    def reversed(self) -> Graph:
        """The order of deletion: each name needs gone all that needed it."""
        users: dict[str, set[str]] = {name: set() for name in self.needs}
        for name, wanted in self.needs.items():
            for other in wanted:
                users[other].add(name)
        return Graph(users)


def run(
    graph: Graph, work: Callable[[str], None], *, stop: Event | None = None
) -> dict[str, BaseException]:
    """Do ``work`` for every name once all that it needs has succeeded.

    Returns the failures by name; whatever needed a failed one was not begun. With
    ``stop``, the first failure also sets it, and nothing further begins after that.
    """
    sorter = TopologicalSorter(graph.needs)
    sorter.prepare()
    failures: dict[str, BaseException] = {}
    running = 0
    ended: SimpleQueue[tuple[str, BaseException | None]] = SimpleQueue()
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="cloudformation") as pool:
        while sorter.is_active():
            if stop is None or not stop.is_set():
                for name in sorter.get_ready():
                    pool.submit(work, name).add_done_callback(partial(_tell, ended, name))
                    running += 1
            if not running:
                break
            name, error = ended.get()
            running -= 1
            if error is None:
                sorter.done(name)
            else:
                failures[name] = error
                if stop is not None:
                    stop.set()
    return failures


def _tell(ended: SimpleQueue[Any], name: str, work: Future[None]) -> None:
    ended.put((name, work.exception()))


def resource_graph(template: Template) -> Graph:
    """The resources of a template and what each refers to or DependsOn."""
    return Graph(
        {logical_id: needed(resource) for logical_id, resource in template.resources.items()}
    )
