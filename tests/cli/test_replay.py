"""``sagemaker-serving replay``, as a user runs it: models here, endpoints, gates."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from sagemaker_serving.cli.replay import replay as command
from sagemaker_serving.errors import Failure, Mistake, NotFound
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import REGION, Aws, service_in, shell_of, stand_in_aws, variant
from tests.operations.captures import event, exchanges, write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """Endpoint "twice", which captures: variants "right", and "wrong" that gets no traffic."""
    with stand_in_aws(tmp_path_factory.mktemp("replay")) as local:
        local.model("right")
        local.model("wrong", {"VERSION": "wrong"})
        local.sagemaker.create_endpoint_config(
            EndpointConfigName="twice",
            ProductionVariants=[
                variant(name, name, InitialVariantWeight=weight)
                for name, weight in (("right", 1.0), ("wrong", 0.0))
            ],
            DataCaptureConfig={
                "EnableCapture": True,
                "InitialSamplingPercentage": 100,
                "DestinationS3Uri": "s3://models/captured",
                "CaptureOptions": [{"CaptureMode": "Input"}, {"CaptureMode": "Output"}],
            },
        )
        local.endpoint("twice", "twice")
        yield local


def run(*arguments: str, local: Aws | None = None) -> Any:
    shell = {} if local is None else shell_of(local.gateway)
    environment = {**shell, "AWS_REGION": REGION, "AWS_DEFAULT_REGION": REGION}
    return CliRunner().invoke(command, arguments, env=environment)


@pytest.mark.slow
def test_what_an_endpoint_captured_is_replayed_to_its_variants(local: Aws, tmp_path: Path) -> None:
    for number in range(20):
        local.ask("twice", b"number %d" % number, ContentType="text/plain")
    service_in(local.gateway, SageMaker).flush(instances=False)
    place = "twice"
    same = run(place, "twice", "--variant", "right", local=local)
    assert same.exit_code == 0, same.output
    assert same.stdout.splitlines()[0] == "equal\t20\t100.00"
    assert same.stdout.splitlines()[-1] == "20 of 20 answers are like the captured answers"

    service_in(local.gateway, SageMaker).flush(instances=False)
    drawn = tmp_path / "replay.html"
    wrong = run(place, "twice", "--variant", "wrong", "-o", str(drawn), "--json", local=local)
    assert isinstance(wrong.exception, Failure)
    verdict = "20 of 20 answers are different or failed, 100 %; at most 0 % may be"
    assert str(wrong.exception) == verdict
    document = json.loads(wrong.stdout)
    assert (document["equal"], document["different"]) == (0, 20)
    assert [one["reason"] for one in document["no_events"]] == ["sent by a replay"]
    assert document["worst"][0]["where"].startswith("s3://models/captured/twice/right/")
    assert "20 of 20 answers are different" in drawn.read_text(encoding="utf-8")

    against = ("--against", "twice", "--max-different-percent", "100")
    both = run(place, "twice", "--variant", "wrong", *against, local=local)
    assert both.exit_code == 0, both.output
    assert any(line.startswith("twice: p50 ") for line in both.stdout.splitlines())

    nothing = run(str(write(tmp_path / "a.jsonl", event(asked=None))), "twice", local=local)
    assert isinstance(nothing.exception, Failure)
    assert str(nothing.exception) == (
        "none of 1 captured requests could be replayed: the request was not captured"
    )


@pytest.fixture
def environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """prod.yaml with a gate, beside the model that it is of; this folder is the current one."""
    shutil.copytree(ROOT / "model_assets" / "half_plus_three" / "model", tmp_path / "model")
    exchanges(
        tmp_path / "captured" / "day.jsonl",
        [({"instances": [x]}, {"predictions": [x / 2 + 3]}) for x in (1.0, 2.0, 5.0)],
    )
    models = {
        "half": {
            "artifact": "../model",
            "framework": "tensorflow",
            "framework_version": "2.20",
            "variants": [{"name": "cpu", "instance_type": "ml.c5.large"}],
            "update": {"replay": {"capture": "../captured"}},
        },
    }
    models["bare"] = {**models["half"], "update": {"canary_percent": 10}}
    document = {"name": "prod", "region": "eu-west-1", "models": models}
    write(tmp_path / "environments" / "prod.yaml", yaml.safe_dump(document))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_gate_of_an_environment_serves_its_model_and_stops_a_wrong_one(
    environments: Path,
) -> None:
    good = run("prod/half")
    assert good.exit_code == 0, good.output
    assert "prod/half, served on this machine: p50" in good.stdout
    pairs = [({"instances": [x]}, {"predictions": [x / 2 + 4]}) for x in (1.0, 2.0)]
    exchanges(environments / "captured" / "day.jsonl", pairs)
    bad = run("prod/half")
    assert isinstance(bad.exception, Failure)
    assert "predictions[0]: expected 5.0, got 4.0" in bad.stdout


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (["prod/bare"], "environments/prod.yaml: bare has no update.replay; add update:"),
        (["prod/cats"], "environments/prod.yaml has no model 'cats'; it has bare, half"),
        (["captured"], "captured is no model of environments/*.yaml"),
        (["no/where", "model"], "no/where does not exist; give a .jsonl file"),
        (["captured", "no/thing"], "there is nothing at no/thing, and it is no model of"),
        (["captured", "model", "--variant", "v"], "--variant is of an endpoint, and model is"),
    ],
)
@pytest.mark.usefixtures("environments")
def test_what_is_not_there_is_named_before_anything_is_sent(places: list[str], said: str) -> None:
    ended = run(*places)
    assert isinstance(ended.exception, Mistake | NotFound)
    assert said in str(ended.exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a", "b", "c"], "give a capture and a target, not 3 places"),
        (["a", "b", "--speed", "0"], "'0' is no speed; give a number above 0, or max"),
        (["a", "b", "--from", "yesterday"], "'yesterday' is no time; write 2026-11-24"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], said: str) -> None:
    ended = run(*arguments)
    assert ended.exit_code == 2
    assert said in " ".join(ended.output.split())
