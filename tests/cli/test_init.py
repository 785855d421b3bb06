"""init, as a shell sees it: a model on disk becomes a file that passes check."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving import __version__
from tests.models import archive, frozen_graph, onnx_model, saved_model
from tests.today import TODAY

Run = Callable[..., Any]
ROOT = Path(__file__).parents[2]
FLOAT = 1
INIT = ("init", "--region", "eu-west-1", "--today", str(TODAY))
ONNX = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, (None, 2))}, {"y": (FLOAT, (None, 2))})
HANDLER = b"def model_fn(folder): ...\ndef predict_fn(data, model): ...\n"
POINTER = b"version https://git-lfs.github.com/spec/v1\nsize 9\n"
MLMODEL = b"flavors: {sklearn: {pickled_model: a.skops, serialization_format: skops}}"
VERSION = archive({"1/saved_model.pb": saved_model()})
JOB = archive({"model.pth": b"weights", "code/inference.py": HANDLER})
PRETRAINED = {
    f"bert/{name}": b"{}" for name in ("config.json", "pytorch_model.bin", "tokenizer.json")
}
SERVED = [
    ({"digits/1/saved_model.pb": saved_model()}, "digits", "tensorflow", "digits"),
    ({"exports/cats/17/saved_model.pb": saved_model()}, "exports/cats", "tensorflow", "cats"),
    ({"cats/export/Servo/7/saved_model.pb": saved_model()}, "cats", "tensorflow", "cats"),
    ({"job/model.tar.gz": VERSION}, "job/model.tar.gz", "tensorflow", "job"),
    ({"Big Net.onnx": ONNX}, "Big Net.onnx", "sagemaker-tritonserver", "Big-Net"),
    ({"net.tar.gz": archive({"net.onnx": ONNX})}, "net.tar.gz", "sagemaker-tritonserver", "net"),
    ({"m/model.pth": b"weights", "m/code/inference.py": HANDLER}, "m", "ray-serve", "m"),
    ({"out.tar.gz": JOB}, "out.tar.gz", "ray-serve", "out"),
    ({"xgboost-model": b"trees"}, "xgboost-model", "xgboost", "xgboost-model"),
    ({"xgb.json": b'{"learner": {}}'}, "xgb.json", "xgboost", "xgb"),
    ({"größe é.ubj": b"{L"}, "größe é.ubj", "xgboost", "grosse-e"),
    ({"m/模型.ubj": b"{L"}, "m/模型.ubj", "xgboost", "m"),
    (PRETRAINED, "bert", "huggingface", "bert"),
]  # fmt: skip


def plant(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def file_of(folder: Path, name: str = "dev") -> Any:
    return yaml.safe_load((folder / "environments" / f"{name}.yaml").read_text())


@pytest.mark.parametrize(("files", "model", "framework", "name"), SERVED, ids=lambda v: str(v)[:30])
def test_every_kind_of_model_gets_a_file_that_passes_check(
    run: Run, tmp_path: Path, files: dict[str, bytes], model: str, framework: str, name: str
) -> None:
    plant(tmp_path, files)
    ended = run(*INIT, "--model", model)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"sagemaker-serving predict dev-{name} " in ended.stdout
    (written,) = file_of(tmp_path)["models"].items()
    assert (written[0], written[1]["framework"]) == (name, framework)
    checked = run("check", "environments/dev.yaml", "--today", str(TODAY))
    assert (checked.returncode, checked.stdout) == (0, "1 file: nothing is wrong\n")


def test_a_file_stands_in_it_as_the_user_wrote_its_name(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, {"größe é.ubj": b"{L"})
    run(*INIT, "--model", "größe é.ubj")
    text = (tmp_path / "environments" / "dev.yaml").read_text(encoding="utf-8")
    assert "    artifact: ../größe é.ubj  " in text


def test_the_row_that_it_proposes_to_xgboost_is_as_long_as_the_models(
    run: Run, tmp_path: Path
) -> None:
    plant(tmp_path, {"xgb.json": b'{"learner":{"num_feature":"3"}}', "old.ubj": b"{L"})
    asked = run(*INIT, "--model", "xgb.json").stdout
    assert "predict dev-xgb '0.0,0.0,0.0' --content-type text/csv --local\n" in asked
    asked = run(*INIT, "--model", "old.ubj", "--name", "old").stdout
    assert "'0.0,0.0' --content-type text/csv --local   # a row needs a number for each" in asked


@pytest.mark.skipif(find_spec("transformers") is not None, reason="transformers is here")
def test_a_package_of_the_user_s_own_that_serves_the_model_here_is_said(
    run: Run, tmp_path: Path
) -> None:
    plant(tmp_path, PRETRAINED)
    told = run(*INIT, "--model", "bert").stdout
    assert "\n  pip install transformers\n" in told
    assert "\n  sagemaker-serving local up\n" in told
    assert told.rstrip().endswith("""predict dev-bert '{"inputs": "a text"}' --local""")


@pytest.mark.skipif(find_spec("ray") is not None, reason="ray is here, so that nothing is missing")
def test_what_serves_the_model_here_and_is_not_installed_is_said(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, {"m/model.pth": b"weights", "m/code/inference.py": HANDLER})
    ended = run(*INIT, "--model", "m")
    assert "  pip install 'sagemaker-serving[ray,torch]'\n" in ended.stdout


def test_a_model_that_parses_serialized_examples_gets_no_request_of_plain_text(
    run: Run, tmp_path: Path
) -> None:
    model = saved_model({"examples": ("string", (None,))}, ops=["ParseExampleV2"])
    plant(tmp_path, {"m/1/saved_model.pb": model})
    ended = run(*INIT, "--model", "m")
    assert "predict dev-m --file REQUEST --local" in ended.stdout
    assert "serialized tf.train.Example" in (tmp_path / "environments/dev.yaml").read_text()


@pytest.mark.parametrize(("type_spec", "asked"), [(3, "--file REQUEST"), (8, "'{")])
def test_a_model_of_ragged_tensors_gets_no_request_of_one_row(
    run: Run, tmp_path: Path, type_spec: int, asked: str
) -> None:
    parts = {"x": ("int64", (None,)), "x_1": ("int64", (None,))}
    plant(tmp_path, {"m/1/saved_model.pb": saved_model(parts, type_spec=type_spec)})
    ended = run(*INIT, "--model", "m")
    assert f"predict dev-m {asked}" in ended.stdout
    told = "takes ragged or sparse tensors in parts"
    assert (told in (tmp_path / "environments/dev.yaml").read_text()) is (type_spec == 3)
    assert (told in run("inspect", "m").stdout) is (type_spec == 3)


def test_a_graph_that_parses_examples_for_others_than_its_default_signature_gets_its_request(
    run: Run, tmp_path: Path
) -> None:
    model = saved_model({"x": ("float32", (None, 2))}, ops=["ParseExampleV2"])
    plant(tmp_path, {"m/1/saved_model.pb": model})
    ended = run(*INIT, "--model", "m")
    assert """predict dev-m '{"instances": [[0.0, 0.0]]}' --local""" in ended.stdout
    assert "tf.train.Example" not in (tmp_path / "environments/dev.yaml").read_text()


def test_each_line_that_is_commented_out_can_be_taken_in(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, SERVED[0][0])
    assert run(*INIT, "--model", "digits").returncode == 0
    path = tmp_path / "environments" / "dev.yaml"
    lines = path.read_text().splitlines()
    offered = [n for n, line in enumerate(lines) if ": " in line and line.lstrip().startswith("# ")]
    taken = [
        n for n in offered if not lines[n].startswith(("# yaml", "# Written", "    # It takes"))
    ]
    assert len(taken) == 6
    for number in taken[1:]:  # production demands bounds, too
        path.write_text(
            "\n".join([*lines[:number], lines[number].replace("# ", "", 1), *lines[number + 1 :]])
        )
        checked = run("check", "environments/dev.yaml", "--today", str(TODAY))
        assert checked.stdout == "1 file: nothing is wrong\n"


def test_an_archive_that_tells_no_framework_is_served_as_one_says(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, {"forest/model.joblib": b"trees"})
    ended = run(*INIT, "--model", "forest")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert 'return joblib.load(os.path.join(model_dir, "model.joblib"))' in ended.stderr
    plant(tmp_path, {"forest/code/inference.py": b"  " + HANDLER})
    ended = run(*INIT, "--model", "forest")
    assert "forest: code/inference.py line 1 does not parse: unexpected indent" in ended.stderr
    plant(tmp_path, {"forest/code/inference.py": HANDLER})
    ended = run(*INIT, "--model", "forest")
    assert (ended.returncode, ended.stderr) == (0, "")
    model = file_of(tmp_path)["models"]["forest"]
    assert model["environment"]["SAGEMAKER_PROGRAM"] == "inference.py"
    assert "predict dev-forest '[[0.0, 0.0]]' --local   # a row needs a number for" in ended.stdout


def test_it_says_where_a_stub_makes_the_answers_up(run: Run, tmp_path: Path) -> None:
    names = ("model-symbol.json", "model-0000.params", "model-shapes.json")
    files = {f"net/{name}": b"{}" for name in names}
    plant(tmp_path, {**files, "net/code/inference.py": HANDLER})
    told = run(*INIT, "--model", "net").stdout
    assert "local up --engine mxnet-inference=stub" in told
    assert told.rstrip().endswith("nothing here runs this image: a stub makes its answers up")


def test_a_script_of_another_name_is_named_to_the_image(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, {"net/model.pth": b"weights", "net/code/train.py": HANDLER})
    ended = run(*INIT, "--model", "net", "--framework", "pytorch")
    assert ended.returncode == 0, ended.stderr
    assert file_of(tmp_path)["models"]["net"]["environment"] == {"SAGEMAKER_PROGRAM": "train.py"}


MISTAKES: list[tuple[tuple[str, ...], str]] = [
    (("init",), "--model and --region must be given; there is no terminal to ask on"),
    (("init", "--model", "digits", "--yes"), "--region must be given; --yes asks nothing"),
    (("init", "--model", "nowhere", "--yes"), "there is nothing at nowhere"),
    ((*INIT, "--model", "gone"), "there is nothing at gone"),
    ((*INIT, "--model", "s3://bucket/model.tar.gz"), "init looks into a model on this machine"),
    ((*INIT, "--model", "model.joblib"), "move it into model/, and write model/code/inference.py:"),
    ((*INIT, "--model", "notes"), "notes is no model of a kind that is known"),
    ((*INIT, "--model", "trees.txt"), "lightgbm.Booster(model_file="),
    ((*INIT, "--model", "flow"), "mlflow.pyfunc.load_model(model_dir)"),
    ((*INIT, "--model", "state.pt"), "state.pt is not TorchScript and there is no model_fn"),
    ((*INIT, "--model", "two.pb"), "2 possible inputs: a, b; say which: init takes --input NAME"),
    ((*INIT, "--model", "neo"), "is what SageMaker Neo has compiled; give the model as it was"),
    ((*INIT, "--model", "digits", "--name", "../x"), "name is '../x'; an environment's name has"),
    ((*INIT, "--model", "digits", "--framework", "tensorflw"), "did you mean 'tensorflow'"),
    ((*INIT, "--model", "digits", "--instance-type", "ml.c5.lage"), "did you mean ml.c5.large"),
    ((*INIT, "--model", "digits", "--instance-type", "ml.t3.medium"), "use ml.t2.medium"),
    (
        (*INIT, "--model", "many"),
        "serves one; there is:\n  many/net.onnx (onnx)\n  many/saved (ten",
    ),
    ((*INIT, "--model", "beside"), "name it: sagemaker-serving init --model beside/half.pb; or"),
    ((*INIT, "--model", "digits", "--output", "y"), "digits is no frozen graph, of which --input"),
    ((*INIT, "--model", "own.skops"), 'return skops.io.load(os.path.join(model_dir, "own.skops"))'),
    (
        (*INIT, "--model", "skops/a.skops"),
        "write skops/code/inference.py:\n\nimport skops.io\n",
    ),
    (
        (*INIT, "--model", "skops"),
        "what it needs: skops\nthen: sagemaker-serving init --model skops",
    ),
    ((*INIT, "--model", "empty.onnx"), "empty.onnx is empty (0 bytes), as a copy that broke off"),
    ((*INIT, "--model", "empty.pkl"), "empty.pkl is empty (0 bytes), as a copy that broke off"),
    ((*INIT, "--model", "lfs.pkl"), "lfs.pkl is a pointer of Git LFS, and `git lfs pull` gets"),
    ((*INIT, "--model", "lfs"), "in lfs m.pt is damaged: it is a pointer of Git LFS"),
    ((*INIT, "--model", "dvc.pkl"), "nothing at dvc.pkl but DVC's note of it; `dvc pull dvc.pkl.d"),
    (("init", "--model", "digits", "--region", "eu-west-11"), "did you mean eu-west-1"),
]


@pytest.mark.parametrize(("command", "said"), MISTAKES, ids=lambda value: " ".join(value)[-40:])
def test_a_mistake_writes_nothing(
    run: Run, tmp_path: Path, command: tuple[str, ...], said: str
) -> None:
    both = frozen_graph(
        {"a": ("Placeholder", ()), "b": ("Placeholder", ()), "sum": ("Add", ("a", "b"))}
    )
    files = {
        **SERVED[0][0],
        "state.pt": b"weights",
        "two.pb": both,
        "model.joblib": b"trees",
        "notes": b"-",
        "empty.onnx": b"",
        "empty.pkl": b"",
        "lfs.pkl": POINTER,
        "lfs/m.pt": POINTER,
        "dvc.pkl.dvc": b"outs: []",
        "many/net.onnx": ONNX,
        "many/saved/saved_model.pb": saved_model(),
        "beside/half.pb": frozen_graph(),
        "beside/notes.txt": b"-",
        "own.skops": b"PK\3\4",
        "skops/MLmodel": MLMODEL,
        "skops/a.skops": b"PK\3\4",
    }
    files |= {"trees.txt": b"tree\nversion=v4\n", "flow/MLmodel": b"", "flow/a.pth": b"-"}
    plant(tmp_path, {**files, "neo/compiled.params": b"-", "neo/compiled_model.json": b"-"})
    before = sorted(tmp_path.iterdir())
    (tmp_path / ".cache").mkdir()  # a verdict that took long is kept there
    ended = run(*command)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert sorted({*tmp_path.iterdir()} - {tmp_path / ".cache"}) == before


def test_a_file_that_exists_is_kept_unless_one_says_so(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, SERVED[0][0])
    path = tmp_path / "environments" / "dev.yaml"
    plant(tmp_path, {"environments/dev.yaml": b"mine"})
    ended = run(*INIT, "--model", "digits", "--yes")
    assert ended.returncode == 2
    assert "exists; --force replaces it, --name NAME writes another" in ended.stderr
    assert path.read_text() == "mine"
    wrong = run(*INIT, "--model", "digits", "--force", "--instance-type", "ml.t3.medium")
    assert (wrong.returncode, path.read_text()) == (2, "mine")
    assert run(*INIT, "--model", "digits", "--force").returncode == 0
    assert file_of(tmp_path)["name"] == "dev"
    assert run(*INIT, "--model", "digits", "--name", "staging").returncode == 0
    assert file_of(tmp_path, "staging")["models"] == file_of(tmp_path)["models"]


def test_what_would_collide_with_another_file_is_named(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, {"net.onnx": ONNX})
    assert run(*INIT, "--model", "net.onnx").returncode == 0
    (tmp_path / "environments" / "dev.yaml").rename(tmp_path / "environments" / "other.yaml")
    (tmp_path / "dev-net.tar.gz").rename(tmp_path / "kept.tar.gz")
    ended = run(*INIT, "--model", "net.onnx")
    assert (ended.returncode, "check would name" in ended.stderr) == (2, True)
    assert not (tmp_path / "environments" / "dev.yaml").exists()
    assert not (tmp_path / "dev-net.tar.gz").exists()


def test_it_is_served_by_the_newest_image_for_its_instances(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, SERVED[0][0])
    versions = {}
    for kind in ("ml.g4dn.xlarge", "ml.c7g.large"):
        assert run(*INIT, "--model", "digits", "--force", "--instance-type", kind).returncode == 0
        versions[kind] = file_of(tmp_path)["models"]["digits"]["framework_version"]
    assert versions == {"ml.g4dn.xlarge": "2.20", "ml.c7g.large": "2.16"}


def test_the_instance_type_grows_with_the_model(run: Run, tmp_path: Path) -> None:
    (tmp_path / "digits").mkdir()
    with (tmp_path / "digits" / "xgboost-model").open("wb") as sparse:
        sparse.truncate(9 << 30)
    ended = run(*INIT, "--model", "digits")
    assert " on ml.m5.2xlarge" in ended.stdout, ended.stderr


def test_on_a_terminal_it_asks_until_an_answer_is_right(tmp_path: Path) -> None:
    plant(tmp_path, SERVED[0][0])
    said = asked(
        tmp_path,
        ["gone", "digits", "eu-west-11", "eu-west-1", "1x", "", "ml.c5.lage", ""],
        "init",
        "--today",
        str(TODAY),
    )
    for error in (
        "nothing at gone",
        "did you mean eu-west-1",
        "name is '1x'",
        "did you mean ml.c5",
    ):
        assert error in said
    assert file_of(tmp_path)["models"]["digits"]["variants"] == [
        {"name": "main", "instance_type": "ml.c5.large"}
    ]
    again = asked(tmp_path, ["n"], *INIT, "--model", "digits", "--name", "dev")
    assert "environments/dev.yaml exists; replace it? [y/N]" in again


def asked(folder: Path, answers: Sequence[str], *arguments: str) -> str:
    """What the command says on a terminal on which all of this is typed."""
    reader, writer = pty.openpty()
    program = str(Path(sys.executable).parent / "sagemaker-serving")
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    process = subprocess.Popen(
        [program, *arguments],
        cwd=folder,
        env=environment,
        stdin=writer,
        stdout=writer,
        stderr=subprocess.STDOUT,
    )
    os.close(writer)
    os.write(reader, "".join(f"{answer}\n" for answer in answers).encode())
    said = b""
    try:
        while part := os.read(reader, 1 << 16):
            said += part
    except OSError:  # Linux says so at a terminal's end
        pass
    process.wait(120)
    os.close(reader)
    return said.decode().replace("\r\n", "\n")


def test_a_folder_without_a_cdk_app_gets_the_one_that_deploys_such_files(
    run: Run, tmp_path: Path
) -> None:
    plant(tmp_path, SERVED[0][0])
    ended = run(*INIT, "--model", "digits", PATH=os.defpath)
    assert "app.py, stacks/, cdk.json: the CDK app that deploys it" in ended.stdout
    assert "  npm install aws-cdk@2" in ended.stdout.splitlines()
    for part in ("app.py", "cdk.json", "stacks/serving.py"):
        assert (tmp_path / part).read_bytes() == (ROOT / part).read_bytes()
    (tmp_path / "app.py").write_text("mine")
    again = run(*INIT, "--model", "digits", "--force")
    assert ("cdk.json" in again.stdout, (tmp_path / "app.py").read_text()) == (False, "mine")


def test_no_app_is_laid_over_what_is_there(run: Run, tmp_path: Path) -> None:
    plant(tmp_path, {**SERVED[0][0], "app.py": b"flask"})
    ended = run(*INIT, "--model", "digits")
    assert ended.returncode == 0
    assert "since it would replace app.py" in ended.stdout
    assert (tmp_path / "app.py").read_text() == "flask"
    assert not (tmp_path / "stacks").exists()


def test_the_workflow_for_ci_installs_the_package_and_knows_the_models(
    run: Run, tmp_path: Path
) -> None:
    plant(tmp_path, SERVED[0][0])
    both = run(*INIT, "--model", "digits", "--name", "prod", "--ci", "github")
    assert both.returncode == 0, both.stderr
    assert "it deploys environments/staging.yaml, which you write" in both.stdout
    workflow = (tmp_path / ".github" / "workflows" / "deploy.yml").read_text()
    assert yaml.safe_load(workflow)["env"]["MODELS"] == "digits"
    assert "make setup" not in workflow
    installs = (tmp_path / "requirements.txt").read_text()
    assert re.search(rf"^sagemaker-serving\[cdk.*\]=={re.escape(__version__)}$", installs, re.M)
    assert json.loads((tmp_path / "package.json").read_text())["devDependencies"] == {
        "aws-cdk": "2"
    }
    again = run("init", "--ci", "github")
    assert (again.returncode, ".github/workflows/deploy.yml exists" in again.stderr) == (2, True)
    plant(tmp_path, {"trees.ubj": b"{L"})
    both = run(*INIT, "--ci", "github", "--model", "trees.ubj", "--name", "other")
    assert (both.returncode, both.stdout) == (2, "")
    assert not (tmp_path / "environments" / "other.yaml").exists()
    (tmp_path / "requirements.txt").write_text("flask\n")
    forced = run("init", "--ci", "github", "--force")
    assert (forced.returncode, "requirements.txt is yours: add" in forced.stdout) == (0, True)
    assert (tmp_path / "requirements.txt").read_text() == "flask\n"


def test_inspect_knows_what_init_does_of_a_file_that_is_no_archive(
    tmp_path: Path, run: Run
) -> None:
    (tmp_path / "xgb.json").write_bytes(b'{"learner": {}}')
    assert run("inspect", "xgb.json").stdout.startswith("xgb.json: xgboost, 1 file, ")
    (tmp_path / "graph.pb").write_bytes(b"<html>")
    broken = run("inspect", "graph.pb")
    assert (broken.returncode, "graph.pb is no TensorFlow graph" in broken.stdout) == (2, True)
    (tmp_path / "model.joblib").write_bytes(b"\x80\x04")
    refused = run("inspect", "model.joblib")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "move it into model/, and write model/code/inference.py:" in refused.stderr
