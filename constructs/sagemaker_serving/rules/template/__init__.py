"""Any project's CloudFormation template as facts for the same rules."""

from sagemaker_serving.rules.template.facts import template_facts
from sagemaker_serving.rules.template.reading import Template, read_template, template_of, written

__all__ = ["Template", "read_template", "template_facts", "template_of", "written"]
