"""Where everything goes: the table of docs/archives.md, run row by row; and what is refused."""

from __future__ import annotations

import re
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sagemaker_serving.archive import (
    Source,
    UnreadableArtifact,
    build_archive,
    contents_of,
    parse_source,
    read_contents,
    triton_plan,
)
from sagemaker_serving.archive.sources import Plan, plan
from sagemaker_serving.cli.package import package
from sagemaker_serving.errors import Mistake, Severity
from sagemaker_serving.rules.artifact_check import check_contents
from tests.models import (
    archive,
    frozen_graph,
    keras_file,
    keras_h5,
    onnx_model,
    saved_model,
    variables,
)

ROOT = Path(__file__).parents[2]
DOC = (ROOT / "docs" / "archives.md").read_text(encoding="utf-8")


def rows(page: str) -> list[tuple[str, str, str]]:
    """What one has, the arguments of ``package``, and the names in the archive."""
    row = r"^\| ([^|`]+) \| `([^`|]+)` \| (`[^|]+`) \|$"
    return re.findall(row, page, re.MULTILINE)


ROWS = rows(DOC)
HANDLER = b"def handler(data, context): ...\ndef model_fn(model_dir): ...\n"
ON_DISK: dict[str, bytes] = {
    "digits/saved_model.pb": saved_model(),
    **variables("digits"),
    "cats/1700000000/saved_model.pb": saved_model(),
    "job/export/Servo/7/saved_model.pb": saved_model(),
    "ready/half/1/saved_model.pb": saved_model(),
    "ready/code/inference.py": HANDLER,
    "ready/code/lib/helper.py": b"",
    "ready.tar.gz": archive({"half/1/saved_model.pb": saved_model()}),
    "code/inference.py": HANDLER,
    "code/requirements.txt": b"pandas\n",
    "frozen.pb": frozen_graph(),
    "text.pbtxt": b'node { name: "x" op: "Placeholder" }\nnode { name: "y" op: "Relu" input: "x" }',
    "choice.pb": frozen_graph(
        {"a": ("Placeholder", ()), "b": ("Placeholder", ()), "sum": ("Add", ("a", "b"))}
    ),
    "keras.keras": keras_file({"class_name": "Sequential"}),
    "keras-and-code/keras.keras": keras_file({"class_name": "Sequential"}),
    "keras-and-code/code/inference.py": HANDLER,
    "keras.h5": keras_h5({"class_name": "Sequential"}),
    "net-symbol.json": b"{}",
    "net-0000.params": b"-",
    "net.onnx": onnx_model([("Neg", ("x",), "y")], {"x": (1, (4,))}, {"y": (1, (4,))}),
    "xgboost-model": b"trees",
}


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in ON_DISK.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    with zipfile.ZipFile(tmp_path / "model.pth", "w") as traced:
        traced.writestr("model/constants.pkl", b"")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_table_was_found() -> None:
    assert len(ROWS) == 24


@pytest.mark.parametrize(
    ("what", "command", "shown"), ROWS, ids=[f"{n}-{row[0]}" for n, row in enumerate(ROWS)]
)
def test_the_accepted_inputs_of_the_documents(
    disk: Path, what: str, command: str, shown: str
) -> None:
    options = package.make_context("package", shlex.split(command)).params
    sources = [parse_source(source) for source in options["sources"]]
    given: list[Source] | Plan = sources
    if options["server"] == "triton":
        given = triton_plan(sources, disk)
    if options["server"] == "multi-model":
        given = plan(sources, versions_on_top=True)
    contents = contents_of(given, convert=not options["neo"])
    problems = check_contents(
        contents,
        command,
        framework=options["framework"],
        for_neo=options["neo"],
        multi_model=options["server"] == "multi-model",
    )
    assert [str(p) for p in problems if p.severity is Severity.ERROR] == []
    expected = set(re.findall(r"`([^`]+)`", shown))
    found = {name for name in contents.files if not name.endswith("data-00000-of-00001")}
    assert found == expected
    if not contents.converted:
        built = build_archive(
            given, lambda _: disk / "out" / "model.tar.gz", convert=not options["neo"]
        )
        assert read_contents(built.path) == contents
    if what.startswith("a right archive"):
        assert built.path.read_bytes() == ON_DISK["ready.tar.gz"]


def test_a_path_wins_over_a_name(disk: Path) -> None:
    (disk / "a=b").mkdir()
    assert parse_source("a=b") == Source(path=Path("a=b"))
    assert parse_source("a/2=digits") == Source(path=Path("digits"), name="a", version=2)


def test_a_list_in_an_environment_file_is_below_its_folder(disk: Path) -> None:
    (disk / "env").mkdir()
    given = [parse_source(text, disk / "env") for text in ("../digits", "m/3=../digits")]
    names = {entry.name.partition("/saved_model.pb")[0] for entry in plan(given).entries}
    assert {"digits/1", "m/3"} <= names


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["digits"], {"1/saved_model.pb"}),
        (["cats/1700000000", "code"], {"1700000000/saved_model.pb", "code/inference.py"}),
        (["ready"], {"1/saved_model.pb", "code/inference.py", "code/lib/helper.py"}),
        (["m/1=digits", "m/2=cats/1700000000"], {"1/saved_model.pb", "2/saved_model.pb"}),
        (["keras.keras"], {"1/saved_model.pb"}),
        (["digits", "cats"], {"digits/1/saved_model.pb", "cats/1700000000/saved_model.pb"}),
        (["net.onnx"], {"net.onnx"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_the_versions_of_one_model_of_many_lie_on_top(
    disk: Path, sources: list[str], names: set[str]
) -> None:
    given = [parse_source(source) for source in sources]
    found = contents_of(plan(given, versions_on_top=True))
    assert {
        name for name in found.files if "variables" not in name and "require" not in name
    } == names
    alone = contents_of(plan(given))
    assert len(alone.files) == len(found.files), "and nothing is left out"


def test_where_the_versions_lie_is_part_of_an_archives_identity(disk: Path) -> None:
    def built(*, on_top: bool) -> str:
        planned = plan(Path("digits"), versions_on_top=on_top)
        return build_archive(planned, lambda sha256: disk / "out" / f"{sha256}.tar.gz").sha256

    assert built(on_top=True) == built(on_top=True) != built(on_top=False)


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        ([], "there is nothing to pack; give a model's file or folder"),
        (["gone"], "there is nothing at gone"),
        (["https://example.org/m.keras"], "m.keras is an address; download it, and give the file"),
        (["/dev/null"], "/dev/null is no file and no folder; give a model's"),
        (["digits", "digits"], "'digits/1/saved_model.pb' in the archive"),
        (["digits", "ready.tar.gz"], "ready.tar.gz cannot stand beside other sources"),
        (["digits/saved_model.pb"], "is part of a SavedModel; give its folder, digits"),
        (
            ["m=code"],
            "neither the folder nor a version folder such as 1/ in it holds saved_model.pb",
        ),
        (["m/2=cats"], "the folder has versions of its own; give m=cats"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_laid_out_is_named(disk: Path, sources: list[str], said: str) -> None:
    with pytest.raises(Mistake, match=re.escape(said)):
        contents_of([parse_source(source) for source in sources])


def test_neo_gets_the_graph_alone_of_what_is_named_as_one(tmp_path: Path) -> None:
    (tmp_path / "variables").mkdir()
    for name in ("saved_model.pb", "fingerprint.pb", "keras_metadata.pb", "variables/v.index"):
        (tmp_path / name).write_bytes(b"x")

    def packed(*, convert: bool) -> set[str]:
        return {
            entry.name.rpartition("/")[2] for entry in plan([tmp_path], convert=convert).entries
        }

    assert packed(convert=False) == {"saved_model.pb", "v.index"}
    assert packed(convert=True) == {
        *("saved_model.pb", "fingerprint.pb", "keras_metadata.pb", "v.index"),
    }


def test_a_graph_with_a_choice_is_asked_about(disk: Path) -> None:
    with pytest.raises(
        Mistake, match=r"2 possible inputs: a, b; say which: init takes --input NAME"
    ):
        build_archive([Source(path=Path("choice.pb"))], lambda _: disk / "model.tar.gz")
    assert not (disk / "model.tar.gz").exists()


def test_without_tensorflow_a_conversion_says_what_to_install(
    disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Callable[[str], None] = lambda _: None  # noqa: E731
    monkeypatch.setattr("importlib.util.find_spec", nothing)
    with pytest.raises(Mistake, match=r"pip install 'sagemaker-serving\[tensorflow\]'"):
        build_archive(Path("keras.keras"), lambda _: disk / "model.tar.gz")


def test_a_name_that_is_not_utf_8_is_refused(disk: Path) -> None:
    (disk / "digits" / "caf\udce9").write_bytes(b"")
    with pytest.raises(UnreadableArtifact, match="is not UTF-8; rename the file"):
        contents_of([Path("digits")])
