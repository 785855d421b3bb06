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
from sagemaker_serving.rules.facts.shapes import limits
from sagemaker_serving.rules.registry import OTHER_FINDINGS
from sagemaker_serving.rules.template.judging import COMBINATIONS

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
HEAD = """\
# Rules

`sagemaker-serving check`, `cdk synth` and the plugin `SageMakerChecks` check these rules.
`make docs` makes this page from them. {errors} rules report errors, which stop a deploy (exit
status 2). {warnings} report warnings: something is probably wrong, or AWS's own sources conflict.
{notes} reports a note, which says what is good to know and is no problem.

```console
$ sagemaker-serving check environments/*.yaml
$ sagemaker-serving check stack.yaml --region eu-west-1
$ sagemaker-serving check cdk.out                                 # what cdk synth wrote, of any app
$ sagemaker-serving check plan.json                               # terraform show -json
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

Every resource of a template is judged by CloudFormation's schema of its type, of any service. The
schemas are cfn-lint's: `pip install 'sagemaker-serving[check]'`. Without them a note says so.

A plan has no empty list or block: there it is the same as none, and Terraform's provider asks for
what a resource needs.

A template is checked in each way in which it can be deployed. Parameters have their defaults
first, then each of their allowed values, and each value that a condition compares them with. So
each branch of an `Fn::If` is checked that these values can reach. What they cannot reach is not,
nor what the template's section Rules refuses. A finding says when it occurs; without such words it
occurs always:

- `when condition IsProd is true, …`: in that branch. `as by default` stands behind it if a deploy
  that gives no parameter is one of those.
- `by default of InstanceType, …`: the parameter's default is wrong.
- `when parameter InstanceType is ml.t3.large, …; so it is with ml.t2.nano`: these allowed values
  are wrong. Whoever deploys can choose another, so this is a warning.
- `…; no value that parameter InstanceType allows is right`.

For each resource, each choice is checked with the others at their defaults. Combinations are
checked too, as far as they make a difference to the resource: up to {combinations} of them. Where
over 100 resources depend on choices it is fewer, down to 8. A note says where there are more.

Values that only a deploy knows are not checked: attributes of resources, SSM parameters and other
dynamic references, parameters without default and allowed values. A map that is looked up by a
region is checked only if the region is known. Without a region, the rules on what a region offers
do not run, and a message says so.

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
            combinations=COMBINATIONS,
        )
    ]
    for name, group in groupby(RULES, key=lambda rule: rule.judge.__module__):
        parts.append(f"\n## {_title(name)}\n")
        parts += [part for rule in group for part in _section(rule)]
    parts.append("\n## Findings of no rule\n\n| id | demands |\n|---|---|\n")
    parts += [f"| `{name}` | {demands} |\n" for name, demands in OTHER_FINDINGS.items()]
    return "".join(parts)


def _title(module: str) -> str:
    """What the file says of itself, without "Rules on"."""
    text = inspect.getdoc(importlib.import_module(module)) or module
    sentence = text.partition("\n")[0].removeprefix("Rules on ").rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}"


def _section(rule: Rule) -> Iterator[str]:
    yield f"\n### {rule.id}\n\n{_flat(rule.what)}"
    yield f" {_flat(rule.why)}\n" if rule.why else "\n"
    refused = "; SageMaker refuses the call" if rule.refused else ""
    yield f"\n- {rule.severity}{refused}; source: {_flat(rule.source)}\n"
    if rule.example:
        yield f"- for example: `{rule.example}`\n"
    if rule.aliases:
        yield f"- called {' and '.join(f'`{each}`' for each in rule.aliases)} before\n"
    for door, why in rule.silent.items():
        yield f"- silent of {door}: {why}\n"
    for place in rule.shapes:
        taken = limits(place)
        if taken:
            yield f"- AWS takes of `{place.rpartition('.')[2]}`: {taken}\n"


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("``", "`").strip()
