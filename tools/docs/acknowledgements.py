"""docs/acknowledgements.md: every finding of a scanner that is meant to stay, and why."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("CDK_VALIDATION", "false")

import aws_cdk as cdk
from constructs import IConstruct

from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "acknowledgements.md"

_HEAD = """# Findings that are meant to stay

What cdk-nag (AwsSolutions, NIST 800-53 R5, PCI DSS, HIPAA, Serverless) and checkov would say of
the shipped environments, each with the reason that answers it; rules without a prefix are of all
three compliance packs, ENV is the environment's name. Everything else they find is
mended: `tests/scanners` fails on any finding that is not in this list. Made from the constructs
by `make docs`.

cfn-lint says W3005 of the state machine alone: CDK writes a DependsOn beside a reference there.
"""


def page() -> str:
    """The page, from what the shipped environments acknowledge."""
    findings: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    environments: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for environment, path, finding, reason in _acknowledged():
        findings[path, reason].add(_in_any(environment, finding))
        environments[path, reason].add(environment)
    lines = [_HEAD, "| Where | In | Findings | Why |", "| --- | --- | --- | --- |"]
    for path, reason in sorted(findings):
        listed = "<br>".join(f"`{finding}`" for finding in sorted(findings[path, reason]))
        where = ", ".join(sorted(environments[path, reason]))
        lines.append(f"| `{path}` | {where} | {listed} | {reason} |")
    return "\n".join(lines) + "\n"


def _in_any(environment: str, finding: str) -> str:
    """The finding as it is in every environment, and in all three compliance packs."""
    rule = re.sub(r"^(NIST\.800\.53\.R5|PCI\.DSS\.321|HIPAA\.Security)-", "", finding)
    return rule.replace(environment, "ENV") if "Resource::" in rule else rule


def _acknowledged() -> Iterator[tuple[str, str, str, str]]:
    """Environment, construct path within it, finding, reason."""
    context = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    with tempfile.TemporaryDirectory() as folder:
        app = cdk.App(outdir=folder, context=context)
        for path in sorted((ROOT / "environments").glob("[!_]*.yaml")):
            environment = read_environment(path).environment
            assert environment is not None
            stage = EnvironmentStage(app, environment, folder=path.parent)
            for construct in stage.node.find_all():
                where = construct.node.path.removeprefix(f"{stage.node.path}/")
                for finding, reason in _of(construct):
                    yield environment.name, where, finding, reason


def _of(construct: IConstruct) -> Iterator[tuple[str, str]]:
    for entry in construct.node.metadata:
        if entry.type == cdk.Validations.ACKNOWLEDGED_RULES_METADATA_KEY:
            for finding, reason in entry.data.items():
                yield finding.removeprefix("Annotation::"), reason
    if isinstance(construct, cdk.CfnResource):
        for skipped in (construct.get_metadata("checkov") or {}).get("skip", []):
            yield skipped["id"], skipped["comment"]
