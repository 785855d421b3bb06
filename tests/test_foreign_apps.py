"""An app goes the whole way by the tool, which says what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
APP = """
import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_, aws_sqs as sqs

open("../beside.txt").close()
app = cdk.App()
stack = cdk.Stack(app, "Orders")
sqs.Queue(stack, "Queue")
code = lambda_.Code.from_inline("def handler(event, context):\\n    return event['absent']\\n")
lambda_.Function(
    stack, "Function", runtime=lambda_.Runtime.PYTHON_3_13, handler="index.handler", code=code
)
app.synth()
"""


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(300)
def test_an_app_is_deployed_asked_updated_and_destroyed(tmp_path: Path) -> None:
    apps = tmp_path / "apps"
    apps.mkdir()
    (apps / "beside.txt").touch()
    for name, source in {"orders": APP, "broken": "raise SystemExit('no such library')"}.items():
        (apps / name).mkdir(parents=True)
        (apps / name / "cdk.json").write_text(json.dumps({"app": f"{sys.executable} app.py"}))
        (apps / name / "app.py").write_text(source)

    told = _run(apps)
    assert "broken: not synthesized: no such library" in told
    assert "orders: whole way; 2 of 2 requests right" in told


def _run(*arguments: object) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "tools.foreign_apps", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
