"""How CloudFormation says no before anything is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from local_aws.protocol import AwsError
from local_aws.template import TemplateError

Refused = (AwsError, TemplateError)
"""What evaluating a template for a stack may raise; its text is what CloudFormation says."""


@dataclass(frozen=True)
class PropertyProblem:
    """What a resource's schema says of its properties: ``#/Tags: …``."""

    logical_id: str
    type: str
    problem: str

    def __str__(self) -> str:
        return (
            f"Properties validation failed for resource {self.logical_id} with message: "
            f"{self.problem}"
        )


class PropertiesRefused(AwsError):
    """A template with which nothing is wrong but ``problems``."""

    def __init__(self, message: str, problems: Sequence[PropertyProblem]) -> None:
        super().__init__("ValidationError", message)
        self.problems = problems


def validation_error(message: str) -> AwsError:
    """CloudFormation's own code for whatever is wrong with a request or a template."""
    return AwsError("ValidationError", message)


def format_error(message: str) -> AwsError:
    """A template that is not well formed, or refers to what it does not have."""
    return validation_error(f"Template format error: {message}")


def refuse(problems: Iterable[str | PropertyProblem]) -> None:
    """Raise one error that names every problem, or nothing when there are none."""
    found = list(dict.fromkeys(problems))
    if found:
        message = "; ".join(map(str, found))
        of_properties = [each for each in found if isinstance(each, PropertyProblem)]
        if len(of_properties) == len(found):
            raise PropertiesRefused(message, of_properties)
        raise validation_error(message)
