"""One assembly, carried elsewhere, is deployed to one environment after the other: same content.

By the real CDK CLI to a local AWS; the model servers are stand-ins.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import aws_cdk as cdk
import pytest

from sagemaker_serving.operations.explain import Served, explain
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage
from tests.deploy.assemblies import ACCOUNT, Cdk, Ended
from tests.local_aws.aws import REGION, Aws, client_of
from tests.today import TODAY

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
DIGEST = f"sha256:{'0123456789abcdef' * 4}"
IMAGE = f"763104351884.dkr.ecr.{REGION}.amazonaws.com/tensorflow-inference@{DIGEST}"
ENVIRONMENT = f"""\
name: NAME
region: {REGION}
production: PRODUCTION
models:
  half:
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    image_uri: {IMAGE}
    variants:
      - {{name: cpu, instance_type: ml.c5.large, initial_instance_count: 2}}
    scaling: {{cpu: {{min: 2, max: 2}}}}
"""


class Promoting(Cdk):
    """The CDK CLI, told to deploy one Stage of an assembly."""

    def deploy_stage(self, assembly: Path, stage: str) -> Ended:
        return self._run(
            "deploy",
            f"--app={assembly}",
            "--require-approval=never",
            "--concurrency=2",
            f"{stage}/*",
        )


@pytest.fixture(scope="module")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both environments, synthesized once; what they were made of is gone."""
    made = tmp_path_factory.mktemp("made")
    shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", made / "model")
    app = cdk.App(outdir=str(made / "cdk.out"))
    for name, production in (("staging", "false"), ("prod", "true")):
        path = made / f"{name}.yaml"
        path.write_text(ENVIRONMENT.replace("NAME", name).replace("PRODUCTION", production))
        file = read_environment(path)
        assert file.environment is not None
        assert [str(problem) for problem in check_environment(file, today=TODAY)] == []
        EnvironmentStage(app, file.environment, folder=made, account=ACCOUNT)
    app.synth()
    carried = tmp_path_factory.mktemp("carried") / "cdk.out"
    shutil.copytree(made / "cdk.out", carried)
    shutil.rmtree(made)
    return carried


def test_what_was_tested_is_what_is_deployed(
    aws: Aws, assembly: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert len(list(assembly.rglob("asset.*.tar.gz"))) == 1, "each content once, for all"
    cli = Promoting(aws.gateway, tmp_path_factory.mktemp("cdk"))
    bootstrapped = cli.bootstrap()
    assert bootstrapped.status == 0, bootstrapped.printed
    client = client_of(aws.gateway)
    served: dict[str, Served] = {}
    for stage in ("staging", "prod"):
        ended = cli.deploy_stage(assembly, stage)
        assert ended.status == 0, ended.printed
        endpoints = aws.sagemaker.list_endpoints()["Endpoints"]
        assert {found["EndpointName"] for found in endpoints} == {
            *(f"{deployed}-half" for deployed in served),
            f"{stage}-half",
        }, "the other environment is left alone"
        (served[stage],) = explain(f"{stage}-half", client).served
    assert served["staging"].archive_sha256 is not None
    assert served["staging"].archive_sha256 == served["prod"].archive_sha256
    assert {one.image for one in served.values()} == {IMAGE}, "as pinned, by its digest"


def test_a_role_may_pull_the_repository_of_a_pinned_image_and_no_other(assembly: Path) -> None:
    (template,) = assembly.glob("assembly-staging/staginghalf*.template.json")
    text = template.read_text()
    assert ":repository/tensorflow-inference" in text
    assert DIGEST not in text[text.index("ecr:BatchGetImage") :].partition("]")[0]
