"""The steps of a machine: which one is called, and what each hands on.

What is known goes from step to step as plain data: ``request`` (CloudFormation's event),
``started``, ``waits`` and ``wait_seconds``, and in the end ``outcome``, which is the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

State = dict[str, Any]
Steps = Mapping[str, Callable[[State], State]]

WAITS_AFTER_INTERRUPTION = 3
"""How many waits are counted already after one: the next is longer than any call under way."""

_LONGEST_WAIT_SECONDS = 30


def run(steps: Steps, event: Mapping[str, Any]) -> State:
    """Runs the step that ``event`` names.

    Called by Lambda itself, with a request that ``start`` has failed on for good, the function
    answers that request.
    """
    if "requestPayload" in event:
        return steps["answer"](_given_up(event))
    return steps[event["step"]](dict(event["state"]))


def waiting(state: State) -> State:
    """Wait, then look; each time a little longer."""
    waits = state.get("waits", 0)
    seconds = min(round(1.5**waits), _LONGEST_WAIT_SECONDS)
    return {**state, "waits": waits + 1, "wait_seconds": seconds}


def succeeded(state: State, **data: str) -> State:
    """CloudFormation is answered that it is done."""
    return {**state, "outcome": {"Status": "SUCCESS", "Data": data}}


def failed(state: State, reason: str) -> State:
    """CloudFormation is answered why it failed."""
    return {**state, "outcome": {"Status": "FAILED", "Reason": reason}}


def outcome_of(state: State, went_wrong: Callable[[Mapping[str, Any]], str]) -> State:
    """What CloudFormation is answered; ``went_wrong`` tells an error that ended the execution."""
    ended = state if "outcome" in state else failed(state, went_wrong(state.get("error", {})))
    outcome: State = ended["outcome"]
    return outcome


def seconds_since_start(state: State) -> float:
    """How long the execution has run."""
    return (datetime.now(UTC) - datetime.fromisoformat(state["started"])).total_seconds()


def cause_of(error: Mapping[str, Any]) -> str:
    """What a step has failed with, as Step Functions reports it."""
    cause = str(error.get("Cause", ""))
    with suppress(ValueError, KeyError, TypeError):
        cause = str(json.loads(cause)["errorMessage"])
    return cause or str(error)


def clipped(text: str, most: int = 900) -> str:
    """``text`` in one line of at most so many characters."""
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[:most]}…"


def _given_up(event: Mapping[str, Any]) -> State:
    """What Lambda sends on after ``start`` has failed all its attempts."""
    said = event.get("responsePayload") or {}
    return {
        "request": event["requestPayload"],
        "error": {"Cause": str(said.get("errorMessage", "the function that begins it failed"))},
    }
