"""Every rule that there is: those of the files in this package's folders for what they judge."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from sagemaker_serving.rules.engine import Rule

_FOLDERS = (
    *("artifact", "hardware", "scaling", "batch", "container", "neo", "deployment", "endpoint"),
    *("roles", "state_machines"),
)


def _rules() -> Iterator[Rule]:
    """The rules of each file in the order in which they stand there, and of its tuples of rules."""
    for folder in _FOLDERS:
        package = import_module(f"sagemaker_serving.rules.{folder}")
        for module in iter_modules(package.__path__, f"{package.__name__}."):
            for value in vars(import_module(module.name)).values():
                for each in value if isinstance(value, tuple) else (value,):
                    if isinstance(each, Rule):
                        yield each


RULES: tuple[Rule, ...] = tuple(dict.fromkeys(_rules()))
"""The rules in the order in which they are applied and documented."""

OTHER_FINDINGS = {
    "yaml": "The file is YAML that can be read.",
    "duplicate-key": "Each key of a mapping stands there once.",
    "unknown-field": "Fields are those that `sagemaker-serving docs environment-files` lists.",
    "missing-field": "What has no default is written.",
    "wrong-type": "A value is of its field's type: text, a number, a list, a mapping.",
    "extends": "What a file extends is there, can be read, and does not lead back to it.",
    "acknowledge": "What is acknowledged is a rule that found something, with a reason.",
    "file": "A file is there, and text in UTF-8.",
    "template": "A template is JSON or YAML as CloudFormation takes it.",
    "assembly": "A folder is what `cdk synth` wrote, and whole.",
    "plan": "A plan is what `terraform show -json` prints.",
    "schemas-missing": "CloudFormation's schemas are installed, to judge resources by.",
    "combinations-unjudged": "Parameters allow no more combinations than can be judged.",
    "region-unknown": "The region is known, so that what it offers can be judged.",
    "golden-file": "A golden file is as `sagemaker-serving docs compare` shows it.",
    **dict.fromkeys(
        ("account-s3", "account-endpoint", "account-reservation"),
        "What the file names is in the account, and can become what it says (`check --account`).",
    ),
    "account-leftover": "No stack runs on that no file has any more (`check --account`).",
    **dict.fromkeys(
        (
            "quota-endpoint-instances",
            "quota-transform-instances",
            "quota-endpoints",
            "quota-serverless-endpoints",
            "quota-serverless-concurrency",
            "quota-provisioned-concurrency",
            "quota-unknown",
        ),
        "The account's quotas are enough for what the file asks (`check --account`).",
    ),
}
"""What findings demand that are of no rule: how something is written, whether it could be judged,
and what the account has. Their messages say what to do."""
