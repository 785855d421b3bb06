"""Every app of docs/constructs.md is deployed as it stands there, and does what it is for."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from local_aws.testing import DeployApp, DeployedApp, LocalAws
from tests.local_aws.aws import eventually
from tools.transcripts.blocks import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

PAGE = (ROOT / "docs" / "constructs.md").read_text(encoding="utf-8")
HALF = ROOT / "model_assets" / "half_plus_three" / "model"
REQUEST = b'{"instances": [1.0, 5.0]}'
ANSWER = {"predictions": [3.5, 5.5]}


def apps() -> dict[str, str]:
    """The page's whole apps by their headings."""
    sections = re.split(r"^## ", PAGE, flags=re.M)[1:]
    blocks = {
        section.partition("\n")[0]: re.findall(r"```python\n(.*?)```", section, re.S)
        for section in sections
    }
    return {
        heading: block
        for heading, found in blocks.items()
        for block in found
        if "cdk.App()" in block
    }


@dataclass(frozen=True)
class Deployed:
    """An app that runs, in which region, and how it is called."""

    aws: LocalAws
    app: DeployedApp
    region: str

    def client(self, service: str) -> Any:
        return self.aws.client(service, self.region)

    def predict(self, endpoint: str, **more: str) -> Any:
        answer = self.client("sagemaker-runtime").invoke_endpoint(
            EndpointName=endpoint, Body=REQUEST, ContentType="application/json", **more
        )
        return json.load(answer["Body"])

    def put(self) -> str:
        """An object below the app's inputs; where that is."""
        place: str = self.app.outputs["Inputs"]
        bucket, _, prefix = place.removeprefix("s3://").partition("/")
        self.client("s3").put_object(Bucket=bucket, Key=f"{prefix}/one.json", Body=REQUEST)
        return f"{place}/"

    def run(self, machine: str, given: Any) -> str:
        """Starts an execution; how it ended."""
        states = self.client("stepfunctions")
        started = states.start_execution(stateMachineArn=machine, input=json.dumps(given))

        def ended() -> str | None:
            found = states.describe_execution(executionArn=started["executionArn"])
            return None if found["status"] == "RUNNING" else str(found["status"])

        status: str = eventually(ended, 240)
        return status

    def answer(self, place: str) -> Any:
        bucket, _, prefix = place.removeprefix("s3://").rstrip("/").partition("/")
        found = self.client("s3").get_object(Bucket=bucket, Key=f"{prefix}/one.json.out")
        return json.load(found["Body"])


def check_endpoint(deployed: Deployed) -> None:
    for variant in ("cpu", "gpu"):
        assert deployed.predict("digits", TargetVariant=variant) == ANSWER


def check_private(deployed: Deployed) -> None:
    assert deployed.predict("private") == ANSWER
    sagemaker = deployed.client("sagemaker")
    endpoint = sagemaker.describe_endpoint(EndpointName="private")
    config = sagemaker.describe_endpoint_config(EndpointConfigName=endpoint["EndpointConfigName"])
    (variant,) = config["ProductionVariants"]
    described = sagemaker.describe_model(ModelName=variant["ModelName"])
    assert len(described["VpcConfig"]["Subnets"]) == 2
    alarms = deployed.client("cloudwatch").describe_alarms(AlarmNamePrefix="private-cpu-")
    assert alarms["MetricAlarms"]


def check_compiled(deployed: Deployed) -> None:
    assert deployed.predict("compiled")["predictions"][0] == pytest.approx(3.5)


def check_many(deployed: Deployed) -> None:
    assert deployed.predict("many", TargetModel="half.tar.gz") == ANSWER


def check_routed(deployed: Deployed) -> None:
    """Neither of its endpoints is here; that a router reaches some is tested elsewhere."""
    found = deployed.client("sagemaker").describe_inference_router(InferenceRouterName="digits")
    (target,) = found["RoutingTargets"]
    assert (found["Status"], len(target["Destinations"])) == ("InService", 2)


def check_batch(deployed: Deployed) -> None:
    outputs = deployed.app.outputs
    given = {"input": deployed.put(), "output": f"{outputs['Outputs']}/june/"}
    assert deployed.run(outputs["Machine"], given) == "SUCCEEDED"
    assert deployed.answer(given["output"]) == ANSWER


def check_nightly(deployed: Deployed) -> None:
    """The rule never fires here; what it would start, with what, is started."""
    deployed.put()
    client = deployed.client("events")
    name = deployed.app.outputs["Rule"]
    assert client.describe_rule(Name=name)["ScheduleExpression"] == "cron(0 3 * * ? *)"
    (target,) = client.list_targets_by_rule(Rule=name)["Targets"]
    given = json.loads(target["Input"])
    assert deployed.run(target["Arn"], given) == "SUCCEEDED"
    assert deployed.answer(given["output"]) == ANSWER


def check_flow(deployed: Deployed) -> None:
    outputs = deployed.app.outputs
    assert deployed.run(outputs["Machine"], {"input": deployed.put()}) == "SUCCEEDED"
    assert deployed.answer(outputs["Outputs"]) == ANSWER


CHECKS: dict[str, Callable[[Deployed], None]] = {
    "An endpoint": check_endpoint,
    "An endpoint in your VPC": check_private,
    "A model that SageMaker Neo compiles": check_compiled,
    "Many models behind one endpoint": check_many,
    "Several endpoints behind one name": check_routed,
    "A batch": check_batch,
    "A batch on a schedule": check_nightly,
    "A batch in a state machine of yours": check_flow,
}


def test_each_app_of_the_page_is_deployed_here() -> None:
    assert list(apps()) == list(CHECKS)
    assert len(re.findall(r"cdk\.App\(\)", PAGE)) == len(CHECKS)


@pytest.mark.parametrize(
    ("heading", "region"), list(zip(CHECKS, cycle(("eu-west-1", "eu-central-1")), strict=False))
)
def test_it_deploys_as_it_stands_and_answers(
    heading: str, region: str, local_aws: LocalAws, deploy_app: DeployApp, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(apps()[heading].replace("eu-west-1", region))
    (tmp_path / "cdk.json").write_text('{"app": "python app.py"}')
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    folder = HALF / "half_plus_three" if "Many" in heading else HALF
    shutil.copytree(folder, tmp_path / "model")
    before = local_aws.report.mark()

    app = deploy_app(tmp_path)

    CHECKS[heading](Deployed(local_aws, app, region))
    assert local_aws.report.sections(before) == [], "nothing failed, and nothing was denied"
