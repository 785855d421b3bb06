"""What docs/operations.md shows is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from sagemaker_serving.spec import AlarmThresholds, Environment, Monitoring

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_defaults_shown_are_the_defaults() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    written = yaml.safe_load(block)
    assert written["monitoring"].keys() == Monitoring.model_fields.keys()
    assert written["monitoring"]["thresholds"].keys() == AlarmThresholds.model_fields.keys()
    shown = Environment.model_validate(written)
    assert shown.monitoring is not None
    limits = shown.monitoring.thresholds
    assert limits.datapoints == AlarmThresholds().datapoints
    assert limits.model_copy(update={"datapoints_to_alarm": None}) == AlarmThresholds()
    assert shown.monitoring.model_copy(update={"thresholds": AlarmThresholds()}) == Monitoring()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.splitlines()[0])
def test_the_programs_run(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "docs/operations.md", "exec"), {})


def test_the_permissions_named_are_those_that_are_used() -> None:
    used = {
        word.title().replace("_", "")
        for path in ("rollback.py", "watch.py", "rollout/state.py", "rollout/logs.py")
        for word in re.findall(
            r"\b(?:sagemaker|logs|_sagemaker|_logs)\.(describe_\w+|update_\w+|list_\w+)\(",
            (ROOT / "constructs/sagemaker_serving/operations" / path).read_text(encoding="utf-8"),
        )
    }
    assert used
    assert [action for action in used if action not in PAGE] == []
