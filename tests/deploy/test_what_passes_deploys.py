"""Whatever passes `check` deploys: files drawn from the schema, on a local AWS without engines.

What a file names outside is there, so that nothing is left for a deploy to refuse. A few here;
``make fuzz`` sets DEPLOY_CASES to 60.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
import yaml

from sagemaker_serving.errors import Severity
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import EnvironmentFile, read_environment
from stacks import EnvironmentStage
from tests.deploy.assemblies import ACCOUNT
from tests.deploy.direct import DirectDeploy
from tests.local_aws.aws import IMAGE, REGION, Aws, archive, running
from tests.stacks.drawn_environments import drawn_environment
from tests.stacks.kinds import ROOT
from tests.today import TODAY

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(3600)]

CASES = int(os.environ.get("DEPLOY_CASES", "2"))
FIRST = int(os.environ.get("DEPLOY_FIRST", "1000"))
"""The number of the first file that is drawn, see `drawn_environment`."""

PACKAGED = "s3://models/model.tar.gz"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """With all that drawn files name and do not make."""
    settings = Settings(time_scale=600, without_engines=True)
    with running(tmp_path_factory.mktemp("aws"), settings=settings) as gateway:
        aws = Aws(gateway)
        for key in ("k.tar.gz", "other.tar.gz", "many/k.tar.gz", "prefix/file"):
            aws.s3.put_object(Bucket="models", Key=key, Body=archive({"file": b"x"}))
        aws.client("sns").create_topic(Name="mine")
        aws.sagemaker.create_model_package_group(ModelPackageGroupName="digits")
        for _ in range(3):
            aws.sagemaker.create_model_package(
                ModelPackageGroupName="digits",
                InferenceSpecification={"Containers": [{"Image": IMAGE, "ModelDataUrl": PACKAGED}]},
            )
        yield aws


# An endpoint that is deleted at once writes the end of its log when its role's policy is gone.
@pytest.mark.denied("logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents")
def test_what_passes_deploys(aws: Aws, tmp_path: Path) -> None:
    (tmp_path / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    for number, file in islice(_passing(tmp_path), CASES):
        assert file.environment is not None
        app = cdk.App(outdir=str(tmp_path / f"{number}"), context=context)
        EnvironmentStage(app, file.environment, folder=tmp_path)
        assembly = Path(app.synth().directory)
        reasons = DirectDeploy(aws, assembly, ACCOUNT, REGION).run()
        assert reasons == [], f"of drawn_environment({number})"


def _passing(folder: Path) -> Iterator[tuple[int, EnvironmentFile]]:
    """Drawn files of this account and region without an error, each with its number."""
    for number in count(FIRST):
        path = folder / f"{number}.yaml"
        drawn = yaml.safe_dump(_at_home(drawn_environment(number)))
        path.write_text(drawn.replace("111122223333", ACCOUNT))
        file = read_environment(path)
        found = check_environment(file, today=TODAY)
        if not any(problem.severity is Severity.ERROR for problem in found):
            yield number, file


def _at_home(drawn: dict[str, Any]) -> dict[str, Any]:
    """The same in the account and region of the test, with what the test has put there."""
    drawn.pop("account", None)
    for model in drawn["models"].values():
        if isinstance(model.get("model_package"), dict):
            model["model_package"]["model_data"] = PACKAGED
        many = model.get("multi_model")
        for each in (many or {}).get("archives", {}).values():
            if isinstance(each, dict):
                each.pop("version_id", None)
    return {**drawn, "region": REGION}
