"""Any project's CloudFormation template as facts for the same rules."""

from sagemaker_serving.rules.template.judging import judge_template
from sagemaker_serving.rules.template.reading import (
    Template,
    add_sections,
    read_template,
    template_of,
    written,
)

__all__ = [
    "Template",
    "add_sections",
    "judge_template",
    "read_template",
    "template_of",
    "written",
]
