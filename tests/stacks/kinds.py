"""The kinds of endpoint of docs/kinds.md, as one environment."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import aws_cdk as cdk
from aws_cdk.assertions import Template

from sagemaker_serving.spec import EnvironmentFile, read_environment
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "kinds.md").read_text(encoding="utf-8")
KINDS = re.findall(r"^([a-z-]+):$", "\n".join(re.findall(r"```yaml\n(.*?)```", PAGE, re.S)), re.M)
KINDS_FILE = "name: kinds\nregion: eu-west-1\nstorage: {kms: true}\nmodels:\n" + "".join(
    textwrap.indent(block, "  ") for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.S)
)


class Kinds:
    """The page's files as one environment, and each model's template."""

    def __init__(self, folder: Path) -> None:
        (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
        path = folder / "kinds.yaml"
        path.write_text(KINDS_FILE)
        self.file: EnvironmentFile = read_environment(path)
        assert self.file.environment is not None, self.file.shape_problems
        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        self.app = cdk.App(outdir=str(folder / "cdk.out"), context=context)
        self.stage = EnvironmentStage(self.app, self.file.environment, folder=folder)

    def template(self, kind: str) -> Template:
        return Template.from_stack(self.stage.node.find_child(kind))  # type: ignore[arg-type]

    def granted(self, kind: str, action: str) -> list[Any]:
        """The resources that the endpoint's role may do ``action`` on."""
        (policy,) = [
            resource["Properties"]
            for name, resource in self.template(kind).find_resources("AWS::IAM::Policy").items()
            if name.startswith("ExecutionRole")
        ]
        return [
            statement["Resource"]
            for statement in policy["PolicyDocument"]["Statement"]
            if action in (statement["Action"], *statement["Action"])
        ]
