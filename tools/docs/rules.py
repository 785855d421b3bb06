"""docs/rules.md: every rule, from the rules themselves."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import RULES, Rule

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
HEAD = """\
# Rules

`sagemaker-serving check`, `cdk synth` and the plugin `SageMakerChecks` check these rules.
`make docs` makes this page from them. {errors} rules report errors, which stop a deploy (exit
status 2). {warnings} report warnings: something is probably wrong, or AWS's own sources conflict.
{notes} reports a note, which says what is good to know and is no problem.

```console
$ sagemaker-serving check environments/*.yaml
$ sagemaker-serving check --template stack.yaml --region eu-west-1
$ sagemaker-serving check --assembly cdk.out                      # what cdk synth wrote, of any app
$ sagemaker-serving check --plan plan.json                        # terraform show -json
$ sagemaker-serving check environments/*.yaml --format github     # or sarif, json
```

In any CDK app, with acknowledgements as in cdk-nag:

```python
cdk.Validations.of(app).add_plugins(SageMakerChecks(app))
cdk.Validations.of(construct).acknowledge(
    cdk.Acknowledgment(id="SageMakerChecks::instance-retired", reason="…")
)
```

The CDK CLI stops only at findings in the stacks that a command names. Where all stacks are in
Stages, `cdk synth` alone names none: write `cdk synth '**'`.

In cfn-lint, and in each editor that shows what cfn-lint finds, with the ids of this page. Put one
line into `.cfnlintrc`:

```yaml
append_rules: [sagemaker_serving.rules.cfn_lint]
```

Templates are checked with their mappings and conditions. Values that only a deploy knows are not
checked. Without a region, the rules on what a region offers do not run, and a message says so.

A finding that is meant to stay is acknowledged by its rule, with the reason. It is a note then, and
stops nothing. An environment file does so for itself or for one model. A template does so in its
own Metadata, or in that of a resource. `check --acknowledge FILE` reads `rule: reason` for all that
it checks. What `check --account` finds is of the account, not of a file, and is not acknowledged.

```yaml
acknowledge: {{instance-retired: "moves to g6 in March"}}                       # environment file

Metadata: {{SageMakerServing: {{acknowledge: {{instance-retired: "moves in March"}}}}}}   # template
```

You can add a rule: a function under `sagemaker_serving.rules.rule`. Pass it to
`check_template(template, region, (*RULES, mine))`, or to `check_environment(file, …)`.
"""


def page() -> str:
    """The page as Markdown."""
    counts = Counter(rule.severity for rule in RULES)
    parts = [
        HEAD.format(
            errors=counts[Severity.ERROR],
            warnings=counts[Severity.WARNING],
            notes=counts[Severity.NOTE],
        )
    ]
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
