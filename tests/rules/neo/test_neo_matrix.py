"""What Neo compiles for which kind of host, framework by framework, and which image serves it.

The table is that of AWS's developer guide, "Supported frameworks" for cloud instances, and of
the images that the SDK's tables have.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.catalog.images import UnknownImage
from sagemaker_serving.catalog.neo import neo_image_uri, neo_regions, neo_support
from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.rules import check_environment
from sagemaker_serving.rules.compilation_check import check_compilation
from sagemaker_serving.spec import read_environment
from sagemaker_serving.spec.compilation import Compilation
from tests.today import TODAY

INSTANCES = ("ml_c4", "ml_c5", "ml_m4", "ml_m5", "ml_p2", "ml_p3", "ml_g4dn")
PYTORCH = ("1.4", "1.5", "1.6", "1.7", "1.8", "1.12", "1.13", "2.0")
MATRIX: list[tuple[str, tuple[str, ...], tuple[str, ...], str | None]] = [
    # framework, targets, versions, the repository of the image that serves it
    ("TENSORFLOW", INSTANCES, ("1.15.3", "2.9", "2.9.2"), "sagemaker-inference-tensorflow"),
    ("KERAS", INSTANCES, ("2.2.4",), "sagemaker-neo-keras"),
    ("PYTORCH", INSTANCES, PYTORCH, "sagemaker-inference-pytorch"),
    ("MXNET", INSTANCES, ("1.8.0", "1.8"), "sagemaker-inference-mxnet"),
    ("ONNX", INSTANCES, ("1.7.0",), "sagemaker-neo-onnx"),
    ("XGBOOST", INSTANCES, ("1.3.3",), "xgboost-neo"),
    ("TENSORFLOW", ("ml_inf1",), ("1.15", "2.5"), "sagemaker-neo-tensorflow"),
    ("PYTORCH", ("ml_inf1",), ("1.7", "1.8", "1.9"), "sagemaker-neo-pytorch"),
    ("MXNET", ("ml_inf1",), ("1.5", "1.8"), "sagemaker-neo-mxnet"),
    ("TENSORFLOW", ("ml_inf2", "ml_trn1"), ("2.10",), None),
    ("PYTORCH", ("ml_inf2", "ml_trn1"), ("1.13",), None),
]
NOT_COMPILED = [
    *(("KERAS", device) for device in ("ml_inf1", "ml_inf2", "ml_trn1")),
    *(("ONNX", device) for device in ("ml_inf1", "ml_inf2", "ml_trn1")),
    *(("XGBOOST", device) for device in ("ml_inf1", "ml_inf2", "ml_trn1")),
    ("MXNET", "ml_inf2"),
    ("TFLITE", "ml_c5"),
    ("DARKNET", "ml_c5"),
    ("SKLEARN", "ml_c5"),
]


def problems(framework: str, version: str, device: str, **asked: Any) -> list[Problem]:
    return check_compilation(
        Compilation(target_device=device, **{"data_input_config": "{}", **asked}),
        "model",
        framework=framework.lower(),
        framework_version=version,
        region=neo_regions(device)[0],
        contents=None,
        where=Where(),
    )


def named(found: list[Problem], *rules: str) -> list[str]:
    return [str(problem) for problem in found if problem.rule in rules]


@pytest.mark.parametrize(("framework", "devices", "versions", "repository"), MATRIX)
def test_what_neo_compiles_is_let_pass(
    framework: str, devices: tuple[str, ...], versions: tuple[str, ...], repository: str | None
) -> None:
    for device in devices:
        region = neo_regions(device)[0]
        for version in versions:
            found = problems(framework, version, device)
            assert named(found, "neo-version", "neo-region", "neo-framework", "neo-target") == []
            image = _image(framework, version, region, device)
            if repository is None:
                assert image is None
            else:
                assert image is not None
                assert f".{region}.amazonaws.com/{repository}:" in image


@pytest.mark.parametrize(("framework", "devices", "versions", "repository"), MATRIX)
def test_any_other_version_is_named(
    framework: str, devices: tuple[str, ...], versions: tuple[str, ...], repository: str | None
) -> None:
    for device in devices:
        (said,) = named(problems(framework, "9.9", device), "neo-version")
        assert f"for {device} Neo compiles {framework}" in said


@pytest.mark.parametrize(("framework", "device"), NOT_COMPILED)
def test_what_neo_does_not_compile_is_named(framework: str, device: str) -> None:
    (said,) = named(problems(framework, "1.0", device), "neo-version")
    assert f"Neo is not documented to compile it for {device}" in said


@pytest.mark.parametrize(
    ("framework", "version", "device", "needed"),
    [
        ("TENSORFLOW", "2.9", "ml_c5", True),
        ("KERAS", "2.2.4", "ml_c5", True),
        ("MXNET", "1.8.0", "ml_c5", True),
        ("ONNX", "1.7.0", "ml_c5", True),
        ("PYTORCH", "1.13", "ml_c5", True),
        ("PYTORCH", "2.0", "ml_c5", False),
        ("PYTORCH", "1.9", "ml_inf1", True),
        ("XGBOOST", "1.3.3", "ml_c5", False),
    ],
)
def test_shapes_are_asked_for_where_neo_needs_them(
    framework: str, version: str, device: str, needed: bool
) -> None:
    found = problems(framework, version, device, data_input_config=None)
    assert bool(named(found, "neo-input-config")) == needed


def _image(framework: str, version: str, region: str, device: str) -> str | None:
    try:
        return neo_image_uri(
            framework=framework, version=version, region=region, target_device=device
        )
    except UnknownImage:
        return None


def test_the_documents_table_is_the_catalogs() -> None:
    page = (Path(__file__).parents[3] / "docs" / "neo.md").read_text(encoding="utf-8")
    shown = {row[0].upper(): row[1:4] for row in _rows(page) if len(row) == 5}
    for framework in ("TENSORFLOW", "KERAS", "PYTORCH", "MXNET", "ONNX", "XGBOOST"):
        known = [neo_support(framework, device) for device in ("ml_c5", "ml_inf1", "ml_inf2")]
        assert shown[framework] == [
            ", ".join(support.versions) if support is not None else "" for support in known
        ]


def test_the_documents_environment_is_sound(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "neo.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(name: .*?)```", page, re.DOTALL)
    digits = Path(__file__).parents[3] / "model_assets" / "digits" / "model"
    path = tmp_path / "prod.yaml"
    path.write_text(block.replace("../model_assets/digits/model", str(digits)))
    errors = [
        str(problem)
        for problem in check_environment(read_environment(path), today=TODAY)
        if problem.rule.startswith(("neo", "spec", "artifact", "handler", "image"))
        and problem.severity is not Severity.NOTE
    ]
    assert errors == []


def _rows(page: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
