"""``sagemaker-serving serve``, as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import pytest
import requests

from tests.cli.conftest import Run, run_in

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-c", "from sagemaker_serving.cli import main; main()", "serve"]


@pytest.fixture
def serve(tmp_path: Path) -> Run:
    """A run that ends by itself."""
    run = run_in(tmp_path)
    return lambda *arguments: run("serve", *arguments)


def test_it_serves_an_archive_until_ctrl_c(saved_models: Path, tmp_path: Path) -> None:
    archive = tmp_path / "model.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(saved_models / "half_plus_three", "half_plus_three")
    process = subprocess.Popen(
        [*COMMAND, str(archive), "--port", "0", "--env", "SAGEMAKER_TFS_MAX_BATCH_SIZE=3"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("listening on "):
                break
        url = lines[-1].split()[2]
        assert lines[-1] == f"listening on {url} (ping, invocations)\n"
        assert any("name: 'half_plus_three'" in line for line in lines)
        answer = requests.post(f"{url}/invocations", json={"instances": [1.0, 2.0]}, timeout=60)
        assert answer.json() == {"predictions": [3.5, 4.0]}
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(120) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_pytorch_model_is_told_by_its_script_and_replayed_like_any_other(
    serve: Run, tmp_path: Path
) -> None:
    code = tmp_path / "model" / "code"
    code.mkdir(parents=True)
    (code / "inference.py").write_text(
        "def model_fn(model_dir): return 2\n"
        "def transform_fn(model, data, content_type, accept): return str(float(data) * model)\n"
    )
    golden = tmp_path / "golden.jsonl"
    golden.write_text('{"body": "21", "content_type": "text/csv", "expected_body": "42.0"}\n')
    ended = serve(str(tmp_path / "model"), "--golden", str(golden))
    assert (ended.returncode, ended.stdout) == (0, "1 of 1 answers are as recorded\n")


def test_a_missing_path_is_one_message(serve: Run, tmp_path: Path) -> None:
    ended = serve(str(tmp_path / "nowhere"))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"sagemaker-serving: {tmp_path / 'nowhere'} does not exist; "
        "give a model's folder or its model.tar.gz\n"
    )


def test_a_folder_without_a_saved_model_says_what_is_expected(serve: Run, tmp_path: Path) -> None:
    ended = serve(str(tmp_path))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"sagemaker-serving: no SavedModel bundles found! {tmp_path} must hold "
        "<model name>/<version number>/saved_model.pb, "
        "or <version number>/saved_model.pb at the top\n"
    )


def test_a_container_version_that_is_none_is_one_message(serve: Run, tmp_path: Path) -> None:
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "1" / "saved_model.pb").touch()
    ended = serve(str(tmp_path), "--container-version", "newest")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        "sagemaker-serving: container version is 'newest'; "
        "it must be a framework version like 2.19\n"
    )


def test_a_port_in_use_is_one_message(serve: Run, tmp_path: Path) -> None:
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "1" / "saved_model.pb").touch()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = serve(str(tmp_path), "--port", str(port))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"sagemaker-serving: port {port} is in use; "
        "stop what listens there or choose another port\n"
    )


def test_a_bad_variable_is_said_by_the_log_and_once_more_at_the_end(
    serve: Run, tmp_path: Path
) -> None:
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "1" / "saved_model.pb").touch()
    ended = serve(str(tmp_path), "--port", "0", "--env", "SAGEMAKER_MULTI_MODEL=maybe")
    assert ended.returncode == 2
    assert "SAGEMAKER_MULTI_MODEL must be 'true' or 'false'; it is 'maybe'" in ended.stdout
    assert ended.stderr == (
        "sagemaker-serving: the model server ended with status 2; the last line above says why\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--env", "NAME"], "'NAME' is not KEY=VALUE"),
        (["--port", "70000"], "70000 is not in the range 0<=x<=65535"),
    ],
)
def test_a_bad_option_is_one_message(
    serve: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    ended = serve(str(tmp_path), *arguments)
    assert ended.returncode == 2
    assert message in ended.stderr


@pytest.mark.long
def test_an_answer_that_is_not_as_recorded_is_told(
    serve: Run, saved_models: Path, tmp_path: Path
) -> None:
    file = tmp_path / "golden.jsonl"
    requests_ = [
        {
            "body": "1.0\n2.0",
            "content_type": "text/csv",
            "expected_body_json": {"predictions": [3.5, 4.5]},
        },
        {
            "body_base64": "/w==",
            "content_type": "",
            "expected_status": 415,
            "expected_body_json": {"error": "Unsupported Media Type: Unknown"},
        },
    ]
    file.write_text("".join(f"{json.dumps(request)}\n" for request in requests_))
    ended = serve(str(saved_models / "half_plus_three"), "--golden", str(file))
    assert ended.returncode == 1
    assert ended.stdout == (
        f"{file}:1: the answer is another\n  predictions[1]: expected 4.5, got 4.0\n"
    )
    assert ended.stderr == "sagemaker-serving: 1 of 2 answers are not as recorded\n"


def test_a_golden_file_is_read_before_anything_starts(serve: Run, tmp_path: Path) -> None:
    (tmp_path / "g").write_text("{")
    broken = serve(str(tmp_path), "--golden", str(tmp_path / "g"))
    assert broken.returncode == 2
    assert broken.stderr.startswith(f"sagemaker-serving: {tmp_path}/g:1: it is no JSON: ")


HANDLER = """
def input_handler(data, context):
    return data.read().decode()

def output_handler(response, context):
    return b"WORD " + response.content, "text/plain"
"""


def test_a_changed_handler_answers_and_no_request_is_lost(
    saved_models: Path, tmp_path: Path
) -> None:
    """Also when a change is wrong: the log says so, and the handler before goes on."""
    script = handler_of(tmp_path, "iris", saved_models / "half_plus_three")
    process = subprocess.Popen(
        [*COMMAND, "mine/iris", "--reload", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    told = iter(process.stdout)

    def until(beginning: str) -> list[str]:
        lines = []
        for line in told:
            lines.append(line)
            if line.startswith(beginning):
                return lines
        raise AssertionError("".join(lines))

    try:
        url = until("listening on ")[-1].split()[2]
        words = []
        over = threading.Event()

        def ask() -> None:
            while not over.wait(0.01):  # as fast as it goes would be most of the work
                answer = requests.post(f"{url}/invocations", json={"instances": [1.0]}, timeout=60)
                words.append((answer.status_code, answer.text.split()[0]))

        asking = threading.Thread(target=ask)
        asking.start()
        script.write_text(HANDLER.replace("WORD", "second"))
        until("reloaded after ")
        script.write_text("no code")
        assert any("SyntaxError: invalid syntax" in line for line in until("not reloaded"))
        script.write_text(HANDLER.replace("WORD", "third"))
        until("reloaded after ")
        answer = requests.post(f"{url}/invocations", json={"instances": [1.0]}, timeout=60)
        over.set()
        asking.join()
        assert answer.text.startswith("third")
        assert {status for status, _ in words} == {200}
        assert (
            list(dict.fromkeys(word for _, word in words))
            == ["first", "second", "third"][: len({word for _, word in words})]
        )
        with socket.create_connection(("localhost", int(url.rpartition(":")[2]))) as leaving:
            leaving.sendall(b"POST /invocations HTTP/1.1\r\nContent-Length: none\r\n\r\n")
            assert leaving.recv(1 << 16).startswith(b"HTTP/1.1 400 ")
            # Zero seconds to linger reset the connection amid the next request.
            leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0
        assert "Traceback" not in process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


GRAPH = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
       attr { key: "shape" value { shape { dim { size: -1 } } } } }
node { name: "y" op: "Relu" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
"""


@pytest.mark.long
def test_a_changed_handler_has_no_model_converted_again(tmp_path: Path) -> None:
    graph = tmp_path / "relu.pbtxt"
    graph.write_text(GRAPH)
    script = handler_of(tmp_path, "relu", graph)
    process = subprocess.Popen(
        [*COMMAND, "mine/relu", "--reload", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    try:
        lines = iter(process.stdout)
        listening = next(line for line in lines if line.startswith("listening on "))
        # To TensorFlow it is no graph any more; nothing else tells that the file is another.
        status = graph.stat()
        with graph.open("r+") as stream:
            stream.write(GRAPH.replace("Relu", "Rule"))
        os.utime(graph, ns=(status.st_atime_ns, status.st_mtime_ns))
        script.write_text(HANDLER.replace("WORD", "second"))
        told = next(line for line in lines if "reloaded" in line)
        assert told.startswith("reloaded after ")
        url = f"{listening.split()[2]}/invocations"
        answer = requests.post(url, json={"instances": [-1.0, 2.0]}, timeout=60)
        assert (answer.text.split()[0], "[0.0, 2.0" in answer.text) == ("second", True)
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.wait(20)
        process.stdout.close()


def test_what_artifact_takes_is_served_unpacked(
    serve: Run, saved_models: Path, tmp_path: Path
) -> None:
    """A SavedModel's own folder, which no container would take as it is."""
    golden = tmp_path / "golden.jsonl"
    line = {"body": '{"instances": [1.0]}', "expected_body": '{"predictions": [3.5]}'}
    golden.write_text(json.dumps({**line, "content_type": "application/json"}) + "\n")
    version = saved_models / "half_plus_three" / "123"
    ended = serve(str(version), "--golden", str(golden))
    assert (ended.returncode, ended.stdout) == (0, "1 of 1 answers are as recorded\n"), ended


def handler_of(folder: Path, name: str, model: Path) -> Path:
    """The handler that answers "first" for the model ``name`` of environments/mine.yaml."""
    script = folder / "code" / "inference.py"
    script.parent.mkdir()
    script.write_text(HANDLER.replace("WORD", "first"))
    (folder / "environments").mkdir()
    (folder / "environments" / "mine.yaml").write_text(
        f"name: mine\nregion: eu-west-1\nmodels:\n  {name}:\n"
        f"    artifact: [{model}, ../code]\n"
        "    framework: tensorflow\n    framework_version: '2.19'\n"
        "    environment: {SAGEMAKER_GUNICORN_WORKERS: '1'}\n"
        "    variants:\n      - {name: a, instance_type: ml.c5.xlarge, initial_instance_count: 1}\n"
    )
    return script
