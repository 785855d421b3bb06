"""Whatever passes `check` synthesizes: files drawn from the schema, each with a few odd fields.

A dozen here, of those that the rules let pass; ``make fuzz`` sets ENVIRONMENT_CASES to 1,000.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

import aws_cdk as cdk
import pytest
import yaml

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import check_environment, check_template, read_template
from sagemaker_serving.spec import EnvironmentFile, read_environment
from stacks import EnvironmentStage
from tests.stacks.drawn_environments import drawn_environment
from tests.stacks.kinds import ROOT
from tests.today import TODAY

CASES = int(os.environ.get("ENVIRONMENT_CASES", "12"))
PARTS = 2


@pytest.mark.parametrize("part", range(PARTS))
def test_what_passes_synthesizes_and_its_templates_pass(part: int, tmp_path: Path) -> None:
    (tmp_path / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    for number, file in islice(_passing(tmp_path, part), CASES // PARTS):
        assert file.environment is not None
        app = cdk.App(outdir=str(tmp_path / f"{number}"), context=context)
        try:
            EnvironmentStage(app, file.environment, folder=tmp_path)
            assembly = app.synth()
        except Exception as error:
            error.add_note(f"of drawn_environment({number})")
            raise
        for template in Path(assembly.directory).rglob("*.template.json"):
            found = check_template(read_template(template), file.environment.region, today=TODAY)
            wrong = [str(problem) for problem in found if problem.severity is Severity.ERROR]
            assert wrong == [], f"of drawn_environment({number}): {wrong}"


def _passing(folder: Path, part: int) -> Iterator[tuple[int, EnvironmentFile]]:
    """Drawn files without an error, each with its number."""
    for number in count(part, PARTS):
        path = folder / f"{number}.yaml"
        path.write_text(yaml.safe_dump(drawn_environment(number)))
        file = read_environment(path)
        found = check_environment(file, today=TODAY)
        if not any(problem.severity is Severity.ERROR for problem in found):
            yield number, file
