"""One environment with every kind of endpoint, by the real CDK CLI.

Deployed, called, updated, destroyed. The model servers are stand-ins; the
stacks, the CLI and everything between are not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aws_cdk as cdk
import pytest
from constructs import Construct

from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, Cdk
from tests.local_aws.aws import REGION, Aws, archive, eventually, running, service_in
from tests.local_aws.load import Load
from tests.local_aws.stand_in import StandIn
from tests.local_sagemaker.numbers import figures

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
]

IMAGE = f"763104351884.dkr.ecr.{REGION}.amazonaws.com/tensorflow-inference:2.20-cpu-py312"
PACKAGED = "s3://registered-models/half/1/model.tar.gz"
UNPACKED = "s3://registered-models/half/2/"
PACKAGE = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:model-package/half/1"
MODEL = """\
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    environment: {VERSION: "first"}
"""
ON_CPU = """\
    variants:
      - {name: cpu, instance_type: ml.c5.large}
"""
ENVIRONMENT = f"""\
name: kinds
region: {REGION}
models:
  plain:
{MODEL}    variants:
      - {{name: cpu, instance_type: ml.c5.large, initial_instance_count: 2}}
      - {{name: spare, instance_type: ml.c5.large, weight: 0, environment: {{VERSION: "spare"}}}}
    scaling: {{cpu: {{min: 2, max: 4, invocations_per_instance: 300}}}}
    update: {{canary_percent: 50, wait_seconds: 60, termination_wait_seconds: 60}}
    data_capture: {{sampling_percent: 100}}
    monitoring: {{}}
  cold:
{MODEL}    variants:
      - {{name: all, memory_size_in_mb: 1024, max_concurrency: 5}}
  queue:
{MODEL}{ON_CPU}    asynchronous: {{success_topic: new, error_topic: new}}
    scaling: {{cpu: {{min: 0, max: 2, backlog_per_instance: 5}}}}
  copied:
{MODEL}{ON_CPU}    shadow_variants:
      - {{name: next, instance_type: ml.c5.large}}
  many:
    framework: tensorflow
    framework_version: "2.20"
    multi_model: {{archives: {{red: red}}}}
    environment: {{VERSION: "first"}}
{ON_CPU}  line:
    framework: tensorflow
    framework_version: "2.20"
    containers:
      - {{artifact: model, container_hostname: one, environment: {{APPEND: "-one"}}}}
      - {{artifact: model, container_hostname: two, environment: {{APPEND: "-two"}}}}
{ON_CPU}  bought:
    model_package:
      name: {PACKAGE}
      model_data: {PACKAGED}
      image_uri: {IMAGE}
    environment: {{VERSION: "first"}}
{ON_CPU}  fetched:
    image_uri: 763104351884.dkr.ecr.{REGION}.amazonaws.com/vllm:0.27.1-gpu-py312
    environment: {{HF_MODEL_ID: team/words, VERSION: "fetched"}}
{ON_CPU}  unpacked:
    artifact: {{s3: {UNPACKED}, sha256: "1"}}
    framework: tensorflow
    framework_version: "2.19"
{ON_CPU}  parts:
{MODEL}    variants:
      - name: shared
        instance_type: ml.c5.xlarge
        managed_instance_scaling: {{min_instance_count: 0, max_instance_count: 2}}
    inference_components:
      small: {{min_memory_required_in_mb: 512}}
      large: {{min_memory_required_in_mb: 2048, framework_version: "2.18"}}
      tuned: {{base_inference_component_name: small, artifact: red}}
    scaling: {{small: {{min: 0, max: 4, invocations_per_instance: 60}}}}
"""
UPDATED = ENVIRONMENT.replace('"first"', '"second"').replace('"-two"', '"-three"')


class Deployed:
    """The environment on a local AWS whose waits pass sixty times as fast."""

    def __init__(self, aws: Aws, cli: Cdk, folder: Path) -> None:
        self.aws = aws
        self._cli = cli
        self._folder = folder
        self._versions = 0
        graph = folder / "model" / "half" / "1" / "saved_model.pb"
        graph.parent.mkdir(parents=True)
        graph.write_text("graph")
        (folder / "red").mkdir()
        (folder / "red" / "file").write_text("red")
        self._register()

    def _register(self) -> None:
        """What somebody else has put into the model registry."""
        bucket, _, key = PACKAGED.removeprefix("s3://").partition("/")
        self.aws.s3.create_bucket(
            Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        self.aws.s3.put_object(Bucket=bucket, Key=key, Body=archive({"file": b"packaged"}))
        self.aws.s3.put_object(Bucket=bucket, Key="half/2/file", Body=b"unpacked")
        self.aws.sagemaker.create_model_package_group(ModelPackageGroupName="half")
        registered = self.aws.sagemaker.create_model_package(
            ModelPackageGroupName="half",
            InferenceSpecification={"Containers": [{"Image": IMAGE, "ModelDataUrl": PACKAGED}]},
        )
        assert registered["ModelPackageArn"] == PACKAGE

    def deploy(self, text: str) -> None:
        """Synthesizes the file with the project's own stacks, and lets the CLI deploy it."""
        self._versions += 1
        path = self._folder / "kinds.yaml"
        path.write_text(text)
        environment = read_environment(path).environment
        assert environment is not None
        self.assembly = self._folder / f"assembly-{self._versions}"
        app = cdk.App(outdir=str(self.assembly))
        add_environment(Construct(app, "kinds"), environment, folder=self._folder, account=ACCOUNT)
        app.synth()
        ended = self._cli.of_app(
            "deploy", self.assembly, "--require-approval=never", "--concurrency=6"
        )
        assert ended.status == 0, ended.printed

    def destroy(self) -> None:
        service_in(self.aws.gateway, SageMaker).flush(
            instances=False
        )  # what is captured is in the bucket now
        self._empty_bucket()
        ended = self._cli.of_app("destroy", self.assembly, "--force", "--concurrency=6")
        assert ended.status == 0, ended.printed

    def parameter(self, name: str) -> str:
        found = self.aws.client("ssm").get_parameter(Name=f"/sagemaker-serving/kinds/{name}")
        value: str = found["Parameter"]["Value"]
        return value

    def place(self, name: str) -> tuple[str, str]:
        """The bucket and prefix that a parameter tells."""
        bucket, _, prefix = self.parameter(name).removeprefix("s3://").partition("/")
        return bucket, prefix

    def _empty_bucket(self) -> None:
        bucket = self.parameter("storage/bucket-name")
        for page in self.aws.s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
            for entry in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                self.aws.s3.delete_object(
                    Bucket=bucket, Key=entry["Key"], VersionId=entry["VersionId"]
                )


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with running(
        tmp_path_factory.mktemp("aws"),
        region=REGION,
        launch=StandIn.start,
        settings=Settings(time_scale=60, engines={"vllm": "stub"}),
    ) as gateway:
        aws = Aws(gateway)
        cli = Cdk(aws.gateway, tmp_path_factory.mktemp("cdk"))
        assert cli.bootstrap().status == 0
        deployed = Deployed(aws, cli, tmp_path_factory.mktemp("kinds"))
        deployed.deploy(ENVIRONMENT)
        yield deployed


def test_real_time_answers_by_weight_or_by_name(deployed: Deployed) -> None:
    answers = {deployed.aws.ask("kinds-plain", b"which") for _ in range(10)}
    assert answers == {b"first"}, "a weight of 0 gets none"
    assert deployed.aws.ask("kinds-plain", b"which", TargetVariant="spare") == b"spare"


def test_requests_and_answers_are_captured_where_the_stack_says(deployed: Deployed) -> None:
    deployed.aws.ask("kinds-plain", b'{"x": 1}', ContentType="application/json")
    service_in(deployed.aws.gateway, SageMaker).flush(instances=False)
    bucket, prefix = deployed.place("plain/captured")
    assert prefix == "plain/captured/"
    listed = deployed.aws.s3.list_objects_v2(Bucket=bucket, Prefix=f"{prefix}kinds-plain/cpu/")
    lines = [
        json.loads(line)
        for entry in listed["Contents"]
        for line in deployed.aws.s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"]
        .read()
        .splitlines()
    ]
    assert '{"x": 1}' in [line["captureData"]["endpointInput"]["data"] for line in lines]


def test_serverless_starts_with_its_first_request(deployed: Deployed) -> None:
    assert deployed.aws.ask("kinds-cold", b"which") == b"first"


def test_asynchronous_answers_into_s3_and_is_scaled_from_zero(deployed: Deployed) -> None:
    assert asked_later(deployed, b"which") == b"first"
    targets = deployed.aws.client("application-autoscaling").describe_scalable_targets(
        ServiceNamespace="sagemaker"
    )["ScalableTargets"]
    assert ("endpoint/kinds-queue/variant/cpu", 0, 2) in [
        (target["ResourceId"], target["MinCapacity"], target["MaxCapacity"]) for target in targets
    ]


def test_a_shadow_is_asked_what_production_is_asked(deployed: Deployed) -> None:
    assert deployed.aws.ask("kinds-copied", b"which") == b"first"
    eventually(lambda: figures(deployed.aws, "Invocations", "kinds-copied", "next"))


def test_an_archive_below_the_prefix_is_loaded_when_it_is_named(deployed: Deployed) -> None:
    assert deployed.aws.ask("kinds-many", b"which", TargetModel="red.tar.gz") == b"red"
    bucket, prefix = deployed.place("many/archives")
    deployed.aws.s3.put_object(
        Bucket=bucket, Key=f"{prefix}blue.tar.gz", Body=archive({"file": b"blue"})
    )
    assert deployed.aws.ask("kinds-many", b"which", TargetModel="blue.tar.gz") == b"blue"


def test_a_pipelines_containers_answer_one_another(deployed: Deployed) -> None:
    assert deployed.aws.ask("kinds-line", b"in") == b"in-one-two"


def test_a_model_that_its_image_fetches_answers(deployed: Deployed) -> None:
    assert deployed.aws.ask("kinds-fetched", b"which") == b"fetched"
    assert environment_of(deployed.aws, "kinds-fetched")["HF_MODEL_ID"] == "team/words"


def test_files_that_are_not_packed_come_by_the_role_that_the_deploy_made(
    deployed: Deployed,
) -> None:
    assert deployed.aws.ask("kinds-unpacked", b"which") == b"hcihw", "the stand-in turns it round"


def test_a_package_of_the_registry_answers(deployed: Deployed) -> None:
    assert deployed.aws.ask("kinds-bought", b"which") == b"first"
    described = deployed.aws.sagemaker.describe_endpoint(EndpointName="kinds-bought")
    (variant,) = described["ProductionVariants"]
    assert variant["DeployedImages"][0]["SpecifiedImage"] == IMAGE


@pytest.mark.parametrize("component", ["small", "large"])
def test_a_component_is_asked_by_its_name(deployed: Deployed, component: str) -> None:
    name = f"kinds-parts-{component}"
    assert deployed.aws.ask("kinds-parts", b"which", InferenceComponentName=name) == b"first"


def test_an_adapter_answers_in_the_container_of_its_base(deployed: Deployed) -> None:
    answer = deployed.aws.ask("kinds-parts", b"which", InferenceComponentName="kinds-parts-tuned")
    assert answer == b"firstred"


@contextmanager
def scaling_suspended(aws: Aws) -> Iterator[None]:
    """No policy changes an endpoint meanwhile: as on AWS, a deploy that meets one fails."""
    scaling = aws.client("application-autoscaling")
    targets = scaling.describe_scalable_targets(ServiceNamespace="sagemaker")["ScalableTargets"]

    def suspend(suspended: bool) -> None:
        ways = ("DynamicScalingInSuspended", "DynamicScalingOutSuspended")
        for target in targets:
            scaling.register_scalable_target(
                **{key: target[key] for key in _TARGET},
                SuspendedState=dict.fromkeys(ways, suspended),
            )

    def is_still() -> bool:
        components = aws.sagemaker.list_inference_components(StatusEquals="Updating")
        endpoints = aws.sagemaker.list_endpoints(StatusEquals="Updating")
        return not components["InferenceComponents"] and not endpoints["Endpoints"]

    suspend(True)
    eventually(is_still, seconds=120)
    yield
    suspend(False)


_TARGET = ("ServiceNamespace", "ResourceId", "ScalableDimension")


@pytest.mark.long
def test_an_update_moves_by_its_canary_and_fails_no_request(deployed: Deployed) -> None:
    with scaling_suspended(deployed.aws), Load(deployed.aws, "kinds-plain", per_second=4) as load:
        deployed.deploy(UPDATED)
    assert load.failures == []
    assert deployed.aws.ask("kinds-plain", b"which") == b"second"
    described = deployed.aws.sagemaker.describe_endpoint(EndpointName="kinds-plain")
    assert described["EndpointStatus"] == "InService"
    routing = described["LastDeploymentConfig"]["BlueGreenUpdatePolicy"]
    assert routing["TrafficRoutingConfiguration"]["Type"] == "CANARY"


@pytest.mark.long
def test_the_same_update_reaches_every_other_kind(deployed: Deployed) -> None:
    for endpoint, named in (
        ("kinds-cold", {}),
        ("kinds-copied", {}),
        ("kinds-bought", {}),
        ("kinds-parts", {"InferenceComponentName": "kinds-parts-small"}),
        ("kinds-parts", {"InferenceComponentName": "kinds-parts-large"}),
    ):
        assert deployed.aws.ask(endpoint, b"which", **named) == b"second", endpoint
    tuned = {"InferenceComponentName": "kinds-parts-tuned"}
    assert deployed.aws.ask("kinds-parts", b"which", **tuned) == b"secondred"
    assert asked_later(deployed, b"which") == b"second"
    assert deployed.aws.ask("kinds-line", b"in") == b"in-one-three"
    assert deployed.aws.ask("kinds-many", b"which", TargetModel="red.tar.gz") == b"red"
    assert environment_of(deployed.aws, "kinds-many")["VERSION"] == "second"


# As on AWS, a function that has answered CloudFormation writes the end of its log afterwards, when
# its role's policy may be gone.
@pytest.mark.denied("logs:PutLogEvents")
def test_destroying_leaves_nothing_that_runs(deployed: Deployed) -> None:
    deployed.destroy()
    assert deployed.aws.status()["endpoints"] == []
    eventually(lambda: not deployed.aws.status()["processes"])


def asked_later(deployed: Deployed, question: bytes) -> bytes:
    """What the asynchronous endpoint writes as the answer, or as the reason why there is none."""
    bucket, prefix = deployed.place("queue/async-input")
    deployed.aws.s3.put_object(Bucket=bucket, Key=f"{prefix}in", Body=question)
    asked = deployed.aws.runtime.invoke_endpoint_async(
        EndpointName="kinds-queue", InputLocation=f"s3://{bucket}/{prefix}in"
    )
    output = asked["OutputLocation"].removeprefix(f"s3://{bucket}/")
    assert output.startswith("queue/async/output/")
    failed = asked["FailureLocation"].removeprefix(f"s3://{bucket}/")
    answer: bytes = eventually(
        lambda: body(deployed.aws, bucket, output) or body(deployed.aws, bucket, failed)
    )
    return answer


def environment_of(aws: Aws, endpoint: str) -> dict[str, str]:
    """The variables of the model that an endpoint of one variant serves."""
    described = aws.sagemaker.describe_endpoint(EndpointName=endpoint)
    config = aws.sagemaker.describe_endpoint_config(
        EndpointConfigName=described["EndpointConfigName"]
    )
    (variant,) = config["ProductionVariants"]
    model = aws.sagemaker.describe_model(ModelName=variant["ModelName"])
    environment: dict[str, str] = model["PrimaryContainer"]["Environment"]
    return environment


def body(aws: Aws, bucket: str, key: str) -> bytes | None:
    """The object's content once it is there."""
    if not aws.s3.list_objects_v2(Bucket=bucket, Prefix=key).get("Contents"):
        return None
    content: bytes = aws.s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    return content
