from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from sagemaker_serving.archive import UnreadableArtifact, read_contents
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.model_server.discovery import Code, find_models, model_config
from sagemaker_serving.model_server.modeldir import open_model
from sagemaker_serving.model_server.programs import program_of


def saved_model(folder: Path, *versions: str) -> None:
    for version in versions:
        (folder / version).mkdir(parents=True)
        (folder / version / "saved_model.pb").touch()


def test_a_model_is_named_after_the_folder_of_its_versions(tmp_path: Path) -> None:
    saved_model(tmp_path / "export" / "half_plus_three", "00000123", "5")
    (model,) = find_models(tmp_path)
    assert model.name == "half_plus_three"
    assert list(model.versions) == [5, 123]
    assert model.versions[123].name == "00000123"


def test_versions_at_the_top_belong_to_a_model_named_model(tmp_path: Path) -> None:
    saved_model(tmp_path, "1")
    (model,) = find_models(tmp_path)
    assert model.name == "model"


def test_folders_that_are_no_number_hold_no_version(tmp_path: Path) -> None:
    saved_model(tmp_path / "m", ".00000111", "v1")
    saved_model(tmp_path / "good", "1")
    assert [model.name for model in find_models(tmp_path)] == ["good"]


def test_a_saved_model_at_the_very_top_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "7"
    folder.mkdir()
    (folder / "saved_model.pb").touch()
    with pytest.raises(Mistake, match=r"^no SavedModel bundles found! .* must hold <model name>/"):
        find_models(folder)


def test_two_models_of_one_name_are_refused(tmp_path: Path) -> None:
    saved_model(tmp_path / "a" / "m", "1")
    saved_model(tmp_path / "b" / "m", "1")
    with pytest.raises(Mistake, match="Illegal to list model m multiple times"):
        find_models(tmp_path)


def test_the_model_configuration_names_every_version(tmp_path: Path) -> None:
    saved_model(tmp_path / "m", "1", "02")
    assert model_config(find_models(tmp_path)) == (
        "model_config_list: {\n  config: {\n    name: 'm'\n"
        f"    base_path: '{tmp_path / 'm'}'\n"
        "    model_platform: 'tensorflow'\n    model_version_policy: {\n      specific: {\n"
        "        versions: 1\n        versions: 2\n      }\n    }\n  }\n}"
    )


def test_code_has_what_lies_in_its_folder(tmp_path: Path) -> None:
    assert not Code(tmp_path / "code").has_any(["inference.py", "lib"])
    (tmp_path / "code" / "lib").mkdir(parents=True)
    assert Code(tmp_path / "code").has_any(["inference.py", "lib"])
    assert not Code(tmp_path / "code").has_any(["inference.py"])


def archive(path: Path, *members: str) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name in members:
            member = tarfile.TarInfo(name)
            member.size = 3
            tar.addfile(member, io.BytesIO(b"abc"))
    return path


def test_an_archive_is_unpacked_into_the_scratch_folder(tmp_path: Path) -> None:
    folder = open_model(archive(tmp_path / "model.tar.gz", "m/1/saved_model.pb"), tmp_path)
    assert folder.is_relative_to(tmp_path)
    assert (folder / "m" / "1" / "saved_model.pb").read_bytes() == b"abc"


@pytest.mark.parametrize("member", ["../../outside", "/m/1/saved_model.pb"])
def test_an_archive_that_leads_out_of_the_folder_is_refused(tmp_path: Path, member: str) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with pytest.raises(UnreadableArtifact, match="in the archive"):
        open_model(archive(tmp_path / "evil.tar.gz", member), scratch)
    assert not (tmp_path / "outside").exists()


def test_a_file_that_is_no_archive_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    path.write_text("weights")
    with pytest.raises(UnreadableArtifact, match=r"model\.h5"):
        open_model(path, tmp_path)


def test_nothing_at_the_path_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nowhere does not exist"):
        open_model(tmp_path / "nowhere", tmp_path)


MODEL_FN = "def model_fn(model_dir): pass\n"
HANDLER = "def handler(data, context): pass\n"
PREPROCESS = "def neo_preprocess(payload, content_type): pass\n"


@pytest.mark.parametrize(
    ("files", "program"),
    [
        ({"m/1/saved_model.pb": ""}, "tensorflow"),
        ({"m/1/saved_model.pb": "", "code/inference.py": HANDLER}, "tensorflow"),
        (
            {"m/1/saved_model.pb": "", "weights.pth": "", "code/inference.py": MODEL_FN},
            "tensorflow",
        ),
        ({"model.pth": ""}, "pytorch"),
        ({"model.pt": "", "code/inference.py": HANDLER}, "pytorch"),
        ({"weights.bin": "", "code/inference.py": MODEL_FN}, "pytorch"),
        ({"code/inference.py": "def transform_fn(m, d, c, a): pass\n"}, "pytorch"),
        ({"model.onnx": "", "code/inference.py": PREPROCESS}, "neo-onnx"),
        ({"model.onnx": ""}, "tensorflow"),
        ({"m/1/model.onnx": ""}, "triton"),
        ({"m/config.pbtxt": "", "m/1/model.py": ""}, "triton"),
        ({"README": "nothing"}, "tensorflow"),
    ],
)
def test_files_and_functions_tell_the_program(
    tmp_path: Path, files: dict[str, str], program: str
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert program_of(read_contents(tmp_path)) == program


def test_the_script_that_a_variable_names_tells_the_program(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "entry.py").write_text(MODEL_FN)
    contents = read_contents(tmp_path)
    assert program_of(contents) == "tensorflow"
    assert program_of(contents, {"SAGEMAKER_PROGRAM": "entry.py"}) == "pytorch"
