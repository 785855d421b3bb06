"""A function of this project's own: what its zip holds, what its role may do."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Match, Template

from sagemaker_serving.infra.functions import own_function
from sagemaker_serving.infra.functions.own_function import OwnFunction


@pytest.fixture
def stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> cdk.Stack:
    functions = tmp_path / "functions"
    for package in ("one", "other"):
        (functions / package / "__pycache__").mkdir(parents=True)
        (functions / package / "start.py").write_text("def handler(event, context): ...\n")
        (functions / package / "__pycache__" / "start.pyc").write_bytes(b"compiled")
    monkeypatch.setattr(own_function, "_PACKAGE", tmp_path)
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    return cdk.Stack(app, "Trial")


def _added(stack: cdk.Stack) -> OwnFunction:
    return OwnFunction(
        stack,
        "Function",
        package="one",
        handler="start.handler",
        timeout=cdk.Duration.minutes(1),
        retain_logs=False,
    )


def test_the_zip_holds_its_own_folder_and_nothing_else(stack: cdk.Stack) -> None:
    _added(stack)
    assembly = cdk.Stage.of(stack).synth()  # type: ignore[union-attr]
    (asset,) = Path(assembly.directory).glob("asset.*")
    files = [str(path.relative_to(asset)) for path in asset.rglob("*") if path.is_file()]
    assert files == ["one/start.py"]


def test_its_role_may_write_its_own_log_and_traces_only(stack: cdk.Stack) -> None:
    _added(stack)
    template = Template.from_stack(stack)
    template.has_resource_properties("AWS::IAM::Role", {"ManagedPolicyArns": Match.absent()})
    (policy,) = template.find_resources("AWS::IAM::Policy").values()
    allowed = {
        action
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        for action in statement["Action"]
    }
    assert allowed == {
        "logs:CreateLogStream",
        "logs:PutLogEvents",
        "xray:PutTelemetryRecords",
        "xray:PutTraceSegments",
    }
