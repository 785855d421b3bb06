"""docs/acknowledgements.md: why findings of scanners are meant to stay."""

from __future__ import annotations

import re
from collections import defaultdict

from tools.docs.acknowledged import ROOT, Acknowledged, of_shipped, rule_of

PAGE = ROOT / "docs" / "acknowledgements.md"

_HEAD = """# Findings that are meant to stay

These findings of cdk-nag and checkov stay in the shipped environments, each with the reason.
cdk-nag's packs are AwsSolutions, NIST 800-53 R5, PCI DSS, HIPAA and Serverless. Rules without a
prefix are of all three compliance packs. `AwsSolutions-IAM5` is a wildcard in a policy.

`tests/scanners` fails on any other finding, and on any change of
`tests/scanners/acknowledged.json`, which has every place. `make docs` makes both from the
constructs.

cfn-lint finds W3005 in the state machine alone: CDK writes a DependsOn beside a reference there.
"""


def page() -> str:
    """The page, from what the shipped environments acknowledge."""
    by_reason: defaultdict[str, list[Acknowledged]] = defaultdict(list)
    for one in of_shipped():
        by_reason[one.reason].append(one)
    lines = [_HEAD, "| Finding | Why it stays | In | Places |", "| --- | --- | --- | --- |"]
    for reason, found in sorted(by_reason.items(), key=lambda item: (_rules(item[1]), item[0])):
        where = ", ".join(sorted({one.environment for one in found}))
        # Some scanners judge a construct, some the resource that it is made of.
        places = len({(one.environment, re.sub("(/Resource)+$", "", one.path)) for one in found})
        lines.append(f"| {_rules(found)} | {reason} | {where} | {places} |")
    return "\n".join(lines) + "\n"


def _rules(found: list[Acknowledged]) -> str:
    rules = {rule_of(one.finding).partition("[")[0] for one in found}
    return "<br>".join(f"`{rule}`" for rule in sorted(rules))
