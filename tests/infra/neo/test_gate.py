"""A gate in a template: what waits for it, what it starts, and what its function may do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cdk_nag
import pytest
from aws_cdk import aws_kms as kms
from aws_cdk.assertions import Annotations, Match, Template

from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Exchange, Request, read_golden, write_golden
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra import (
    CompiledModelGate,
    CompiledModelJudge,
    ContainerImage,
    EndpointConfig,
    InstanceVariant,
    Model,
    ModelData,
    ServerlessVariant,
)
from tests.infra.conftest import Bench
from tests.infra.neo.test_compilation import only, statements

REQUEST = Request(body=b"\xff", content_type="application/x-image")
EXPECTED = Answer(status=200, body=b"[1.5]")


def model(bench: Bench, instance_type: str | None) -> Model:
    return Model(
        bench.stack,
        "Model",
        role=bench.role,
        image=ContainerImage.from_uri("123456789012.dkr.ecr.eu-west-1.amazonaws.com/own:1"),
        model_data=ModelData.from_s3("s3://models/m.tar.gz", sha256="0" * 64),
        instance_type=instance_type,
    )


def golden(bench: Bench, expected: Answer | None) -> Path:
    """A file of one golden request."""
    path = bench.model_folder.parent / "golden.jsonl"
    write_golden(path, [Exchange(request=REQUEST, expected=expected)])
    return path


def gate(
    bench: Bench,
    variant: InstanceVariant | ServerlessVariant | None = None,
    *,
    key: bool = False,
    expected: Answer | None = EXPECTED,
    instance_type: str = "ml.c5.large",
    **limits: float,
) -> CompiledModelGate:
    if variant is None:
        served = model(bench, instance_type)
        variant = InstanceVariant(name="neo", model=served, instance_type=instance_type)
    judge = CompiledModelJudge(
        bench.stack,
        "Judge",
        retain_logs=False,
        encryption_key=kms.Key(bench.stack, "Key") if key else None,
    )
    made = CompiledModelGate(
        bench.stack,
        "Gate",
        judge=judge,
        variant=variant,
        golden=golden(bench, expected),
        **(limits or {"max_error": 0.001}),
    )
    made.guard(EndpointConfig(bench.stack, "Config", variants=[variant]))
    return made


def resources(bench: Bench) -> Any:
    return Template.from_stack(bench.stack).to_json()["Resources"]


def test_the_config_waits_until_the_model_is_accepted(bench: Bench) -> None:
    made = gate(bench, max_error=0, agreement=0.99)
    found = resources(bench)
    asked = only(found, "Custom::CompiledModelGate")
    assert asked["EndpointName"] == made.endpoint_name
    assert made.endpoint_name.startswith("stack-gate-")
    members = {"InstanceType": "ml.c5.large", "InitialInstanceCount": 1}
    assert json.loads(asked["Variant"]) == members
    assert json.loads(asked["Accept"]) == {"max_error": 0, "agreement": 0.99}
    assert (asked["Told"], "KmsKeyId" in asked) == ("neo on ml.c5.large", False)
    (waits,) = [it for it in found.values() if it["Type"] == "AWS::SageMaker::EndpointConfig"]
    (name,) = [it for it, its in found.items() if its["Type"] == "Custom::CompiledModelGate"]
    assert name in waits["DependsOn"]


def test_the_requests_travel_beside_the_template(bench: Bench) -> None:
    gate(bench)
    url = only(resources(bench), "Custom::CompiledModelGate")["GoldenUrl"]
    key = url["Fn::Sub"].rpartition("/")[2]
    (path,) = Path(bench.app.outdir).glob(f"asset.{key}")
    (exchange,) = read_golden(path)
    assert (exchange.request, exchange.expected) == (REQUEST, EXPECTED)


def test_synth_says_what_the_deploy_starts(bench: Bench) -> None:
    gate(bench)
    (said,) = Annotations.from_stack(bench.stack).find_info("/Stack/Gate", Match.any_value())
    assert (
        "the deploy starts a temporary endpoint with one instance of ml.c5.large, sends it the "
        "golden requests (1), and removes it"
    ) in said.entry.data


def test_its_name_is_that_of_what_is_judged(new_bench: Any) -> None:
    other = Answer(status=200, body=b"[2]")
    names = [
        gate(new_bench(), **more).endpoint_name
        for more in (
            {},
            {},
            {"agreement": 1},
            {"expected": other},
            {"instance_type": "ml.m5.large"},
        )
    ]
    assert names[0] == names[1]
    assert len(set(names)) == 4


def test_the_function_may_touch_nothing_but_what_is_temporary(bench: Bench) -> None:
    gate(bench, key=True)
    found = statements(resources(bench), "JudgeWork")
    about = [it for it in found if "sagemaker:" in json.dumps(it["Action"])]
    assert {it["Resource"]["Fn::Join"][1][-1].rpartition(":")[2] for it in about} == {
        "endpoint/stack-gate-*",
        "endpoint-config/stack-gate-*",
    }
    actions = {action for it in about for action in it["Action"]}
    assert not [it for it in actions if "Update" in it or "PassRole" in it]
    (granting,) = [it for it in found if "kms:CreateGrant" in json.dumps(it["Action"])]
    assert granting["Condition"] == {"Bool": {"kms:GrantIsForAWSResource": "true"}}
    (described,) = [it for it in found if it["Action"] == "kms:DescribeKey"]
    assert described["Resource"] == granting["Resource"]
    (reading,) = [it for it in found if it["Action"] == "s3:GetObject"]
    assert "*" not in json.dumps(reading["Resource"])


@pytest.mark.parametrize(("kind", "taken"), [("ml.c5.large", True), ("ml.g5.xlarge", False)])
def test_the_key_encrypts_what_sagemaker_takes_one_for(
    bench: Bench, kind: str, taken: bool
) -> None:
    gate(bench, key=True, instance_type=kind)
    assert ("KmsKeyId" in only(resources(bench), "Custom::CompiledModelGate")) is taken


def test_a_serverless_variant_is_judged_as_one(bench: Bench) -> None:
    served = model(bench, None)
    gate(
        bench,
        ServerlessVariant(name="s", model=served, memory_size_in_mb=2048, max_concurrency=9),
    )
    asked = only(resources(bench), "Custom::CompiledModelGate")
    serverless = {"MemorySizeInMB": 2048, "MaxConcurrency": 1}
    assert json.loads(asked["Variant"]) == {"ServerlessConfig": serverless}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"expected": None}, "golden has requests without an answer; record them first"),
        ({"max_error": None}, "nothing is demanded; give max_error, agreement, or both"),
    ],
)
def test_what_could_not_be_judged_is_refused(bench: Bench, more: Any, said: str) -> None:
    with pytest.raises(Mistake, match=said):
        gate(bench, **more)


def test_a_variant_of_components_is_refused(bench: Bench) -> None:
    judge = CompiledModelJudge(bench.stack, "Judge")
    variant = InstanceVariant(name="all", model=None, instance_type="ml.c5.large")
    with pytest.raises(Mistake, match="variant all has no model"):
        CompiledModelGate(
            bench.stack,
            "Gate",
            judge=judge,
            variant=variant,
            golden=golden(bench, EXPECTED),
            max_error=1,
        )


@pytest.mark.parametrize("pack", ["AwsSolutionsChecks", "ServerlessChecks"])
def test_cdk_nag_finds_nothing_unacknowledged(bench: Bench, pack: str) -> None:
    gate(bench, key=True)
    resources(bench)
    found = getattr(cdk_nag, pack)(bench.app).validate_scope(bench.stack).violations
    ours = [
        violation.rule_name
        for violation in found
        if "Judge" in json.dumps([it.resource_logical_id for it in violation.violating_resources])
    ]
    assert ours == []


def test_the_functions_zip_holds_what_it_imports_and_nothing_heavy(bench: Bench) -> None:
    gate(bench)
    (handler,) = {
        it["Properties"]["Handler"]
        for it in resources(bench).values()
        if it["Type"] == "AWS::Lambda::Function" and "work" in it["Properties"]["Handler"]
    }
    (folder,) = [
        path.parents[2]
        for path in Path(bench.app.outdir).glob("asset.*/sagemaker_serving/functions/compiled_gate")
    ]
    module = handler.rpartition(".")[0]
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); import {module} as work; "
        f"assert work.__file__.startswith({str(folder)!r}); "
        "print('local_aws' in sys.modules, 'pydantic' in sys.modules)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == ("False False\n", "")
    held = {path.relative_to(folder).parts[1] for path in folder.rglob("*.py")}
    assert held == {"__init__.py", "functions", "answers"}
