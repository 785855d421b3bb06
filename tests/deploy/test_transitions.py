"""Production changes its variants, step by step, under load: no request fails.

By the real CDK CLI to a local AWS, each step as `sagemaker-serving diff --write` writes it; the
model servers are stand-ins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest

from sagemaker_serving.errors import Severity
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.operations.transition import next_steps
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import Transition, read_environment
from sagemaker_serving.spec.edited import write_transition
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, Cdk, Ended
from tests.local_aws.aws import REGION, Aws, client_of, running
from tests.local_aws.load import Load
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
PER_SECOND = 50
CHANGE = Transition(step="change_variants")
SMALL, LARGE = "ml.c5.large", "ml.m5.xlarge"


class Production:
    """An environment of one model, each of whose variants is scaled, and its deploys."""

    def __init__(self, aws: Aws, cli: Cdk, folder: Path) -> None:
        self.aws = aws
        self._cli = cli
        self._folder = folder
        self._file = folder / "live.yaml"
        self._assemblies = 0
        (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")

    def write(
        self, model: str, types: Mapping[str, str], transition: Transition | None = None
    ) -> None:
        """The file, with variants on these instance types."""
        self.model = model
        variants = "".join(
            f"      - {{name: {name}, instance_type: {kind}, initial_instance_count: 2}}\n"
            for name, kind in types.items()
        )
        scaling = "".join(
            f"      {name}: {{min: 2, max: 4}}\n"
            for name in types  # nothing moves it
        )
        self._file.write_text(
            f"name: live\nregion: {REGION}\nproduction: true\nmodels:\n  {model}:\n"
            '    artifact: model\n    framework: tensorflow\n    framework_version: "2.20"\n'
            "    update: {canary_percent: 50, wait_seconds: 60, termination_wait_seconds: 0}\n"
            f"    variants:\n{variants}    scaling:\n{scaling}"
        )
        if transition is not None:
            write_transition(self._file, model, transition)

    def next(self) -> Transition | None:
        """What has to be deployed next, written into the file."""
        environment = read_environment(self._file).sound
        for step in next_steps(environment, client_of(self.aws.gateway)):
            write_transition(self._file, step.model, step.transition)
            return step.transition
        return None

    def deploy(self) -> Ended:
        file = read_environment(self._file)
        found = check_environment(file)
        assert [str(each) for each in found if each.severity is Severity.ERROR] == []
        self._assemblies += 1
        app = cdk.App(outdir=str(self._folder / f"cdk.out-{self._assemblies}"))
        add_environment(app, file.sound, folder=self._folder, account=ACCOUNT)
        assembly = Path(app.synth().directory)
        return self._cli.of_app("deploy", assembly, "--require-approval=never")

    def deployed(self) -> None:
        ended = self.deploy()
        assert ended.status == 0, ended.printed

    @property
    def served(self) -> Mapping[str, Any]:
        """What serves: variants' instance types, which are scaled, and whether it was guarded."""
        name = f"live-{self.model}"
        endpoint = self.aws.sagemaker.describe_endpoint(EndpointName=name)
        config = self.aws.sagemaker.describe_endpoint_config(
            EndpointConfigName=endpoint["EndpointConfigName"]
        )
        targets = self.aws.client("application-autoscaling").describe_scalable_targets(
            ServiceNamespace="sagemaker"
        )["ScalableTargets"]
        prefix = f"endpoint/{name}/variant/"
        return {
            "types": {
                each["VariantName"]: each["InstanceType"] for each in config["ProductionVariants"]
            },
            "scaled": {
                each["ResourceId"].removeprefix(prefix)
                for each in targets
                if each["ResourceId"].startswith(prefix)
            },
            "guarded": "LastDeploymentConfig" in endpoint,
        }


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    with running(
        tmp_path_factory.mktemp("aws"), launch=StandIn.start, settings=Settings(time_scale=60)
    ) as gateway:
        cli = Cdk(gateway, tmp_path_factory.mktemp("cdk"))
        bootstrapped = cli.bootstrap()
        assert bootstrapped.status == 0, bootstrapped.printed
        yield Production(Aws(gateway), cli, tmp_path_factory.mktemp("live"))


def release(**keep: str) -> Transition:
    return Transition(step="release_scaling", keep=keep)


def scaled_out(production: Production, variant: str, count: int) -> None:
    """Scaling has left the variant with so many instances."""
    production.aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName=f"live-{production.model}",
        DesiredWeightsAndCapacities=[{"VariantName": variant, "DesiredInstanceCount": count}],
    )


def counts(production: Production) -> dict[str, int]:
    found = production.aws.sagemaker.describe_endpoint(EndpointName=f"live-{production.model}")
    return {
        each["VariantName"]: each["CurrentInstanceCount"] for each in found["ProductionVariants"]
    }


def test_a_scaled_variant_gets_another_instance_type_in_two_deploys(
    production: Production,
) -> None:
    production.write("typed", {"blue": SMALL, "green": SMALL})
    production.deployed()
    scaled_out(production, "blue", 3)
    with Load(production.aws, "live-typed", per_second=PER_SECOND) as load:
        production.write("typed", {"blue": LARGE, "green": SMALL})
        refused = production.deploy()
        assert refused.status != 0
        assert '"[blue]" must be deregistered as scalable target' in refused.printed
        assert production.served["types"] == {"blue": SMALL, "green": SMALL}

        assert production.next() == release(blue=SMALL)
        production.deployed()
        assert production.served["types"] == {"blue": SMALL, "green": SMALL}
        assert production.served["scaled"] == {"green"}
        assert counts(production) == {"blue": 3, "green": 2}

        assert production.next() is None
        production.deployed()
    assert load.failures == []
    assert production.served == {
        "types": {"blue": LARGE, "green": SMALL},
        "scaled": {"blue", "green"},
        "guarded": True,
    }
    assert counts(production) == {"blue": 3, "green": 2}


def test_a_variant_is_added_without_guardrails_and_has_them_again_after(
    production: Production,
) -> None:
    production.write("added", {"blue": SMALL})
    production.deployed()
    with Load(production.aws, "live-added", per_second=PER_SECOND) as load:
        production.write("added", {"blue": SMALL, "green": SMALL})
        refused = production.deploy()
        assert refused.status != 0
        assert "A DeploymentConfig needs the same variants" in refused.printed
        assert production.served["types"] == {"blue": SMALL}

        assert production.next() == CHANGE
        production.deployed()
        both = {"types": {"blue": SMALL, "green": SMALL}, "scaled": {"blue", "green"}}
        assert production.served == {**both, "guarded": False}

        assert production.next() is None
        production.deployed()
    assert load.failures == []
    assert production.served["types"] == both["types"]
    assert production.next() is None
