"""What is wrong with a deployment: one small pure function per rule, over plain facts.

Facts may be wrong in any way; values that are no plain value (tokens,
intrinsic functions) pass unjudged. ``cdk synth``, ``check`` and the local run
call the same functions.
"""

from sagemaker_serving.rules.check import check_environment, check_template
from sagemaker_serving.rules.engine import Rule, all_rules, judge
from sagemaker_serving.rules.guardrails import takes_guardrails
from sagemaker_serving.rules.template import Template, read_template, template_of

__all__ = [
    "Rule",
    "Template",
    "all_rules",
    "check_environment",
    "check_template",
    "judge",
    "read_template",
    "takes_guardrails",
    "template_of",
]
