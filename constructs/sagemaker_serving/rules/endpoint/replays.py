"""Rules on a replay: captured requests that are asked again before a deploy."""

from __future__ import annotations

import os
from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, note, rule
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts.kinds import ReplayFacts
from sagemaker_serving.s3_address import is_s3


@rule(source="this project", example="replay: {max_different_percent: 150}")
def replay_limits(replay: ReplayFacts) -> Iterator[Finding]:
    """A replay allows 0 to 100 percent of the answers to differ, each by 0 or more.

    With other numbers the gate would never stop anything, or always.
    """
    yield from at_least(replay.written.get("max_difference"), 0)
    yield from between(replay.written.get("max_different_percent"), 0, 100)


@rule(source="this project", example="replay: {capture: ../not-there.jsonl}")
def replay_capture(replay: ReplayFacts) -> Iterator[Finding]:
    """A replay's capture on this machine is there.

    Without it the gate fails in CI, when everything else is done.
    """
    capture = replay.written.get("capture")
    text = capture.text
    if text is None or is_s3(text):
        return
    # Unlike Path.exists, it takes texts that are no path at all.
    if not os.path.exists(replay.folder / text):  # noqa: PTH110
        yield capture.says(
            f"is {text!r}, and there is nothing at {replay.folder / text!s}; give a .jsonl file or "
            "a folder of data capture, or s3://<bucket>/<prefix>"
        )


@note(source="this project", example="replay: {capture: ../captured/}   # any")
def replay_by_hand(replay: ReplayFacts) -> Iterator[Finding]:
    """A note says that no deploy carries out a replay.

    CloudFormation knows nothing of it. The pipeline runs the command before the deploy.
    """
    if replay.written.given:
        yield replay.written.finding(
            "no deploy carries this out; run it before each: sagemaker-serving replay "
            f"{replay.environment}/{replay.model}"
        )
