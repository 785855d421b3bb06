"""docs/rules.md: every rule, from the rules themselves."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import RULES, Rule

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
HEAD = """\
# Rules

What `sagemaker-serving check`, `cdk synth` and the plugin `SageMakerChecks` look at. This page
is made from the rules by `make docs`. {errors} rules name errors, which stop a deploy (exit
status 2); {warnings} name warnings, of what is likely wrong or where AWS's own sources conflict.

```console
$ sagemaker-serving check environments/*.yaml
$ sagemaker-serving check --template cdk.out/*.template.json --region eu-west-1
$ sagemaker-serving check environments/*.yaml --format github     # or sarif, json
```

In any CDK app, and with acknowledgements like those of cdk-nag:

```python
cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
cdk.Validations.of(construct).acknowledge(
    cdk.Acknowledgment(id="SageMakerChecks::instance-retired", reason="…")
)
```

Templates are judged by what they say, their mappings and conditions included: values that only a
deploy settles pass unjudged, and without a region the rules on what a region offers don't run, and
say so.

A rule of one's own is a function under `sagemaker_serving.rules.rule`; it judges beside these in
`check_template(template, region, (*RULES, mine))`, and in `check_environment(file, …)` likewise.
"""


def page() -> str:
    """The page as Markdown."""
    errors = sum(rule.severity is Severity.ERROR for rule in RULES)
    parts = [HEAD.format(errors=errors, warnings=len(RULES) - errors)]
    for name, group in groupby(RULES, key=lambda rule: rule.judge.__module__):
        parts.append(f"\n## {_title(name)}\n")
        parts += [part for rule in group for part in _section(rule)]
    return "".join(parts)


def _title(module: str) -> str:
    """What the file says of itself, without "Rules on"."""
    text = inspect.getdoc(importlib.import_module(module)) or module
    sentence = text.partition("\n")[0].removeprefix("Rules on ").rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _section(rule: Rule) -> Iterator[str]:
    yield f"\n### {rule.id}\n\n{_flat(rule.what)}"
    yield f" {_flat(rule.why)}\n" if rule.why else "\n"
    yield f"\n- {rule.severity}; source: {_flat(rule.source)}\n"
    if rule.example:
        yield f"- for example: `{rule.example}`\n"


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("``", "`").strip()
