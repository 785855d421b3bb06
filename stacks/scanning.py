"""cdk-nag's packs over an app as it is synthesized: ``cdk synth -c nag=AwsSolutions``."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import aws_cdk as cdk
from constructs import IConstruct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.synth.acknowledge import acknowledged

PACKS = {
    "AwsSolutions": ("AwsSolutionsChecks", "AwsSolutions-"),
    "NIST": ("NIST80053R5Checks", "NIST.800.53.R5-"),
    "PCI": ("PCIDSS321Checks", "PCI.DSS.321-"),
    "HIPAA": ("HIPAASecurityChecks", "HIPAA.Security-"),
    "Serverless": ("ServerlessChecks", "Serverless-"),
}
"""The packs by the name that ``-c nag=`` gives them, with cdk-nag's class and its rules' prefix."""


def packs_named(text: str) -> list[str]:
    """The packs of ``AwsSolutions,NIST``, each once; capital letters don't matter.

    Raises `Mistake` for another name, and where CDK would not run the packs.
    """
    known = {name.lower(): name for name in PACKS}
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise Mistake(
            f"-c nag={text}: there is no pack {', '.join(map(repr, unknown))}; "
            f"choose of {', '.join(PACKS)}, with commas between several"
        )
    if os.environ.get("CDK_VALIDATION") == "false":
        raise Mistake(
            f"-c nag={text}: CDK_VALIDATION=false keeps CDK from running any check; unset it"
        )
    return list(dict.fromkeys(known[name.lower()] for name in names))


def add_packs(app: cdk.App, packs: Sequence[str]) -> None:
    """Adds cdk-nag's ``packs`` to ``app``: what nobody acknowledged stops the synthesis.

    Raises `Mistake` where cdk-nag is not installed.
    """
    try:
        import cdk_nag
    except ImportError:
        raise Mistake("-c nag=… needs cdk-nag; run pip install cdk-nag") from None
    cdk.Validations.of(app).add_plugins(*(getattr(cdk_nag, PACKS[name][0])(app) for name in packs))


def acknowledged_of(scope: IConstruct, packs: Sequence[str]) -> list[str]:
    """A line for each rule of ``packs`` that is broken on purpose, with its count and reason."""
    prefixes = tuple(PACKS[name][1] for name in packs)
    counts = Counter(
        (finding.partition("[")[0], reason)
        for construct in scope.node.find_all()
        for finding, reason in acknowledged(construct)
        if finding.startswith(prefixes)
    )
    return [f"{rule} ({count}): {reason}" for (rule, reason), count in sorted(counts.items())]


def stop_at_findings(assembly: Path) -> None:
    """Prints what the packs found in the folder ``assembly`` and ends the program, if they did.

    The CDK CLI judges the stacks that its command names. ``cdk synth`` without a name names none
    where all stacks are in Stages, and would pass over what was found (seen with aws-cdk 2.1148.1).
    """
    path = assembly / "validation-report.json"
    reports = json.loads(path.read_text(encoding="utf-8"))["pluginReports"] if path.exists() else []
    lines = [
        f"error: {violation['description'].strip()} "
        f"[{violation['ruleName']}] at /{construct['constructPath']}"
        for report in reports
        if report["conclusion"] == "failure"
        for violation in report["violations"]
        for construct in violation["violatingConstructs"]
    ]
    if lines:
        print("\n".join(lines), file=sys.stderr)
        raise SystemExit(2)
