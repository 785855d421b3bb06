"""Which requests a resource's or a route's path is for."""

from __future__ import annotations


def matched(names: list[str], parts: list[str]) -> tuple[list[int], dict[str, str]] | None:
    """How well a path of such names fits a request's, the smaller the better, and its parameters'
    values; None where it does not."""
    rank: list[int] = []
    values: dict[str, str] = {}
    for index, name in enumerate(names):
        if name.startswith("{") and name.endswith("+}"):
            values[name[1:-2]] = "/".join(parts[index:])
            return ([*rank, 2], values) if values[name[1:-2]] else None
        if index >= len(parts):
            return None
        if name.startswith("{"):
            values[name[1:-1]] = parts[index]
        elif name != parts[index]:
            return None
        rank.append(1 if name.startswith("{") else 0)
    return (rank, values) if len(names) == len(parts) else None
