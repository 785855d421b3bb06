"""Findings that are meant to stay: a note with the reason, wherever that is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Mistake, Problem
from sagemaker_serving.rules import check_environment, check_template, read_template
from sagemaker_serving.rules.acknowledgements import read_acknowledgements
from sagemaker_serving.rules.report import report
from sagemaker_serving.spec import read_environment
from tests.today import TODAY

MODEL = f"""
    artifact: {{s3: s3://bucket/model.tar.gz, sha256: "{"0" * 64}"}}
    framework: tensorflow
    framework_version: "2.20"
    variants: [{{name: blue, instance_type: ml.p3.2xlarge}}]
"""
TOP = "name: dev\nregion: us-east-1\n"
REASON = "moves to g6 in March"


def problems(tmp_path: Path, text: str) -> list[Problem]:
    path = tmp_path / "dev.yaml"
    path.write_text(text)
    return check_environment(read_environment(path), today=TODAY)


def brief(found: list[Problem]) -> list[tuple[str, str, str | None]]:
    return [(one.rule, one.severity.value, one.acknowledged) for one in found]


def test_a_model_acknowledges_for_itself_and_the_file_for_all(tmp_path: Path) -> None:
    models = f"models:\n  one:{MODEL}  two:{MODEL}"
    own = f"    acknowledge: {{instance-retired: {REASON}}}\n"
    open_, kept = ("instance-retired", "warning", None), ("instance-retired", "note", REASON)
    assert brief(problems(tmp_path, TOP + models)) == [open_, open_]
    assert brief(problems(tmp_path, TOP + models + own)) == [open_, kept]
    everywhere = TOP + f"acknowledge: {{instance-retired: {REASON}}}\n" + models
    assert brief(problems(tmp_path, everywhere)) == [kept, kept]


def test_an_id_that_a_rule_had_acknowledges_it_still(tmp_path: Path) -> None:
    text = f"{TOP}models:\n  one:{MODEL.replace('ml.p3.2xlarge', 'ml.m5.large')}"
    wrong = text.replace("model.tar.gz", "model.zip")
    (found,) = problems(tmp_path, f"{wrong}    acknowledge: {{artifact-s3-uri: {REASON}}}\n")
    assert brief([found]) == [("model-data-form", "note", REASON)]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("instance-retire: why", "no rule 'instance-retire' to acknowledge; did you mean instance"),
        ("instance-retired: ' '", "is acknowledged without a reason; say why"),
    ],
)
def test_an_acknowledgement_that_says_nothing_is_an_error(
    tmp_path: Path, written: str, said: str
) -> None:
    found = problems(tmp_path, TOP + f"acknowledge: {{{written}}}\nmodels:\n  one:{MODEL}")
    assert sorted(one.severity.value for one in found) == ["error", "warning"]
    assert any(said in one.message and one.where.line == 3 for one in found)


def template(**metadata: Any) -> dict[str, Any]:
    variant = {"VariantName": "a", "ModelName": "m", "InstanceType": "ml.p3.2xlarge"}
    config = {
        "Type": "AWS::SageMaker::EndpointConfig",
        "Properties": {"ProductionVariants": [{**variant, "InitialInstanceCount": 1}]},
    }
    return {"Resources": {"One": {**config, **metadata}, "Two": config}}


def test_a_template_acknowledges_in_its_metadata_or_a_resources(tmp_path: Path) -> None:
    metadata = {"SageMakerServing": {"acknowledge": {"instance-retired": REASON}}}
    path = tmp_path / "t.json"
    for written, severities in (
        (template(), ["warning", "warning"]),
        (template(Metadata=metadata), ["note", "warning"]),
        ({**template(), "Metadata": metadata}, ["note", "note"]),
    ):
        path.write_text(json.dumps(written))
        found = check_template(read_template(path), "us-east-1", today=TODAY)
        assert [one.severity.value for one in found] == severities


def test_a_file_acknowledges_for_all_that_is_checked(tmp_path: Path) -> None:
    kept = tmp_path / "kept.yaml"
    kept.write_text(f"instance-retired: {REASON}\n")
    path = tmp_path / "t.json"
    path.write_text(json.dumps(template()))
    found = check_template(
        read_template(path), "us-east-1", today=TODAY, acknowledged=read_acknowledgements(kept)
    )
    assert brief(found) == [("instance-retired", "note", REASON)] * 2
    kept.write_text("- instance-retired\n")
    with pytest.raises(Mistake, match="write a mapping"):
        read_acknowledgements(kept)


def test_every_report_says_that_and_why(tmp_path: Path) -> None:
    found = problems(
        tmp_path, TOP + f"acknowledge: {{instance-retired: {REASON}}}\nmodels:\n  one:{MODEL}"
    )
    assert f"acknowledged: {REASON} [instance-retired]" in report(found, "text")
    assert json.loads(report(found, "json"))[0]["acknowledged"] == REASON
    (result,) = json.loads(report(found, "sarif"))["runs"][0]["results"]
    assert result["suppressions"] == [{"kind": "inSource", "justification": REASON}]
