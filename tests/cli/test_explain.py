"""`explain` as a shell sees it: what runs, whether a file says so, and exit statuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from local_aws.faults import Fault, Kind
from sagemaker_serving.rules.registry import OTHER_FINDINGS, RULES
from sagemaker_serving.spec.capacity import Thing
from tests.cli.conftest import Run
from tests.local_aws.aws import IMAGE, REGION, Aws, shell_of, stand_in_aws

ROOT = Path(__file__).parents[2]
FILE = f"""
name: prod
region: {REGION}
models:
  digits:
    artifact: s3://models/model.tar.gz
    image_uri: {IMAGE}
    environment: {{VERSION: "%s"}}
    variants: [{{name: blue, instance_type: ml.m5.large}}]
"""


PUBLISHED = f"763104351884.dkr.ecr.{REGION}.amazonaws.com/tensorflow-inference:2.20-gpu-py312"
FILES = {"S3Uri": "s3://models/words/1/", "S3DataType": "S3Prefix", "CompressionType": "None"}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        local.config("one", {"blue": local.model("one", {"VERSION": "1"})})
        local.endpoint("prod-digits", "one")
        local.s3.put_object(Bucket="models", Key="words/1/file", Body=b"words")
        files = {"S3DataSource": FILES}
        for name, more in (("words", {"ModelDataSource": files}), ("fetched", {})):
            local.sagemaker.create_model(
                ModelName=name,
                ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
                PrimaryContainer={"Image": IMAGE, **more},
            )
        local.sagemaker.create_model(
            ModelName="published",
            ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
            PrimaryContainer={"Image": PUBLISHED},
        )
        local.config("published", {"blue": "published"})
        local.endpoint("prod-published", "published")
        local.config("sources", {"words": "words", "fetched": "fetched"})
        local.endpoint("prod-sources", "sources")
        yield local


@pytest.fixture
def explain(run: Run, aws: Aws, tmp_path: Path) -> Run:
    """Runs ``explain`` against that AWS, beside files that ask for versions 1 and 2."""
    for version in ("1", "2"):
        (tmp_path / f"{version}.yaml").write_text(FILE % version)
    return lambda *arguments: run(
        "explain", *arguments, AWS_DEFAULT_REGION=REGION, **shell_of(aws.gateway)
    )


def test_what_runs_is_told(explain: Run) -> None:
    ended = explain("prod-digits")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0] == "endpoint     prod-digits, InService"
    assert "commit       not said" in lines
    assert f"  image        {IMAGE}" in lines
    assert "  VERSION=1" in lines


ROUTERS = """\
routers:
  all:
    routing_targets:
      digits: {destinations: [digits]}
"""


@pytest.fixture
def router(aws: Aws) -> str:
    arn = f"arn:aws:sagemaker:{REGION}:123456789012:endpoint/prod-digits"
    targets = [{"Name": "digits", "Destinations": [{"ResourceArn": arn}]}]
    call = {"InferenceRouterName": "prod-all", "RoutingTargets": targets}
    aws.sagemaker.create_inference_router(**call)
    return arn


def test_whom_a_router_asks_is_told(explain: Run, router: str, tmp_path: Path) -> None:
    (tmp_path / "1.yaml").write_text(FILE % "1" + ROUTERS)
    told = explain("prod-all", "--file", "1.yaml")
    assert told.returncode == 0, told.stderr
    assert "router       prod-all, " in told.stdout
    assert "sagemaker:InvokeInferenceRouter on arn:" in told.stdout
    assert "digits: real-time" in told.stdout
    assert f"  Routable     {router}" in told.stdout
    assert "it is what 1.yaml says" in told.stdout

    more = ROUTERS + "      others: {destinations: [digits]}\n"
    away = f"arn:aws:sagemaker:{REGION}:111122223333:endpoint/away"
    other = more.replace("{destinations: [digits]}", f"{{destinations: ['{away}']}}", 1)
    (tmp_path / "1.yaml").write_text(FILE % "1" + other)
    told = explain("prod-all", "--file", "1.yaml")
    assert told.returncode == 1
    assert f"digits\tdestinations\t{away}\t{router}" in told.stdout
    assert "others\trouting target\tis there\tis not there" in told.stdout

    (tmp_path / "1.yaml").write_text(FILE % "1")
    told = explain("prod-all", "--file", "1.yaml")
    assert (told.returncode, "has no router 'prod-all'" in told.stderr) == (2, True)


@pytest.fixture
def scaled(aws: Aws) -> Iterator[str]:
    """An endpoint that scales; it moves by a canary of 60 s, and its old fleet stays for 30 s."""
    name = "prod-scaled"
    aws.config("scaled", {"blue": "one"})
    routing = {
        "Type": "CANARY",
        "CanarySize": {"Type": "CAPACITY_PERCENT", "Value": 50},
        "WaitIntervalInSeconds": 60,
    }
    policy = {
        "TrafficRoutingConfiguration": routing,
        "TerminationWaitInSeconds": 30,
        "MaximumExecutionTimeoutInSeconds": 900,
    }
    aws.sagemaker.create_endpoint(
        EndpointName=name,
        EndpointConfigName="scaled",
        DeploymentConfig={"BlueGreenUpdatePolicy": policy},
    )
    aws.settled(name)
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": f"endpoint/{name}/variant/blue",
        "ScalableDimension": "sagemaker:variant:DesiredInstanceCount",
    }
    scaling = aws.client("application-autoscaling")
    scaling.register_scalable_target(**target, MinCapacity=1, MaxCapacity=2)
    yield name
    aws.delete(name)


def test_how_long_an_update_lets_nothing_scale_is_told(explain: Run, aws: Aws, scaled: str) -> None:
    (line,) = (each for each in explain(scaled).stdout.splitlines() if "scaling" in each)
    assert line == (
        "scaling      stands still during an update, for 90 s of waits and the start of new "
        "instances, at most 900 s in all; of blue (SageMaker developer guide, "
        '"Update endpoints that use auto scaling")'
    )
    told = json.loads(explain(scaled, "--json").stdout)["stands_still"]
    assert told == {"scaled": ["blue"], "waits_seconds": 90.0, "most_seconds": 900}
    denied = Fault(id="no", kind=Kind.ACCESS_DENIED, operation="DescribeScalableTargets")
    aws.gateway.context.faults.put(denied)
    try:
        said = explain(scaled).stdout
    finally:
        aws.gateway.context.faults.clear()
    assert "whether any variant scales, AWS does not say to you" in said
    assert "scaling  " not in explain("prod-digits").stdout


def test_what_an_image_is_made_for_stands_beside_what_its_host_has(explain: Run) -> None:
    lines = explain("prod-published").stdout.splitlines()
    assert "  made for     GPUs; ml.m5.large has no GPU" in lines


def test_where_the_files_of_a_model_lie_is_told_when_no_archive_holds_them(explain: Run) -> None:
    lines = explain("prod-sources").stdout.splitlines()
    told = [line.removeprefix("  archive").strip() for line in lines if "  archive" in line]
    assert told == ["s3://models/words/1/", "none"]


def test_a_file_that_says_so_is_confirmed(explain: Run) -> None:
    ended = explain("prod-digits", "--file=1.yaml")
    assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "it is what 1.yaml says")


def test_a_file_that_says_something_else_is_told_and_ends_with_1(explain: Run) -> None:
    ended = explain("prod-digits", "--file=2.yaml", "--json")
    assert ended.returncode == 1
    (deviation,) = json.loads(ended.stdout)["deviations"]
    assert (deviation["runs"], deviation["file"]) == ("1", "2")


def test_what_differs_stands_before_what_runs(explain: Run) -> None:
    said = explain("prod-digits", "--file=2.yaml").stdout
    assert said.index("it is not what 2.yaml says") < said.index("  image")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("gone",), "gone"),
        (("instance-retird",), "no rule is 'instance-retird'; is 'instance-retired' meant?"),
        (("did not pass the ping health check",), "search `sagemaker-serving docs troubles`"),
        (("prod-digits", "--file=gone.yaml"), "gone.yaml: there is no such file"),
    ],
)
def test_a_mistake_gets_one_clear_message(
    explain: Run, arguments: tuple[str, ...], said: str
) -> None:
    ended = explain(*arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_rule_is_explained_with_its_source(explain: Run) -> None:
    said = explain("instance-retired").stdout
    assert said.startswith("rule     instance-retired\n")
    assert "\nsource   " in said
    told = json.loads(explain("instance-retired", "--json").stdout)
    assert list(told) == ["rule", "severity", "demands", "why", "silent", "source", "example"]


def test_a_rule_is_explained_by_an_id_that_it_had_and_says_where_it_is_silent(explain: Run) -> None:
    told = json.loads(explain("neo-archive", "--json").stdout)
    assert told["rule"] == "model-data-form"
    assert "of constructs, they make a prefix" in told["silent"]


def test_what_check_finds_beside_its_rules_is_explained_without_aws(explain: Run) -> None:
    told = json.loads(explain("wrong-type", "--json", "--region", "eu-west-1").stdout)
    assert told["demands"].startswith("A value is of its field's type")


def test_every_finding_is_of_a_rule_or_explained() -> None:
    sources = (ROOT / "constructs" / "sagemaker_serving").rglob("*.py")
    named = {each for path in sources for each in re.findall(r'rule="([a-z-]+)"', path.read_text())}
    known = {*(rule.id for rule in RULES), *OTHER_FINDINGS}
    kinds = (f"quota-{thing}" for thing in get_args(Thing))
    assert {*named, *kinds, "account-s3", "account-endpoint", "account-reservation"} <= known
