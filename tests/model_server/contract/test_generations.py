"""Which contract a version has, and what of it is no request."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sagemaker_serving.archive.image_modules import image_modules
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.generations import Generation, generation_of, is_uncertain
from sagemaker_serving.model_server.plan import make_plan
from sagemaker_serving.model_server.settings import read_settings

A, B1, B2, C = Generation


@pytest.mark.parametrize(
    ("version", "generation"),
    [
        ("1.11", A),
        ("1.15", A),
        ("1.15.2", A),
        ("2.0", A),
        ("2.0.4", A),
        ("2.1", B1),
        ("2.8", B1),
        ("2.8.4", B1),
        ("2.9", B2),
        ("2.12", B2),
        ("2.19", B2),
        ("2.19.0", B2),
        ("2.20", C),
        ("2.20.1", C),
        ("3.0", C),
        (None, C),
    ],
)
def test_a_framework_version_has_a_generation(version: str | None, generation: Generation) -> None:
    assert generation_of(version) is generation


@pytest.mark.parametrize("version", ["latest", "2", "2.19-cpu", "", "\uff12.19"])
def test_a_container_version_that_is_none_is_a_mistake(version: str) -> None:
    with pytest.raises(Mistake, match=f"^container version is '{version}'; it must be a "):
        generation_of(version)


@pytest.mark.parametrize(
    ("version", "uncertain"),
    [(None, False), ("2.8", False), ("2.9", True), ("2.11.1", True), ("2.12", False)],
)
def test_images_alive_while_the_contract_changed_are_uncertain(
    version: str | None, uncertain: bool
) -> None:
    assert is_uncertain(version) is uncertain


@pytest.mark.parametrize(
    ("generation", "instances", "seconds"),
    [(A, 1, 300), (A, 4, 300), (B1, 1, 300), (B2, 1, 55), (B2, 2, 27), (C, 1, 60), (C, 2, 60)],
)
def test_how_long_a_model_may_take_to_load(
    generation: Generation, instances: int, seconds: int
) -> None:
    environ = {"SAGEMAKER_TFS_INSTANCE_COUNT": str(instances)}
    contract = CONTRACTS[generation]
    assert contract.wait_time(read_settings(environ)) == seconds
    environ["SAGEMAKER_TFS_WAIT_TIME_SECONDS"] = "7"
    assert contract.wait_time(read_settings(environ)) == 7


def test_the_page_on_the_contract_has_the_figures_of_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "container-contract.md").read_text("utf-8")
    (row,) = re.findall(r"^\| seconds a model may take to load \| (.*) \|$", page, re.MULTILINE)
    seconds = [int(cell.split(",")[0]) for cell in row.split(" | ")]
    assert seconds == [CONTRACTS[generation].wait_seconds(1) for generation in Generation]
    assert re.findall(r"^\| .* \| (A|B1|B2|C) \|", page, re.MULTILINE) == list(Generation)


def model(folder: Path, *code: str) -> Path:
    (folder / "m" / "1").mkdir(parents=True)
    (folder / "m" / "1" / "saved_model.pb").touch()
    for name in code:
        path = folder / "code" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


@pytest.mark.parametrize(
    ("code", "always", "since_b2"),
    [
        ((), False, False),
        (("helper.py",), False, False),
        (("inference.py",), True, True),
        (("inference.py", "lib/x.py"), True, True),
        (("requirements.txt",), False, True),
        (("lib/x.py",), False, True),
    ],
)
def test_what_in_code_starts_the_python_service(
    tmp_path: Path, code: tuple[str, ...], always: bool, since_b2: bool
) -> None:
    folder = model(tmp_path, *code)
    wants = {
        version: make_plan(folder, tmp_path, {}, version).wants_worker
        for version in ("2.0", "2.8", "2.19", "2.20")
    }
    assert wants == {"2.0": always, "2.8": always, "2.19": since_b2, "2.20": since_b2}


@pytest.mark.parametrize(
    ("version", "lines"),
    [
        (None, []),
        ("2.20", []),
        ("2.19", ["container version 2.19: contract of generation B2"]),
        (
            "2.10",
            [
                "container version 2.10: contract of generation B2",
                "images of version 2.10 may have been built before generation B2",
            ],
        ),
    ],
)
def test_the_log_names_a_generation_that_is_not_today_s(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, version: str | None, lines: list[str]
) -> None:
    with caplog.at_level(logging.INFO):
        make_plan(model(tmp_path), tmp_path, {}, version)
    said = [record.getMessage() for record in caplog.records]
    about = [line for line in said if "generation" in line]
    assert len(about) == len(lines)
    assert all(line.startswith(start) for line, start in zip(about, lines, strict=True))


def test_code_that_an_old_image_ignores_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make_plan(model(tmp_path, "requirements.txt"), tmp_path, {}, "2.8")
    assert "has no inference.py, and so this version's image ignores it" in caplog.text


IMPORT = """
import logging
import sys
from sagemaker_serving.model_server.handler.imports import import_as_the_image
logging.basicConfig(format="%(message)s", stream=sys.stdout)
version, name, *paths = sys.argv[1:]
sys.path[:0] = paths
import_as_the_image(version, paths)
for each in name.split(","):
    try:
        __import__(each)
    except ModuleNotFoundError as error:
        print(error)
"""


def imported(*arguments: str) -> str:
    command = [sys.executable, "-c", IMPORT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def absent(name: str, package: str) -> str:
    return (
        f"the code imports {name}, which the image has not: put into code/requirements.txt "
        f"{package}\nNo module named '{name}'"
    )


AWSCLI = (
    "the code imports awscli, which the image has and this machine has not: pip install "
    "awscli\nNo module named 'awscli'"
)


@pytest.mark.parametrize(
    ("version", "here", "not_here"),
    [
        ("2.20", ("numpy", "sklearn", "joblib"),
         {"PIL": "pillow", "psutil": "psutil", "tensorflow": "tensorflow-cpu",
          "setuptools": "setuptools", "imp": "imp"}),
        ("2.19", ("packaging", "sqlite3", "grpc"), {"numpy": "numpy", "sklearn": "scikit-learn"}),
        ("2.9", (), {"tomllib": "tomllib"}),
        ("2.8", ("charset_normalizer",), {}),
        ("1.12", (), {"yaml": "pyyaml"}),
        ("1.13", ("yaml",), {}),
    ],
)  # fmt: skip
def test_code_imports_what_its_image_has(
    version: str, here: tuple[str, ...], not_here: dict[str, str]
) -> None:
    said = imported(version, ",".join([*not_here, *here]))
    assert said == "\n".join(absent(*each) for each in not_here.items())


def test_what_the_image_has_and_this_machine_has_not_is_said() -> None:
    assert imported("2.19", "awscli") == AWSCLI


def test_a_package_that_the_user_brings_is_there(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("")
    assert imported("2.0", "numpy", str(tmp_path)) == ""


def test_what_this_machine_s_packages_need_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import sklearn.linear_model, pandas_like")
    (tmp_path / "pandas_like.py").write_text("")
    assert imported("2.20", "mine", str(tmp_path)) == ""


def test_what_the_user_s_package_imports_is_judged_too(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import PIL")
    assert imported("2.20", "mine", str(tmp_path)) == absent("PIL", "pillow")


ASKING = """
import importlib
import importlib.metadata as metadata
import importlib.resources
import json
import pickle
import pkgutil
import sys

sys.path.insert(0, __file__.replace("asking.py", "later"))
import brought.inner
import by_path
import spread.one
import spread.two


def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


brought.COUNT += 1
print(json.dumps({
    "versions": [version("Brought_Package"), version("requests") is not None, version("pytest")],
    "listed": [
        each.name
        for each in metadata.distributions()
        if each.name in ("brought-package", "requests", "pytest", "tensorflow-cpu")
    ],
    "files": [str(path) for path in metadata.files("brought-package") if path.suffix == ".txt"],
    "entry point": metadata.entry_points(group="brought")["own"].load()(),
    "another's": len(metadata.entry_points(group="pytest11")),
    "resource": importlib.resources.files("brought").joinpath("data.txt").read_text(),
    "modules": [found.name for found in pkgutil.walk_packages(brought.__path__, "brought.")],
    "namespace": spread.one.NAME + spread.two.NAME,
    "reloaded": importlib.reload(brought).COUNT,
    "found": [
        importlib.util.find_spec(name) is not None
        for name in ("brought.inner", "brought.no", "PIL")
    ],
    "by name": pkgutil.resolve_name("brought.inner:say")(),
    "unpickled": pickle.loads(pickle.dumps(brought.inner.say))(),
    "by path": by_path.NAME,
}))
"""


def test_a_package_that_the_user_brings_is_found_in_every_way_that_python_has(
    tmp_path: Path,
) -> None:
    """What Python's documentation of importlib and importlib.metadata names, each once."""
    code, lib, installed = tmp_path / "code", tmp_path / "code" / "lib", tmp_path / "packages"
    files = {
        lib / "brought" / "__init__.py": "COUNT = 1",
        lib / "brought" / "inner.py": "def say(): return 'said'",
        lib / "brought" / "data.txt": "data",
        lib / "brought_package-1.2.dist-info" / "METADATA": "Name: brought-package\nVersion: 1.2",
        lib / "brought_package-1.2.dist-info" / "RECORD": "brought/data.txt,,",
        lib / "brought_package-1.2.dist-info" / "entry_points.txt": (
            "[brought]\nown = brought.inner:say"
        ),
        lib / "spread" / "one.py": "NAME = 'one'",
        installed / "spread" / "two.py": "NAME = 'two'",
        code / "later" / "by_path.py": "NAME = 'later'",
        code / "asking.py": ASKING,
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    *_, told = imported("2.20", "asking", str(code), str(lib), str(installed)).splitlines()
    assert json.loads(told) == {
        "versions": ["1.2", True, None],
        "listed": ["brought-package", "requests"],
        "files": ["brought/data.txt"],
        "entry point": "said",
        "another's": 0,
        "resource": "data",
        "modules": ["brought.inner"],
        "namespace": "onetwo",
        "reloaded": 1,
        "found": [True, False, False],
        "by name": "said",
        "unpickled": "said",
        "by path": "later",
    }


def test_an_installed_package_tries_what_it_can_do_without_in_silence(tmp_path: Path) -> None:
    (tmp_path / "some-1.dist-info").mkdir()
    (tmp_path / "some.py").write_text("try: import PIL\nexcept ImportError: pass")
    assert imported("2.20", "some", str(tmp_path)) == ""


@pytest.mark.parametrize("version", ["1.11", "1.13", "1.15", "2.2", "2.8", "2.10", "2.19", "2.20"])
def test_every_module_of_an_image_has_a_package(version: str) -> None:
    modules = image_modules(version)
    assert {"falcon", "gunicorn", "gevent", "grpc", "requests", "tensorflow_serving"} <= set(
        modules
    )
    assert "tensorflow" not in modules
    assert all(modules.values())
