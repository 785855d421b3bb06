"""tests/scanners/acknowledged.json: every finding of a scanner that is meant to stay, exactly."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("CDK_VALIDATION", "false")

import aws_cdk as cdk

from sagemaker_serving.infra.synth.acknowledge import acknowledged
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests" / "scanners" / "acknowledged.json"


class Acknowledged(NamedTuple):
    """A finding on a construct; ``path`` is the construct's within its environment."""

    environment: str
    path: str
    finding: str
    reason: str


def page() -> str:
    """The findings of every construct, each with its reason, and the environments that have it."""
    environments: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    for environment, path, finding, reason in of_shipped():
        environments[path, reason, _in_any(environment, finding)].append(environment)
    listed: dict[str, dict[str, dict[str, str]]] = {}
    for (path, reason, finding), names in sorted(environments.items()):
        listed.setdefault(path, {}).setdefault(reason, {})[finding] = ", ".join(sorted(set(names)))
    return f"{json.dumps(listed, indent=1)}\n"


@cache
def of_shipped() -> list[Acknowledged]:
    """What the shipped environments acknowledge."""
    found = []
    context = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    with tempfile.TemporaryDirectory() as folder:
        app = cdk.App(outdir=folder, context=context)
        for path in sorted((ROOT / "environments").glob("[!_]*.yaml")):
            environment = read_environment(path).environment
            assert environment is not None
            stage = EnvironmentStage(app, environment, folder=path.parent)
            for construct in stage.node.find_all():
                where = construct.node.path.removeprefix(f"{stage.node.path}/")
                found += [
                    Acknowledged(environment.name, where, *one) for one in acknowledged(construct)
                ]
    return found


def rule_of(finding: str) -> str:
    """The scanner's rule; one of the compliance packs' is the same in all three."""
    return re.sub(r"^(NIST\.800\.53\.R5|PCI\.DSS\.321|HIPAA\.Security)-", "", finding)


def _in_any(environment: str, finding: str) -> str:
    """The finding as it is in every environment."""
    rule = rule_of(finding)
    return rule.replace(environment, "ENV") if "Resource::" in rule else rule
