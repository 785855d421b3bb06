"""What a script defines and imports, told without running it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.archive import Script, build_archive, read_contents
from sagemaker_serving.archive.handlers import read_script, script_of, script_variables
from tests.models import saved_model


def read(source: str) -> Script:
    return read_script(source.encode())


@pytest.mark.parametrize(
    ("definition", "fits", "refuses"),
    [
        ("def f(a, b): ...", [2], [0, 1, 3]),
        ("def f(a, b=1): ...", [1, 2], [0, 3]),
        ("def f(*args): ...", [0, 1, 2, 9], []),
        ("def f(a, /, b, *, c=1, **d): ...", [2], [1, 3]),
        ("def f(a, b, *, c): ...", [], [1, 2, 3]),
    ],
)
def test_how_a_function_can_be_called(definition: str, fits: list[int], refuses: list[int]) -> None:
    function = read(definition).functions["f"]
    assert all(function.takes(count) for count in fits)
    assert not any(function.takes(count) for count in refuses)


@pytest.mark.parametrize(
    "source",
    [
        "f = make()",
        "f: object = make()",
        "a, f = make()",
        "from x import f",
        "from x import g as f",
        "class f: ...",
        "async def f(): ...",
        "if True:\n  def f(): ...",
        "try:\n  pass\nexcept OSError:\n  def f(): ...",
        "with x:\n  def f(): ...",
    ],
)
def test_every_way_to_define_a_name_counts(source: str) -> None:
    assert read(source).defines("f")


@pytest.mark.parametrize(
    "source", ["def g():\n  def f(): ...", "f", "class g:\n  def f(self): ..."]
)
def test_what_is_not_at_the_top_does_not_count(source: str) -> None:
    assert not read(source).defines("f")


@pytest.mark.parametrize("source", ["from x import *", "globals().update(y)"])
def test_what_cannot_be_seen_is_open_ended(source: str) -> None:
    assert read(source).open_ended


def test_only_unconditional_imports_count() -> None:
    found = read(
        "import a.b, c\nfrom d.e import f\nfrom . import g\n"
        "try:\n  import h\nexcept ImportError:\n  import i\n"
        "try:\n  import j\nexcept ValueError: ...\n"
        "if TYPE_CHECKING:\n  import k\nif typing.TYPE_CHECKING:\n  import l\n"
        "def later():\n  import m\n"
    )
    assert found.imports == {"a": 1, "c": 1, "d": 2, "j": 9, "m": 16}


@pytest.mark.parametrize(
    "source",
    [b"def f(:", b"\xff\xfe", b"x = '\\d'\0", b"(" * 5000, b"if x:\n" * 200, b"-" * 100_000 + b"1"],
    ids=["syntax", "not utf-8", "nul", "deep", "indent", "long"],
)
def test_no_script_is_a_crash(source: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    assert read_script(source).error
    assert capfd.readouterr().err == ""


def test_nothing_of_the_handler_runs(tmp_path: Path) -> None:
    model = tmp_path / "model"
    (model / "m" / "1").mkdir(parents=True)
    (model / "m" / "1" / "saved_model.pb").write_bytes(saved_model())
    (model / "code").mkdir()
    (model / "code" / "inference.py").write_text(
        f"open({str(tmp_path / 'it-ran')!r}, 'w')\ndef input_handler(data, context): ...\n"
    )
    assert read_contents(model).script is not None
    build_archive(model, lambda sha256: tmp_path / "model.tar.gz")
    assert not (tmp_path / "it-ran").exists()


@pytest.mark.parametrize(
    ("framework", "program", "place", "script"),
    [
        ("pytorch", None, None, "code/inference.py"),
        ("pytorch", "serve.py", "s3://bucket/source.tar.gz", "code/serve.py"),
        ("pytorch", "", "", "code/inference.py"),
        ("huggingface", "inside.serve", None, "code/inside/serve.py"),
        ("tensorflow", "serve.py", "/opt/ml/model/src", "code/inference.py"),
        ("onnx", "serve.py", "/opt/ml/model/code/", "code/serve.py"),
        ("onnx", "serve.py", "s3://bucket/source.tar.gz", None),
    ],
)
def test_a_container_s_script_is_what_its_variables_name(
    framework: str, program: str | None, place: str | None, script: str | None
) -> None:
    given = {"SAGEMAKER_PROGRAM": program, "SAGEMAKER_SUBMIT_DIRECTORY": place}
    written = {name: text for name, text in given.items() if text is not None}
    assert script_of(framework, written) == script


@pytest.mark.parametrize(
    ("framework", "names", "program"),
    [
        ("pytorch", ["train.py", "utils.py"], "train.py"),
        ("pytorch", ["inference.py", "train.py"], None),
        ("pytorch", ["serve.py", "train.py"], None),
        ("pytorch", ["utils.py"], None),
        ("tensorflow", ["train.py"], None),
    ],
)
def test_the_only_script_with_the_toolkit_s_functions_is_named(
    framework: str, names: list[str], program: str | None
) -> None:
    used = read_script(b"def model_fn(model_dir): pass")
    scripts = {f"code/{name}": Script() if name == "utils.py" else used for name in names}
    wanted = {} if program is None else {"SAGEMAKER_PROGRAM": program}
    assert script_variables(framework, scripts) == wanted


def test_an_image_without_a_default_is_told_both_the_script_and_its_place() -> None:
    wanted = {
        "SAGEMAKER_PROGRAM": "inference.py",
        "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
    }
    assert script_variables("sklearn", {"code/inference.py": Script()}) == wanted
    assert script_of("sklearn", wanted) == "code/inference.py"
    assert script_of("sklearn", {"SAGEMAKER_PROGRAM": "inference.py"}) is None
    assert script_of("xgboost", {}) is None


def test_what_only_a_deploy_knows_names_no_script() -> None:
    assert script_of("pytorch", {"SAGEMAKER_PROGRAM": None}) is None
