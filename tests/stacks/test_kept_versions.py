"""Production, guarded updates and batches keep what a deploy replaces, and its archives."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.spec import read_environment
from sagemaker_serving.spec.provenance import ENDPOINT_TAG
from stacks import EnvironmentStage

ROOT = Path(__file__).parents[2]
GUARDED = """\
name: guarded
region: eu-west-1
models:
  half:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants:
      - {name: cpu, instance_type: ml.c5.large}
    update: {all_at_once: true, alarms: [my-own]}
"""


def resources(synthesized: Any, environment: str, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = synthesized.template(environment, "digits").find_resources(kind)
    return found


def test_models_and_config_of_a_production_endpoint_stay(synthesized: Any) -> None:
    models = resources(synthesized, "prod", "AWS::SageMaker::Model")
    kept = {name for name in models if models[name].get("DeletionPolicy") == "RetainExceptOnCreate"}
    assert set(models) == kept
    (config,) = resources(synthesized, "prod", "AWS::SageMaker::EndpointConfig").values()
    assert config["DeletionPolicy"] == "RetainExceptOnCreate"
    assert {"Key": ENDPOINT_TAG, "Value": "prod-digits"} in config["Properties"]["Tags"]


def test_the_role_reads_this_models_archives_and_no_others(synthesized: Any) -> None:
    text = json.dumps(resources(synthesized, "prod", "AWS::IAM::Policy"))
    assert "/cdk.kept/prod-digits/*.tar.gz" in text
    assert "/prod-digits/*/*" not in text, "it sends no folder uncompressed"
    assert "/*.tar.gz" not in text.replace("/prod-digits/*.tar.gz", "")
    for model in resources(synthesized, "prod", "AWS::SageMaker::Model").values():
        assert "/cdk.kept/prod-digits/" in json.dumps(model["Properties"]["PrimaryContainer"])


@pytest.mark.parametrize("environment", ["dev", "staging"])
def test_elsewhere_only_what_batches_use_stays(synthesized: Any, environment: str) -> None:
    models = resources(synthesized, environment, "AWS::SageMaker::Model")
    kept = {name for name in models if models[name].get("DeletionPolicy") == "RetainExceptOnCreate"}
    assert kept == {name for name in models if name.startswith("BatchModel")} != set()
    for config in resources(synthesized, environment, "AWS::SageMaker::EndpointConfig").values():
        assert "DeletionPolicy" not in config
    text = json.dumps(resources(synthesized, environment, "AWS::IAM::Policy"))
    assert f"/{environment}-digits/*.tar.gz" in text


def test_without_batches_nothing_stays(synthesized: Any) -> None:
    template = synthesized.template("dev", "half-plus-three")
    for kind in ("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig"):
        for resource in template.find_resources(kind).values():
            assert "DeletionPolicy" not in resource
    assert "*.tar.gz" not in json.dumps(template.find_resources("AWS::IAM::Policy"))


@pytest.mark.parametrize("artifact", ["model", "{folder: model, uncompressed: true}"])
def test_an_update_that_sagemaker_may_take_back_keeps_its_endpoints_versions(
    tmp_path: Path, artifact: str
) -> None:
    shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", tmp_path / "model")
    path = tmp_path / "guarded.yaml"
    path.write_text(GUARDED.replace("artifact: model", f"artifact: {artifact}"))
    environment = read_environment(path).environment
    assert environment is not None
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    app = cdk.App(outdir=str(tmp_path / "cdk.out"), context=context)
    stage = EnvironmentStage(app, environment, folder=tmp_path)
    template = Template.from_stack(stage.node.find_child("half"))  # type: ignore[arg-type]
    for kind in ("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig"):
        (resource,) = template.find_resources(kind).values()
        assert resource["DeletionPolicy"] == "RetainExceptOnCreate"
    policies = json.dumps(template.find_resources("AWS::IAM::Policy"))
    for below in ("cdk.kept/guarded-half", "guarded-half"):
        assert f"/{below}/*.tar.gz" in policies
    listed = '"s3:prefix": ["cdk.kept/guarded-half/*/*", "guarded-half/*/*"]'
    for part in ("/cdk.kept/guarded-half/*/*", '"/guarded-half/*/*', listed):
        assert (part in policies) == ("uncompressed" in artifact)
    models = json.dumps(template.find_resources("AWS::SageMaker::Model"))
    assert re.search(r"/cdk.kept/guarded-half/[0-9a-f]{64}(\.tar\.gz|\.files/)\"", models)


def test_the_role_reads_every_version_below_the_prefix_that_the_file_names(tmp_path: Path) -> None:
    written = "{s3: s3://mine/d/7.tar.gz, version_id: a, versions: s3://mine/d/}"
    path = tmp_path / "guarded.yaml"
    path.write_text(GUARDED.replace("artifact: model", f"artifact: {written}"))
    environment = read_environment(path).environment
    assert environment is not None
    stage = EnvironmentStage(cdk.App(outdir=str(tmp_path / "o")), environment, folder=tmp_path)
    template = Template.from_stack(stage.node.find_child("half"))  # type: ignore[arg-type]
    policies = json.dumps(template.find_resources("AWS::IAM::Policy"))
    assert ":s3:::mine/d/*" in policies
    assert '"s3:prefix": "d/*"' in policies


def test_the_role_of_an_endpoint_that_was_there_says_all_twice(tmp_path: Path) -> None:
    """What outlives the stack is changed in place; what is named by its content goes at the end of
    a deploy, so that the version that serves has its grants until it is left."""
    shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", tmp_path / "model")

    def policies(artifact: str) -> dict[str, Any]:
        (tmp_path / "guarded.yaml").write_text(
            GUARDED.replace(
                "artifact: model", f"artifact: {artifact}\n    endpoint: {{existing: it}}"
            )
        )
        app = cdk.App(outdir=str(tmp_path / f"cdk.out-{len(artifact)}"))
        environment = read_environment(tmp_path / "guarded.yaml").sound
        stage = EnvironmentStage(app, environment, folder=tmp_path)
        template = Template.from_stack(stage.node.find_child("half"))  # type: ignore[arg-type]
        (update,) = template.find_resources("Custom::EndpointUpdate").values()
        (model,) = template.find_resources("AWS::SageMaker::Model").values()
        found = {
            name: resource
            for name, resource in template.find_resources("AWS::IAM::Policy").items()
            if name.startswith("ExecutionRole")
        }
        assert set(found) <= set(model["DependsOn"])
        assert update["DependsOn"]
        return found

    now, then = policies("model"), policies('{s3: "s3://models/another/model.tar.gz"}')
    (retained,) = set(now) & set(then)
    assert now[retained]["DeletionPolicy"] == "RetainExceptOnCreate"
    for found in (now, then):
        (beside,) = set(found) - {retained}
        assert "DeletionPolicy" not in found[beside]
        document = found[retained]["Properties"]["PolicyDocument"]
        assert found[beside]["Properties"]["PolicyDocument"] == document
    names = [each["Properties"]["PolicyName"] for each in (*now.values(), *then.values())]
    assert len(set(names)) == 3
