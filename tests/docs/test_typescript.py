"""The app of docs/your-app.md is checked, deployed and asked as it stands there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from local_aws.testing import DeployApp, LocalAws
from sagemaker_serving.archive import build_archive
from tests.cli.conftest import run_in
from tests.typescript import add_cdk
from tools.transcripts.blocks import ROOT, blocks

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

PAGE = ROOT / "docs" / "your-app.md"
HALF = ROOT / "model_assets" / "half_plus_three" / "model"


def test_the_page_s_app_is_checked_deployed_and_asked(
    local_aws: LocalAws, deploy_app: DeployApp, tmp_path: Path
) -> None:
    (app,), (mistake,) = blocks(PAGE, "ts"), blocks(PAGE, "text")
    add_cdk(tmp_path)
    (tmp_path / "node_modules" / "aws-cdk").symlink_to(ROOT / "node_modules" / "aws-cdk")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "cdk.json").write_text('{"app": "node app.ts"}')
    build_archive(HALF, lambda _: tmp_path / "model.tar.gz")
    check = run_in(tmp_path)

    def checked(text: str) -> tuple[int, str]:
        (tmp_path / "app.ts").write_text(text)
        subprocess.run(
            ["node", "node_modules/aws-cdk/bin/cdk", "synth", "--quiet"], cwd=tmp_path, check=True
        )
        ended = check("check", "cdk.out")
        return ended.returncode, ended.stdout

    broken = app.text.replace("ml.c5.large", "ml.t3.medium")
    assert checked(broken) == (2, mistake.text)
    assert checked(app.text) == (0, "1 template of cdk.out: nothing is wrong\n")

    deploy_app(tmp_path)
    answered = local_aws.client("sagemaker-runtime", "eu-west-1").invoke_endpoint(
        EndpointName="half", Body=b'{"instances": [1.0]}', ContentType="application/json"
    )
    assert json.load(answered["Body"]) == {"predictions": [3.5]}
