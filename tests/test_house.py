"""The house stands: arrows point down, nothing goes round, and what must be quick is light."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = {
    "sagemaker_serving": ROOT / "constructs" / "sagemaker_serving",
    "local_aws": ROOT / "local-aws" / "src" / "local_aws",
}
PACKAGE, LOCAL_AWS = SOURCES.values()

BELOW = {
    "answers": set(),
    "spec": set(),
    "catalog": set(),
    "archive": set(),
    "rules": {"answers", "spec", "catalog", "archive"},
    "infra": {"answers", "spec", "catalog", "archive", "rules"},
    "client": {"spec", "catalog", "archive", "rules"},
    "operations": {"answers", "spec", "catalog", "archive", "rules", "client", "model_server"},
    "model_server": {"archive", "catalog"},
    "local_sagemaker": {"spec", "catalog", "archive", "rules", "client", "model_server"},
    "functions": {"answers"},
    "converter": set(),
    "compiler": set(),
    "cli": {
        *("answers", "spec", "catalog", "archive", "rules", "client", "operations", "model_server"),
        "local_sagemaker",
    },
}
"""What each layer may import, beside errors, extras, log_groups, progress, s3_address and
whole_files."""

BASE = {
    *("clock", "errors", "garbage", "policies", "process", "s3_location", "scaling", "schedules"),
    *("schemas", "states_language", "suggest", "template", "terminal"),
}
"""What is there of the local AWS without what it needs to run; every layer may import it."""

ON_BOTO3 = {"boto"}
"""What needs boto3 beside; whoever calls AWS has it."""

CALLS_AWS = {"client"}

ON_TOP = {"cli", "local_sagemaker"}
"""What may import all of the local AWS."""

ROUND: list[set[str]] = []
"""Folders that import one another, still. Files never do. It may only get shorter."""


@pytest.fixture(scope="module")
def arrows() -> dict[str, set[str]]:
    """Every module of both packages, and those that it imports, wherever in its text it does."""
    return {
        _name_of(path): set(_modules_imported(path)) - {_name_of(path)}
        for source in SOURCES.values()
        for path in source.rglob("*.py")
    }


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


def test_the_local_aws_knows_nothing_of_what_is_built_on_it(arrows: dict[str, set[str]]) -> None:
    found = {
        module: {each for each in imported if each.startswith("sagemaker_serving")}
        for module, imported in arrows.items()
        if module.startswith("local_aws")
    }
    assert {module: imported for module, imported in found.items() if imported} == {}


def test_services_never_import_services(arrows: dict[str, set[str]]) -> None:
    found = [
        f"{module} imports {each}"
        for module, imported in arrows.items()
        for each in imported
        if _service(module) and _service(each) and _service(module) != _service(each)
    ]
    assert found == []


def test_what_others_may_import_of_the_local_aws_needs_the_standard_library_alone() -> None:
    code = (
        "import sys; from importlib import import_module\n"
        f"for name in {sorted(BASE)!r}: import_module(f'local_aws.{{name}}')\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules}"
        " - set(sys.stdlib_module_names) - {'local_aws', '__main__'}))"
    )
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": str(LOCAL_AWS.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


def test_what_those_who_call_aws_may_import_of_the_local_aws_needs_boto3_alone() -> None:
    code = (
        "import sys; from importlib import import_module\n"
        "import boto3, botocore.session\n"
        "before = set(sys.modules)\n"
        f"for name in {sorted(ON_BOTO3)!r}: import_module(f'local_aws.{{name}}')\n"
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "['local_aws']\n"


@pytest.mark.parametrize("folder", ["tools", "benchmarks", "stacks", "constructs", "local-aws"])
def test_what_is_no_test_imports_no_test(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / folder).rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] == "tests"
    ]
    assert found == []


@pytest.mark.parametrize("layer", BELOW)
def test_arrows_point_down_only(layer: str, arrows: dict[str, set[str]]) -> None:
    allowed = BASE | ON_BOTO3 if layer in CALLS_AWS else BASE
    upward = [
        f"{module} imports {each}"
        for module, imported in arrows.items()
        if module.startswith(f"sagemaker_serving.{layer}")
        for each in imported
        for package, room in [(*each.split("."), "")[:2]]
        if (package == "sagemaker_serving" and room in BELOW.keys() - BELOW[layer] - {layer})
        or (package == "local_aws" and room not in allowed and layer not in ON_TOP)
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


WRITTEN_OTHERWISE = {
    "archive/packing.py": "into the unfinished file that it is given",
    "archive/triton.py": "into a folder of the caller's that is gone afterwards",
    "archive/unpacking.py": "into a folder that only its caller knows",
    "cli/init/app.py": "folders, undone where it ends early; cdk.json, which makes it one, is last",
    "compiler/__main__.py": "into a folder that only its caller knows",
    "functions/neo_compilation/work.py": "into a pipe",
    "local_sagemaker/compilation_jobs/run.py": "logs, line by line, and a temporary folder",
    "local_sagemaker/containers/container.py": "a log, line by line",
    "local_sagemaker/models/archives.py": "into a folder that takes its place when it is whole",
    "local_sagemaker/transform_jobs/run.py": "a log, line by line",
    "model_server/mms/view.py": "into a container's folder that is gone afterwards",
    "model_server/process.py": "a log, line by line",
    "operations/traffic/files.py": "copies in a temporary folder",
    "operations/compiled.py": "into a folder that is gone afterwards",
}
"""Modules that write files by other means than `whole_files`, and why nothing half-made is kept."""


def test_what_is_kept_is_written_by_one_way_that_leaves_nothing_half_made() -> None:
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for text in [path.read_text(encoding="utf-8")]
        if any(word in text for word in ("open(", *_WRITING)) and list(_writes(ast.parse(text)))
    }
    assert found == set(WRITTEN_OTHERWISE)


def _writes(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that write a file which is not the unfinished one of `whole_files`."""
    unfinished = {
        item.optional_vars.id
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.optional_vars, ast.Name) and _calls(item.context_expr, _UNFINISHED)
    } | {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
        and any(_calls(part, _UNFINISHED) for part in ast.walk(node.value))
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        modes = [*node.args[:2], *(word.value for word in node.keywords if word.arg == "mode")]
        opened = _calls(node, {"open", "fdopen"}) and any(
            isinstance(mode, ast.Constant) and re.fullmatch("[wax]b?|r.?[+]", str(mode.value))
            for mode in modes
        )
        if not opened and not _calls(node, _WRITING):
            continue
        words = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        if not words & unfinished:
            yield node


_UNFINISHED = {"whole_file", "unfinished_folder"}
_WRITING = {"write_text", "write_bytes", "savefig", "copyfile", "copy2", "copytree", "mkstemp"}


def _calls(node: ast.AST, names: set[str]) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", None)
    return name in names


def test_functions_import_only_what_lambda_has() -> None:
    """What they share lies in their zip; of the answers all but the file of golden requests."""
    allowed = {*sys.stdlib_module_names, "boto3", "botocore", "__future__", "numpy"}
    shared = ("sagemaker_serving.functions.custom_resource", "sagemaker_serving.answers")
    found = [
        f"{path.relative_to(ROOT)} imports {name}"
        for folder in ("functions", "answers")
        for path in (PACKAGE / folder).rglob("*.py")
        for name in _imports(path)
        if name.split(".")[0] not in allowed
        and not name.startswith(shared)
        and path.name != "golden_file.py"
    ]
    assert found == []


def test_only_infra_imports_aws_cdk() -> None:
    found = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(name.split(".")[0] == "aws_cdk" for name in _imports(path))
    ]
    assert {Path(path).parts[0] for path in found} == {"infra"}


@pytest.mark.parametrize("source", [LOCAL_AWS, PACKAGE / "local_sagemaker"], ids=lambda at: at.name)
def test_no_arn_is_written_for_one_partition_alone(source: Path) -> None:
    found = [
        f"{path.relative_to(source)}:{node.lineno}"
        for path in source.rglob("*.py")
        for text in [path.read_text(encoding="utf-8")]
        if "arn:aws:" in text
        for tree in [ast.parse(text)]
        for node in set(ast.walk(tree)) - _documentation(tree)
        if isinstance(node, ast.Constant) and str(node.value).startswith("arn:aws:")
    ]
    assert found == []


RUN = "from sagemaker_serving.cli import main\ntry: main()\nexcept SystemExit: pass"


def test_the_command_line_starts_without_anything_heavy() -> None:
    code = f"sys.argv = ['x', 'check', 'environments/local.yaml']\n{RUN}"
    assert _loaded_by(code, "jsii", "aws_cdk", "boto3", "moto", "tensorflow") == "set()"


def test_what_deploys_to_the_local_aws_starts_without_the_emulator() -> None:
    """It asks the local AWS, which is another process; the emulator took a quarter of its time."""
    code = (
        "import local_aws.cli.deploy, local_aws.testing.apps, local_aws.process.cdk\n"
        f"sys.argv = ['x', 'local', 'deploy', 'local', '--state-dir', 'absent']\n{RUN}"
    )
    assert _loaded_by(code, "moto", "requests", "local_aws.context") == "set()"


def test_a_client_starts_without_the_types_of_environment_files() -> None:
    """They took a third of the time, and a function that predicts has no such file."""
    code = "from sagemaker_serving.client import Predictor, predictor_of"
    assert _loaded_by(code, "pydantic", "yaml", "sagemaker_serving.spec") == "set()"


def _loaded_by(code: str, *modules: str) -> str:
    """Which of the modules a new process has loaded at the code's end."""
    ended = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint({set(modules)} & set(sys.modules))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout.splitlines()[-1]


def test_importing_the_stacks_asks_node_for_nothing() -> None:
    """What is asked at an import, Node loads the code of, whether a stack needs it or not."""
    code = (
        "import aws_cdk, jsii._kernel.providers.process as node\n"
        "def refuse(_, request, *rest): raise AssertionError(request)\n"
        "node._NodeProcess.send = refuse\n"
        "import stacks"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_source_root_does_not_shadow_the_package_constructs() -> None:
    import constructs

    assert not (ROOT / "constructs" / "__init__.py").exists()
    assert constructs.__file__ is not None
    assert "site-packages" in constructs.__file__


@cache
def _import_statements(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """Of a file; parsing is what these tests take their time for."""
    parsed = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in parsed if isinstance(node, ast.Import | ast.ImportFrom)]


def _imports(path: Path) -> list[str]:
    """What a file imports from elsewhere; ruff keeps relative imports to its own folder."""
    names = []
    for node in _import_statements(path):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def _documentation(tree: ast.AST) -> set[ast.AST]:
    """What stands by itself: texts that say what something is."""
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}


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
    """The modules of both packages that a file imports, relative ones too."""
    package = _name_of(path).split(".") if path.name == "__init__.py" else _parents_of(path)
    for node in _import_statements(path):
        names: list[list[str]] = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level > 0 else []
            base = [*above, *([] if node.module is None else node.module.split("."))]
            names = [[*base, alias.name] for alias in node.names]
        yield from (_module(parts) for parts in names if parts[0] in SOURCES)


def _name_of(path: Path) -> str:
    """A file's module, dotted; a package's ``__init__`` is the package."""
    name = ".".join([*_parents_of(path), path.stem])
    return name.removesuffix(".__init__")


def _parents_of(path: Path) -> list[str]:
    package, source = next(each for each in SOURCES.items() if path.is_relative_to(each[1]))
    return [package, *path.relative_to(source).parent.parts]


def _path_of(parts: list[str]) -> Path:
    return SOURCES[parts[0]].joinpath(*parts[1:])


def _module(parts: list[str]) -> str:
    """The module where a name in dotted parts is to be found."""
    path = _path_of(parts)
    is_module = path.with_suffix(".py").exists() or path.is_dir()
    return ".".join(parts if is_module else parts[:-1])


def _folder(module: str) -> str:
    """Where a module lies: a package's ``__init__`` in itself, a distribution's own files each by
    itself."""
    parts = module.split(".")
    alone = _path_of(parts).is_dir() or len(parts) == 2
    return module if alone else ".".join(parts[:-1])


def _service(module: str) -> str:
    """``s3`` of ``local_aws.services.s3.policy``."""
    package, room, name, *_ = [*module.split("."), "", "", ""]
    return name if (package, room) == ("local_aws", "services") else ""
