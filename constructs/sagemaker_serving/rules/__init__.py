"""What is wrong with a deployment: one small pure function per rule, over plain facts.

Facts may be wrong in any way; values that are no plain value (tokens,
intrinsic functions) pass unjudged. ``cdk synth``, ``check`` and the local run
call the same functions, those of `RULES`; a rule of one's own, made by `rule`,
is given to `check_environment` and `check_template` beside them.
"""

from sagemaker_serving.rules.check import check_environment, check_template
from sagemaker_serving.rules.endpoint.guardrails import can_be_guarded, is_guarded
from sagemaker_serving.rules.engine import Finding, Rule, rule
from sagemaker_serving.rules.registry import RULES
from sagemaker_serving.rules.template import Template, read_template, template_of

__all__ = [
    "RULES",
    "Finding",
    "Rule",
    "Template",
    "can_be_guarded",
    "check_environment",
    "check_template",
    "is_guarded",
    "read_template",
    "rule",
    "template_of",
]
