"""The house stands: arrows point down, nothing goes round, and what must be quick is light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
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
    "operations": {"spec", "catalog", "archive", "rules", "client"},
    "model_server": {"archive"},
    "local": {"spec", "catalog", "archive", "rules", "client", "operations", "model_server"},
    "local_sagemaker": {"spec", "catalog", "archive", "rules", "client", "model_server", "local"},
    "functions": set(),
    "converter": set(),
    "cli": {
        *("spec", "catalog", "archive", "rules", "client", "operations", "model_server", "local"),
        "local_sagemaker",
    },
}
"""What each layer may import, beside errors, extras, processes and suggest."""


ROUND = [
    {"client", "client.payload"},
    {"infra", "infra.monitoring"},
    {
        "local",
        "local.cloudformation",
        "local.cloudformation.providers",
        "local.faults",
        "local.lambda_functions",
        "local.moto_patches",
        "local.moto_patches.step_functions",
        "local.permissions",
        "local.state",
        "local.step_functions",
        "local_sagemaker",
        "local_sagemaker.async_inference",
        "local_sagemaker.compilation_jobs",
        "local_sagemaker.endpoints",
        "local_sagemaker.hosting",
        "local_sagemaker.inference_components",
        "local_sagemaker.model_registry",
        "local_sagemaker.models",
        "local_sagemaker.observability",
        "local_sagemaker.records",
        "local_sagemaker.transform_jobs",
    },
    {"model_server", "model_server.mms", "model_server.neo", "model_server.pytorch"},
    {"rules", "rules.template"},
]
"""Folders that import one another, still. Files never do. It may only get shorter."""


UPWARD = [
    ("local.gateway", "local_sagemaker"),
    ("local.moto_patches.step_functions.tasks", "local_sagemaker"),
]
"""Arrows that still point up: SageMaker is no service that is plugged in yet."""


@pytest.fixture(scope="module")
def arrows() -> dict[str, set[str]]:
    """Every module of the package, and those that it imports, wherever in its text it does."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        module = _module(PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts)
        module = module.removesuffix("__init__").rstrip(".")
        found[module] = set(_modules_imported(path)) - {module}
    return found


def test_no_file_imports_itself_by_way_of_others(arrows: dict[str, set[str]]) -> None:
    assert _circles(arrows) == []


def test_folders_that_import_one_another_become_fewer(arrows: dict[str, set[str]]) -> None:
    folders: dict[str, set[str]] = {}
    for module, imported in arrows.items():
        folder = _folder(module)
        folders.setdefault(folder, set()).update(_folder(each) for each in imported)
    for folder, below in folders.items():
        below.discard(folder)
    assert _circles(folders) == ROUND


@pytest.mark.parametrize("folder", ["tools", "benchmarks", "stacks", "constructs"])
def test_what_is_no_test_imports_no_test(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / folder).rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] == "tests"
    ]
    assert found == []


@pytest.mark.parametrize("layer", BELOW)
def test_arrows_point_down_only(layer: str) -> None:
    upward = {
        (_module(PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts), room)
        for path in (PACKAGE / layer).rglob("*.py")
        for name in _imports(path)
        if name.startswith("sagemaker_serving.")
        for room in {name.split(".")[1]} & (BELOW.keys() - BELOW[layer] - {layer})
    }
    assert sorted(upward) == [arrow for arrow in UPWARD if arrow[0].split(".")[0] == layer]


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


def _circles(arrows: dict[str, set[str]]) -> list[set[str]]:
    """Those that lead back to themselves, together with whom."""
    reached = {name: _reachable(name, arrows) for name in arrows}
    circles = {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in arrows
        if name in reached[name]
    }
    return [set(circle) for circle in sorted(circles, key=sorted)]


def _reachable(start: str, arrows: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    next_ones = [start]
    while next_ones:
        new = arrows.get(next_ones.pop(), set()) - found
        found |= new
        next_ones += new
    return found


def _modules_imported(path: Path) -> Iterator[str]:
    """The package's own modules that a file imports, relative ones too."""
    package = (PACKAGE.name, *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level > 0 else ()
            base = (*above, *([] if node.module is None else node.module.split(".")))
            names = [[*base, alias.name] for alias in node.names]
        yield from (_module(*parts) for parts in names if parts[0] == PACKAGE.name)


def _module(*parts: str) -> str:
    """The name, below the package, of the module where a name in dotted parts is to be found."""
    path = PACKAGE.parent.joinpath(*parts)
    is_module = path.with_suffix(".py").exists() or path.is_dir()
    return ".".join(parts[1:] if is_module else parts[1:-1])


def _folder(module: str) -> str:
    """Where a module lies: a package's ``__init__`` in itself."""
    return module if PACKAGE.joinpath(*module.split(".")).is_dir() else module.rpartition(".")[0]
