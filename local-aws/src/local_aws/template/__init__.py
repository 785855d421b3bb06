"""What a CloudFormation template's values are, worked out as far as their reader knows.

`Evaluator` works out intrinsic functions. What nobody knows before the deployment is an
`Unknown` and makes what is built from it unknown, not its neighbours. Standard library only:
the rules read templates with it, and the local AWS deploys them.
"""

from __future__ import annotations

from local_aws.template.evaluator import FUNCTIONS, Evaluator, Names
from local_aws.template.loops import FOR_EACH, repeated
from local_aws.template.parameters import broken, is_list, is_ssm_value, referenced, refusals
from local_aws.template.regions import PSEUDO_PARAMETERS, region_names
from local_aws.template.syntax import (
    Reference,
    attribute_reference,
    function_name,
    needed,
    references,
    short_form,
    unresolved_condition,
)
from local_aws.template.values import (
    NO_VALUE,
    TemplateError,
    Unknown,
    as_text,
    has_unknown,
    joined,
    same,
)

__all__ = [
    "FOR_EACH",
    "FUNCTIONS",
    "NO_VALUE",
    "PSEUDO_PARAMETERS",
    "Evaluator",
    "Names",
    "Reference",
    "TemplateError",
    "Unknown",
    "as_text",
    "attribute_reference",
    "broken",
    "function_name",
    "has_unknown",
    "is_list",
    "is_ssm_value",
    "joined",
    "needed",
    "referenced",
    "references",
    "refusals",
    "region_names",
    "repeated",
    "same",
    "short_form",
    "unresolved_condition",
]
