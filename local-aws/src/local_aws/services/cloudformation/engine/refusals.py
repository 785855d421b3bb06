"""How CloudFormation says no before anything is made."""

from __future__ import annotations

from collections.abc import Iterable

from local_aws.protocol import AwsError
from local_aws.template import TemplateError

Refused = (AwsError, TemplateError)
"""What evaluating a template for a stack may raise; its text is what CloudFormation says."""


def validation_error(message: str) -> AwsError:
    """CloudFormation's own code for whatever is wrong with a request or a template."""
    return AwsError("ValidationError", message)


def format_error(message: str) -> AwsError:
    """A template that is not well formed, or refers to what it does not have."""
    return validation_error(f"Template format error: {message}")


def refuse(problems: Iterable[str]) -> None:
    """Raise one error that names every problem, or nothing when there are none."""
    found = list(dict.fromkeys(problems))
    if found:
        raise validation_error("; ".join(found))
