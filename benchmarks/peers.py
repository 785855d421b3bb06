"""What others say of a template: cfn-lint, and cfn-guard with the rules of AWS Control Tower.

cfn-guard has no rules of its own. Those that AWS publishes for CDK apps come with
cdklabs.cdk-validator-cfnguard, with the program itself: how resources are to be secured, not what
CloudFormation refuses (README of cdklabs/cdk-validator-cfnguard).
"""

from __future__ import annotations

import json
import platform
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tools.own_environments.environments import environment_of

Document = Mapping[str, Any]
Found = set[tuple[str, str]]
"""A rule's name, and what it says, for each finding."""

_MOST_IN_A_RUN = 40
"""Files: its report has every value on the way to a finding, some hundred kB a file."""


def cfn_lint(document: Document, region: str) -> Found:
    """What cfn-lint finds, run as a library."""
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    try:
        found = lint(json.dumps(document), config=ManualArgs(regions=[region]))
    except Exception as error:  # it ends in a traceback on some
        return {("ended", type(error).__name__)}
    return {(each.rule.id, each.message) for each in found}


def cfn_guard(documents: Mapping[str, Document], folder: Path) -> dict[str, Found]:
    """What cfn-guard finds in each of several templates, which it is given as files in ``folder``.

    It reads its rules once for a run, which takes longer than a template. One that it cannot read
    has the finding ``ended``.
    """
    names = [*documents]
    found: dict[str, Found] = {}
    for start in range(0, len(names), _MOST_IN_A_RUN):
        part = names[start : start + _MOST_IN_A_RUN]
        for name in part:
            (folder / f"{name}.json").write_text(json.dumps(documents[name]), encoding="utf-8")
        found |= {name: {("ended", "cfn-guard")} for name in part}
        found |= _run([folder / f"{name}.json" for name in part])
    return found


def _run(files: list[Path]) -> dict[str, Found]:
    program, rules = _guard()
    options = ["--structured", "--output-format=json", "--show-summary=none", "--rules", str(rules)]
    data = [each for file in files for each in ("--data", str(file))]
    ended = subprocess.run(
        [str(program), "validate", *options, *data], capture_output=True, check=False
    )
    if ended.returncode not in (0, _FAILED_CHECKS):
        if len(files) == 1:
            return {}
        parts = [_run([file]) for file in files]
        return {name: found for part in parts for name, found in part.items()}
    return {Path(each["name"]).stem: set(_failed(each)) for each in json.loads(ended.stdout)}


_FAILED_CHECKS = 19
"""The exit status for templates that fail a rule (cfn-guard's source, commands/mod.rs)."""


def _failed(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each rule that a template fails, with where it does."""
    for each in report["not_compliant"]:
        rule = each["Rule"]
        yield rule["name"], " ".join(sorted(set(_places(rule["checks"]))))


def _places(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("path"), str):
            yield value["path"]
        for inner in value.values():
            yield from _places(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _places(inner)


@cache
def _guard() -> tuple[Path, Path]:
    """The program and the folder of rules, unpacked beside the package that brings both."""
    place = environment_of("cfn_guard")
    home = place / "cfn-guard"
    if not home.is_dir():
        (packed,) = place.rglob("cdk-validator-cfnguard@*.jsii.tgz")
        with tarfile.open(packed) as archive:
            archive.extractall(home, filter="data")
    system = {"Darwin": "macos"}.get(platform.system(), "ubuntu")
    machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
    package = home / "package"
    return (
        package / "bin" / system / machine / "cfn-guard",
        package / "rules" / "control-tower" / "cfn-guard",
    )
