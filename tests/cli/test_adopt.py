"""`adopt` as a shell sees it: the file that it writes, what it prints, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.local_aws.aws import REGION, Aws, shell_of, stand_in_aws
from tests.operations.adoption.test_adopting import template


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        local.config("one", {"blue": local.model("one", {"LEVEL": "1"})})
        local.endpoint("digits", "one")
        yield local


@pytest.fixture
def stack(tmp_path: Path) -> str:
    resources = template(InstanceType={"Ref": "Type"})
    (tmp_path / "stack.json").write_text(json.dumps({"Resources": resources}))
    return "stack.json"


def test_a_live_endpoint_is_written_and_passes_check(run: Run, aws: Aws, tmp_path: Path) -> None:
    shell = {"AWS_DEFAULT_REGION": REGION, **shell_of(aws.gateway)}
    ended = run("adopt", "endpoint", "digits", "--name", "staging", **shell)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0] == "environments/staging.yaml: digits"
    then = ended.stdout.partition("next:\n")[2].splitlines()
    assert then[0] == "  sagemaker-serving check environments/staging.yaml --account"
    assert then[2] == "  cdk deploy -c env=staging --all"
    assert "this one will be called\n    staging-digits" in ended.stdout
    assert run("check", "environments/staging.yaml").returncode == 0
    missing = run("adopt", "endpoint", "nobody", **shell)
    assert (missing.returncode, "there is no endpoint 'nobody' in eu-west-1" in missing.stderr) == (
        2,
        True,
    )
    assert not (tmp_path / "environments" / "adopted.yaml").exists()


def test_both_ways_are_offered_with_their_price(run: Run, aws: Aws, tmp_path: Path) -> None:
    shell = {"AWS_DEFAULT_REGION": REGION, **shell_of(aws.gateway)}
    second = run("adopt", "endpoint", "digits", "--name", "second", **shell)
    assert "  * a second endpoint, second-digits: its instances are paid for" in second.stdout
    assert "    digits itself, moved by the deploy (--existing): callers move" in second.stdout
    ended = run("adopt", "endpoint", "digits", "--existing", "--name", "mine", **shell)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "  * digits itself, moved by the deploy (--existing): callers move" in ended.stdout
    written = (tmp_path / "environments" / "mine.yaml").read_text()
    assert "    endpoint:\n      existing: digits\n" in written
    assert "read from the endpoint digits, which a deploy of this file moves" in written
    checked = run("check", "environments/mine.yaml")
    assert checked.returncode == 0, checked.stdout


def test_what_is_left_open_is_named_with_its_place(run: Run, stack: str) -> None:
    ended = run("adopt", "template", stack, "--region", REGION, "--file", "new.yaml")
    assert ended.returncode == 0
    place = "models.half.variants[0].instance_type"
    assert f"  {place}: only a deploy knows" in ended.stdout
    assert "before a deploy, in new.yaml:" in ended.stdout
    assert "instance_type is missing" in ended.stdout


def test_a_file_that_is_there_is_not_replaced_unasked(run: Run, stack: str, tmp_path: Path) -> None:
    (tmp_path / "new.yaml").write_text("mine")
    arguments = ("adopt", "template", stack, "--region", REGION, "--file", "new.yaml")
    refused = run(*arguments)
    assert (refused.returncode, "new.yaml is there already" in refused.stderr) == (2, True)
    assert (tmp_path / "new.yaml").read_text() == "mine"
    assert run(*arguments, "--force").returncode == 0


def test_a_template_needs_a_region(run: Run, stack: str) -> None:
    ended = run("adopt", "template", stack)
    assert (ended.returncode, "give --region, or set AWS_REGION" in ended.stderr) == (2, True)


def test_a_terraform_plan_says_its_own_region(run: Run, tmp_path: Path) -> None:
    changes = [
        _change("model", {"name": "m", "execution_role_arn": "arn:aws:iam::1:role/r"}),
        _change(
            "endpoint_configuration",
            {
                "name": "c",
                "production_variants": [
                    {"variant_name": "v", "model_name": "m", "instance_type": "ml.m5.large"}
                ],
            },
        ),
        _change("endpoint", {"name": "half", "endpoint_config_name": "c"}),
    ]
    provider = {"aws": {"expressions": {"region": {"constant_value": "eu-west-1"}}}}
    resources = [
        {"address": one["address"], "provider_config_key": "aws", "expressions": {}}
        for one in changes
    ]
    configuration = {"provider_config": provider, "root_module": {"resources": resources}}
    plan = {"format_version": "1.2", "resource_changes": changes, "configuration": configuration}
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    ended = run("adopt", "plan", "plan.json")
    assert ended.returncode == 0
    text = (tmp_path / "environments" / "adopted.yaml").read_text()
    assert "region: eu-west-1" in text
    assert "instance_type: ml.m5.large" in text


def _change(kind: str, after: dict[str, object]) -> dict[str, object]:
    name = f"aws_sagemaker_{kind}"
    change = {"actions": ["create"], "after": after, "after_unknown": {}}
    return {"address": f"{name}.it", "mode": "managed", "type": name, "change": change}


def test_a_live_router_is_written_with_the_endpoints_that_it_asks(
    run: Run, aws: Aws, tmp_path: Path
) -> None:
    shell = {"AWS_DEFAULT_REGION": REGION, **shell_of(aws.gateway)}
    arn = f"arn:aws:sagemaker:{REGION}:123456789012:endpoint/digits"
    aws.sagemaker.create_inference_router(
        InferenceRouterName="front",
        RoutingTargets=[{"Name": "digits", "Destinations": [{"ResourceArn": arn}]}],
    )
    ended = run("adopt", "router", "front", "--name", "routed", **shell)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0] == "environments/routed.yaml: digits"
    assert run("check", "environments/routed.yaml").returncode == 0
    written = (tmp_path / "environments" / "routed.yaml").read_text()
    assert "# read from the inference router front, which stays as it is" in written
    missing = run("adopt", "router", "nothing", **shell)
    assert missing.returncode == 2
    assert "there is no inference router 'nothing' in eu-west-1" in missing.stderr
