"""What callers of Step Functions ask, read and judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from local_aws.arn import Arn
from local_aws.protocol import AwsError
from local_aws.states_language.names import unfit_character

Parameters = Mapping[str, Any]

_KINDS = {
    "stateMachineArn": ("stateMachine",),
    "executionArn": ("execution",),
    "mapRunArn": ("mapRun",),
    "activityArn": ("activity",),
    "resourceArn": ("stateMachine", "activity"),
}
_TAGS = 50
"""https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html."""

_ROLE = re.compile(r"arn:aws[a-z-]*:iam::\d{12}:role/.+")
_INPUT_CHARACTERS = 262_144
"""https://docs.aws.amazon.com/step-functions/latest/apireference/API_StartExecution.html."""


def refuse_arns(asked: Parameters) -> None:
    """Raise AwsError InvalidArn for what is no ARN, and for that of another kind of resource."""
    for member, kinds in _KINDS.items():
        text = asked.get(member)
        if text is None:
            continue
        if not text.startswith("arn:"):
            raise _invalid_arn(f"Invalid ARN prefix: {text}")
        kind = Arn.parse(text).resource.partition(":")[0]
        if kind not in kinds:
            raise _invalid_arn(f"Resource type not valid in this context: {kind}")


def refuse_name(name: str) -> None:
    """Raise AwsError InvalidName for a machine's or an execution's name that cannot be one."""
    if unfit_character(name) is not None:
        raise AwsError("InvalidName", f"Invalid Name: '{name}'")


def refuse_too_many(
    tags: Iterable[Mapping[str, str]], arn: str, *, kept: Iterable[str] = ()
) -> None:
    """Raise AwsError TooManyTags where these and the keys that are kept are more than 50."""
    if len({*kept, *(tag["key"] for tag in tags)}) > _TAGS:
        raise AwsError("TooManyTags", f"'{arn}' would have more than {_TAGS} tags")


def role_of(asked: Parameters) -> str | None:
    """The ARN of the role that is asked for. Raises AwsError InvalidArn for what is no role's."""
    arn: str | None = asked.get("roleArn")
    if arn is not None and not _ROLE.fullmatch(arn):
        raise AwsError("InvalidArn", f"Invalid Role Arn: '{arn}'")
    return arn


def name_of(asked: Parameters) -> str | None:
    """The name of an execution to start, if it has one. Raises AwsError InvalidName."""
    name: str | None = asked.get("name")
    if name is not None:
        refuse_name(name)
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


def refuse_output(text: str) -> None:
    """Raise AwsError InvalidOutput for a task's output that is not JSON."""
    try:
        json.loads(text)
    except ValueError as error:
        raise AwsError("InvalidOutput", f"Invalid Output: '{error}'") from None


def _invalid_arn(why: str) -> AwsError:
    return AwsError("InvalidArn", f"Invalid Arn: '{why}'")
