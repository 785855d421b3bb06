"""Any project's CloudFormation template as facts for the same rules."""

from sagemaker_serving.rules.template.judging import judge_template
from sagemaker_serving.rules.template.reading import (
    Template,
    read_template,
    template_of,
    with_sections,
    written,
)

__all__ = [
    "Template",
    "judge_template",
    "read_template",
    "template_of",
    "with_sections",
    "written",
]
