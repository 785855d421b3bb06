"""What callers of Step Functions ask, read and judged."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError

Parameters = Mapping[str, Any]

_NAME = re.compile(r"[^\s<>{}\[\]?*\"#%\\^|~`$&,;:/\x00-\x1f\x7f-\x9f]{1,80}")
_INPUT_CHARACTERS = 262_144
"""https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html,
read 2026-11-21."""


def name_of(asked: Parameters) -> str | None:
    """The name of an execution to start, if it has one. Raises AwsError InvalidName."""
    name = asked.get("name")
    if name is not None and not _NAME.fullmatch(name):
        raise AwsError("InvalidName", f"Invalid Name: '{name}'")
    return name


def input_of(asked: Parameters) -> str:
    """An execution's input, ``{}`` when absent.

    Raises AwsError ValidationException for one that is too long and InvalidExecutionInput for one
    that is not JSON.
    """
    text = str(asked.get("input", "{}"))
    if len(text.encode()) > _INPUT_CHARACTERS:
        raise AwsError(
            "ValidationException",
            "1 validation error detected: Value at 'input' failed to satisfy constraint: Member "
            f"must have length less than or equal to {_INPUT_CHARACTERS}",
        )
    try:
        json.loads(text)
    except ValueError as error:
        raise AwsError(
            "InvalidExecutionInput", f"Invalid State Machine Execution Input: '{error}'"
        ) from None
    return text
