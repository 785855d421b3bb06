"""An endpoint that boto3 made is adopted, moved under load, taken back, and left to serve.

`adopt` writes the file, the real CDK CLI deploys it to a local AWS; model servers are stand-ins.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from sagemaker_serving.errors import Severity
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.operations import find_rollback
from sagemaker_serving.operations.adoption import adopt, live_endpoint
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, Cdk, Ended
from tests.local_aws.aws import REGION, Aws, client_of, eventually, running, variant
from tests.local_aws.load import Load
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

PER_SECOND = 50
CANARY = "{canary_percent: 50, wait_seconds: 60, termination_wait_seconds: 0}"


class Adopted:
    """Endpoints of boto3's, each in an environment file of its own, and its deploys."""

    def __init__(self, aws: Aws, cli: Cdk, folder: Path) -> None:
        self.aws = aws
        self._cli = cli
        self._folder = folder
        self._assemblies = 0

    def made(self, name: str) -> None:
        """Somebody makes an endpoint, without CloudFormation, and two instances of it."""
        self.aws.model(f"{name}-model", {"VERSION": "theirs"})
        self.aws.sagemaker.create_endpoint_config(
            EndpointConfigName=f"{name}-config",
            ProductionVariants=[variant("all", f"{name}-model", InitialInstanceCount=2)],
        )
        self.aws.endpoint(name, f"{name}-config")
        read = adopt(
            live_endpoint(name, client_of(self.aws.gateway)),
            name="mine",
            region=REGION,
            existing=True,
        )
        self._text = read.text.replace(
            "    variants:\n",
            f"    update: {CANARY}\n    scaling: {{all: {{min: 2, max: 4}}}}\n"
            "    monitoring: {alarms: true}\n    variants:\n",
        )
        assert "    endpoint:\n      existing: " in self._text
        assert "storage:" not in self._text
        # Its volumes are under a key: who updates it has to be let make grants.
        self._text = self._text.replace("\nmodels:\n", "\nstorage: {kms: true}\nmodels:\n")

    def deploy(
        self, *, of: str = "theirs", then_fails: str | None = None, **variables: str
    ) -> Ended:
        """Deploys the file with another version of the model; the stack of the model ``then_fails``
        has a resource that is never made, after the endpoint has moved."""
        changes = {"VERSION": of, **variables}
        lines = "\n".join(f"      {name}: '{value}'" for name, value in changes.items())
        path = self._folder / "mine.yaml"
        path.write_text(self._text.replace("      VERSION: theirs", lines))
        file = read_environment(path)
        found = check_environment(file)
        assert [str(each) for each in found if each.severity is Severity.ERROR] == []
        assembly = self._synthesized(file, then_fails)
        return self._cli.of_app("deploy", assembly, "--require-approval=never")

    def destroy(self) -> Ended:
        file = read_environment(self._folder / "mine.yaml")
        return self._cli.of_app("destroy", self._synthesized(file), "--force")

    def _synthesized(self, file: Any, then_fails: str | None = None) -> Path:
        self._assemblies += 1
        app = cdk.App(outdir=str(self._folder / f"cdk.out-{self._assemblies}"))
        add_environment(app, file.sound, folder=self._folder, account=ACCOUNT)
        if then_fails is not None:
            stack: Any = app.node.find_child(then_fails)
            wrong = {"QueueName": "no name of a queue"}
            last = cdk.CfnResource(stack, "Last", type="AWS::SQS::Queue", properties=wrong)
            last.add_dependency(stack.node.find_child("Endpoint").node.find_child("Resource"))
        return Path(app.synth().directory)

    def config(self, endpoint: str) -> str:
        return str(self.aws.settled(endpoint)["EndpointConfigName"])

    def version(self, endpoint: str) -> str:
        return self.aws.ask(endpoint, b"which").decode()

    def stacks(self) -> dict[str, str]:
        found = self.aws.client("cloudformation").describe_stacks()["Stacks"]
        return {one["StackName"]: one["StackStatus"] for one in found}


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adopted]:
    with running(
        tmp_path_factory.mktemp("aws"), launch=StandIn.start, settings=Settings(time_scale=60)
    ) as gateway:
        cli = Cdk(gateway, tmp_path_factory.mktemp("cdk"))
        bootstrapped = cli.bootstrap()
        assert bootstrapped.status == 0, bootstrapped.printed
        yield Adopted(Aws(gateway), cli, tmp_path_factory.mktemp("mine"))


def test_it_moves_under_load_comes_back_from_a_bad_version_and_outlives_the_stack(
    adopted: Adopted,
) -> None:
    adopted.made("digits")
    with Load(adopted.aws, "digits", per_second=PER_SECOND) as load:
        first = adopted.deploy()
        assert first.status == 0, first.printed
        taken = adopted.config("digits")
        assert taken != "digits-config"
        assert adopted.aws.settled("digits")["LastDeploymentConfig"]["BlueGreenUpdatePolicy"][
            "TrafficRoutingConfiguration"
        ]["CanarySize"] == {"Type": "CAPACITY_PERCENT", "Value": 50}

        second = adopted.deploy(of="second")
        assert second.status == 0, second.printed
        moved = adopted.config("digits")
        assert (moved != taken, adopted.version("digits")) == (True, "second")

        bad = adopted.deploy(of="third", EXIT_AT_START="1")
        assert bad.status != 0
        assert f"digits serves {moved} after the update to " in bad.printed
        assert adopted.stacks()["mine-digits"] == "UPDATE_ROLLBACK_COMPLETE"
        assert (adopted.config("digits"), adopted.version("digits")) == (moved, "second")

        find_rollback("digits", client_of(adopted.aws.gateway), to=taken).begin()
        refused = adopted.deploy(of="fourth")
        assert f"digits serves {taken}, and its stack says {moved}: " in refused.printed
        assert adopted.stacks()["mine-digits"] == "UPDATE_ROLLBACK_COMPLETE"
        assert (adopted.config("digits"), adopted.version("digits")) == (taken, "theirs")

        # The reverted commit is let through; if it fails, what its stack says stays left.
        let_through = adopted.deploy(then_fails="digits")
        assert (let_through.status != 0, "Last" in let_through.printed) == (True, True)
        assert adopted.stacks()["mine-digits"] == "UPDATE_ROLLBACK_COMPLETE"
        assert (adopted.config("digits"), adopted.version("digits")) == (taken, "theirs")
        find_rollback("digits", client_of(adopted.aws.gateway), to=moved).begin()
        assert (adopted.config("digits"), adopted.version("digits")) == (moved, "second")

        destroyed = adopted.destroy()
        assert destroyed.status == 0, destroyed.printed
        assert "mine-digits" not in adopted.stacks()
        served = len(load.answers)
        eventually(lambda: len(load.answers) > served + PER_SECOND)
    assert load.failures == []
    assert adopted.config("digits") == moved
    # What a new instance needs is there, too: the model, its role and what that may do.
    adopted.aws.sagemaker.update_endpoint(EndpointName="digits", EndpointConfigName=moved)
    assert "FailureReason" not in adopted.aws.settled("digits")
    assert adopted.version("digits") == "second"
