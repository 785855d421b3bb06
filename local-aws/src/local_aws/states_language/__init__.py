"""The Amazon States Language: what is wrong with a state machine's definition.

Standard library only: Step Functions here refuses machines by it, and the rules read templates with
it. What a template leaves open is `local_aws.template.Unknown`, and passes.
"""

from __future__ import annotations

from local_aws.states_language.definition import Checks, problems
from local_aws.states_language.paths import is_expression
from local_aws.states_language.problem import Problem, schema_problem
from local_aws.states_language.scopes import states_within
from local_aws.states_language.warnings import warnings

__all__ = [
    "Checks",
    "Problem",
    "is_expression",
    "problems",
    "schema_problem",
    "states_within",
    "warnings",
]
