"""Problems as text, as JSON, as SARIF, and as GitHub's workflow commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

from sagemaker_serving import __version__
from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules.registry import RULES

Form = Literal["text", "json", "sarif", "github"]

_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def report(problems: Sequence[Problem], form: Form) -> str:
    """``problems`` as ``form`` has them; for text and github a line each, none when there is none.

    SARIF is version 2.1.0, as GitHub code scanning and editors read it.
    """
    if form == "json":
        return json.dumps([_plain(problem) for problem in problems], indent=1)
    if form == "sarif":
        return json.dumps(_sarif(problems), indent=1)
    if form == "github":
        return "\n".join(_annotation(problem) for problem in problems)
    return "\n".join(f"{problem.severity}: {problem} [{problem.rule}]" for problem in problems)


def _plain(problem: Problem) -> dict[str, object]:
    return {
        "rule": problem.rule,
        "severity": str(problem.severity),
        "file": problem.where.file,
        "line": problem.where.line,
        "path": problem.where.trail,
        "message": problem.message,
        "acknowledged": problem.acknowledged,
    }


def _annotation(problem: Problem) -> str:
    """One annotation; GitHub reads ``%``, line ends and, in properties, ``:`` and ``,`` encoded."""
    line = problem.where.line
    properties = {
        "file": problem.where.file,
        "line": str(line) if line is not None else "",
        "title": problem.rule,
    }
    shown = ",".join(f"{key}={_encoded(text, ':,')}" for key, text in properties.items() if text)
    trail = f"{problem.where.trail}: " if problem.where.trail else ""
    return f"::{_GITHUB[problem.severity]} {shown}::{_encoded(trail + problem.message)}"


def _encoded(text: str, more: str = "") -> str:
    for mark in ("%", "\r", "\n", *more):
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text


def _sarif(problems: Iterable[Problem]) -> dict[str, object]:
    found = list(problems)
    names = {problem.rule for problem in found}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "sagemaker-serving",
                        "version": __version__,
                        "rules": [
                            {
                                "id": rule.id,
                                "shortDescription": {"text": rule.what},
                                "help": {"text": f"{rule.why} Source: {rule.source}".strip()},
                                "defaultConfiguration": {"level": str(rule.severity)},
                            }
                            for rule in RULES
                            if rule.id in names
                        ],
                    }
                },
                "results": [_result(problem) for problem in found],
            }
        ],
    }


def _result(problem: Problem) -> dict[str, object]:
    line = problem.where.line
    physical: dict[str, object] = {"artifactLocation": {"uri": problem.where.file}}
    if line is not None:
        physical["region"] = {"startLine": line}
    location: dict[str, object] = {"physicalLocation": physical}
    if problem.where.trail:
        location["logicalLocations"] = [{"fullyQualifiedName": problem.where.trail}]
    justified = {"kind": "inSource", "justification": problem.acknowledged}
    return {
        "ruleId": problem.rule,
        "level": str(problem.severity),
        "message": {"text": problem.message},
        "locations": [location],
        **({"suppressions": [justified]} if problem.acknowledged is not None else {}),
    }
