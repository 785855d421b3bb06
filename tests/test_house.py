"""The layers stand, and nothing heavy is loaded by what must be quick."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "constructs" / "sagemaker_serving"

BELOW = {
    "spec": set(),
    "catalog": set(),
    "archive": set(),
    "rules": {"spec", "catalog", "archive"},
    "infra": {"spec", "catalog", "archive", "rules"},
    "client": {"spec", "catalog", "archive", "rules"},
    "local": {"spec", "catalog", "archive", "rules", "client"},
    "functions": set(),
    "converter": set(),
    "cli": {"spec", "catalog", "archive", "rules", "client", "local"},
}
"""What each layer may import, beside errors, extras and suggest."""


@pytest.mark.parametrize("layer", BELOW)
def test_arrows_point_down_only(layer: str) -> None:
    upward = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (PACKAGE / layer).rglob("*.py")
        for name in _imports(path)
        if name.startswith("sagemaker_serving.")
        and name.split(".")[1] in BELOW.keys() - BELOW[layer] - {layer}
    ]
    assert upward == []


@pytest.mark.parametrize("layer", ["spec", "catalog", "archive", "rules"])
def test_lower_layers_import_nothing_heavy(layer: str) -> None:
    heavy = {"aws_cdk", "boto3", "botocore", "moto", "tensorflow", "constructs", "aiohttp"}
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (PACKAGE / layer).rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] in heavy
    ]
    assert found == []


def test_functions_import_only_what_lambda_has() -> None:
    allowed = {*sys.stdlib_module_names, "boto3", "botocore", "__future__"}
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (PACKAGE / "functions").rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] not in allowed
    ]
    assert found == []


def test_only_infra_imports_aws_cdk() -> None:
    found = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(name.split(".")[0] == "aws_cdk" for name in _imports(path))
    ]
    assert {Path(path).parts[0] for path in found} == {"infra"}


def test_the_command_line_starts_without_anything_heavy() -> None:
    code = (
        "import sys; from sagemaker_serving.cli import main; sys.argv = ['x', 'check', "
        "'environments/local.yaml']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print({'jsii', 'aws_cdk', 'boto3', 'moto', 'tensorflow'} & set(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.splitlines()[-1] == "set()"


def test_the_source_root_does_not_shadow_the_package_constructs() -> None:
    import constructs

    assert not (ROOT / "constructs" / "__init__.py").exists()
    assert constructs.__file__ is not None
    assert "site-packages" in constructs.__file__


def _imports(path: Path) -> list[str]:
    """What a file imports from elsewhere; ruff keeps relative imports to its own folder."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names
