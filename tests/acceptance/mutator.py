"""Plants a lie in a copy of a recording: what the comparison must find."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tests.acceptance.comparison import DIFFERS_BY_NATURE
from tests.acceptance.recording import Call, Recording, Step

_DRAWN = re.compile(r"<id \d+>")


@dataclass(frozen=True, kw_only=True)
class Lie:
    """``where`` is the step, and the operation or resource that it is told of; ``relation`` is
    whether an id became another one that is there: that may be noticed where the other one is."""

    kind: str
    where: tuple[str, str]
    recording: Recording
    relation: bool = False


def lies(recording: Recording, *, seed: int, count: int) -> Iterator[Lie]:
    """``count`` lies, of every kind as many, each in a copy of its own."""
    chance = random.Random(seed)
    kinds = (_status, _code, _field, _relation, _order, _reason)
    for number in range(count):
        yield kinds[number % len(kinds)](deepcopy(recording), chance)


def _status(recording: Recording, chance: random.Random) -> Lie:
    step, call = chance.choice(list(_calls(recording, lambda call: call.status > 0)))
    call.status = chance.choice([each for each in (200, 400, 403, 404, 500) if each != call.status])
    return Lie(kind="status", where=(step.name, call.operation), recording=recording)


def _code(recording: Recording, chance: random.Random) -> Lie:
    step, call = chance.choice(list(_calls(recording, lambda call: call.code != "")))
    call.code = chance.choice(["", "ThrottlingException", f"{call.code}Exception"])
    return Lie(kind="code", where=(step.name, call.operation), recording=recording)


def _field(recording: Recording, chance: random.Random) -> Lie:
    step, call = chance.choice(list(_calls(recording, lambda call: call.members != {})))
    holder, name = chance.choice(list(_places(call.members)))
    what = chance.choice(("change", "remove", "add"))
    if what == "change":
        holder[name] = _another(holder[name])
    elif what == "remove":
        del holder[name]
    elif isinstance(holder, dict):
        holder["Planted"] = None
    else:
        holder.append(None)
    return Lie(kind="field", where=(step.name, call.operation), recording=recording)


def _relation(recording: Recording, chance: random.Random) -> Lie:
    """One id becomes another that is there."""
    found = [
        (step, call, holder, name)
        for step, call in _calls(recording, lambda call: True)
        for holder, name in _places(call.members)
        if isinstance(holder[name], str) and _DRAWN.search(holder[name])
    ]
    ids = sorted({each for *_, holder, name in found for each in _DRAWN.findall(holder[name])})
    step, call, holder, name = chance.choice(found)
    now = _DRAWN.findall(holder[name])[0]
    other = chance.choice([each for each in ids if each != now])
    holder[name] = holder[name].replace(now, other)
    where = (step.name, call.operation)
    return Lie(kind="field", where=where, recording=recording, relation=True)


def _order(recording: Recording, chance: random.Random) -> Lie:
    """States swapped, left out, or gone through twice."""
    found: list[tuple[tuple[str, str], list[Any]]] = [
        ((step.name, call.operation), call.states)
        for step, call in _calls(recording, lambda call: len(call.states) > 1)
    ]
    found += [
        ((step.name, resource), history)
        for step in recording.steps
        for resource, history in step.events.items()
        if len({status for status, _ in history}) > 1
    ]
    where, states = chance.choice(found)
    what = chance.choice(("swap", "drop", "repeat"))
    at = chance.choice(
        [i for i in range(len(states) - 1) if _state(states, i) != _state(states, i + 1)]
    )
    if what == "swap":
        states[at], states[at + 1] = states[at + 1], states[at]
    elif what == "drop":
        del states[at]
    else:
        states.insert(at, deepcopy(states[at + 1]))
    return Lie(kind="order", where=where, recording=recording)


def _reason(recording: Recording, chance: random.Random) -> Lie:
    events = [
        (step, resource, event)
        for step in recording.steps
        for resource, history in step.events.items()
        for event in history
    ]
    refused = list(_calls(recording, lambda call: call.reason != ""))
    if chance.random() < 0.5:
        step, call = chance.choice(refused)
        call.reason = _another(call.reason)
        return Lie(kind="reason", where=(step.name, call.operation), recording=recording)
    step, resource, event = chance.choice(events)
    event[1] = _another(event[1])
    return Lie(kind="reason", where=(step.name, resource), recording=recording)


def _calls(recording: Recording, wanted: Callable[[Call], bool]) -> Iterator[tuple[Step, Call]]:
    return ((step, call) for step in recording.steps for call in step.calls if wanted(call))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a value of any depth, but those whose values differ by nature."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for name, each in list(entries):
        if name not in DIFFERS_BY_NATURE:
            yield value, name
            if isinstance(each, dict | list):
                yield from _places(each)


def _another(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"{value} and more"
    return None if value is not None else "something"


def _state(states: list[Any], index: int) -> Any:
    """Of an event without its reason."""
    return states[index][0] if isinstance(states[index], list) else states[index]
