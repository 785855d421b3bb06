"""Folders that `cdk synth` wrote, each stack's template judged for its own region."""

from __future__ import annotations

import json
import re
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.rules.template.assembly import templates_of


def test_every_stack_is_found_in_stages_and_nested_ones_too(tmp_path: Path) -> None:
    app = cdk.App(outdir=str(tmp_path))
    first = cdk.Stack(app, "First", env=cdk.Environment(region="us-east-1"))
    _endpoint_config(first)
    nested = cdk.NestedStack(first, "Nested")
    _endpoint_config(cdk.NestedStack(nested, "Deeper"))
    stage = cdk.Stage(app, "Prod", env=cdk.Environment(region="eu-west-1"))
    _endpoint_config(cdk.Stack(stage, "Second"))
    _endpoint_config(cdk.Stack(app, "Open"))
    cdk.Stack(app, "Empty")
    app.synth()
    found = [(path.relative_to(tmp_path).parts, region) for path, region in templates_of(tmp_path)]
    regions = sorted((parts[-1][:5], region or "") for parts, region in found)
    assert regions == [
        ("First", "us-east-1"),
        ("First", "us-east-1"),
        ("First", "us-east-1"),
        ("Open.", ""),
        ("ProdS", "eu-west-1"),
    ]
    assert all((tmp_path.joinpath(*parts)).is_file() for parts, _ in found)


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    for manifest, why in (
        (None, f"{tmp_path}/manifest.json is missing"),
        ("{", "line 1, column 2 is not JSON"),
        ("[]", "its members are of other types"),
        (json.dumps({"artifacts": {"A": {}}}), "it has no 'type'"),
    ):
        if manifest is not None:
            (tmp_path / "manifest.json").write_text(manifest)
        said = re.escape(f"this is no cloud assembly ({why}); give the folder")
        with pytest.raises(Mistake, match=rf"{said} .* cdk\.out by default"):
            list(templates_of(tmp_path))


@pytest.mark.parametrize(
    ("template", "why"),
    {
        "{": "line 1, column 2 is not JSON",
        "[]": "its members are of other types",
        '{"Resources": []}': "its members are of other types",
        '{"Resources": {"A": []}}': "its members are of other types",
    }.items(),
)
def test_a_damaged_template_is_named(tmp_path: Path, template: str, why: str) -> None:
    properties = {"templateFile": "a.json"}
    stack = {"type": "aws:cloudformation:stack", "properties": properties}
    (tmp_path / "manifest.json").write_text(json.dumps({"artifacts": {"A": stack}}))
    (tmp_path / "a.json").write_text(template)
    said = re.escape(f"it cannot be read ({why}); run cdk synth again")
    with pytest.raises(Mistake, match=said):
        list(templates_of(tmp_path))


def test_a_folder_without_files_is_answered_with_what_is_taken(tmp_path: Path) -> None:
    with pytest.raises(Mistake) as refused:
        list(templates_of(tmp_path))
    assert f"({tmp_path}/manifest.json is missing)" in str(refused.value)
    assert str(refused.value).endswith("a model's folder is for `sagemaker-serving inspect`")


def _endpoint_config(scope: Construct) -> None:
    sagemaker.CfnEndpointConfig(
        scope,
        "Config",
        production_variants=[
            sagemaker.CfnEndpointConfig.ProductionVariantProperty(
                variant_name="blue", model_name="model", instance_type="ml.c5.large"
            )
        ],
    )
