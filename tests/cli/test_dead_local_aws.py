"""A local AWS that is killed while it is asked: whoever asks says so at once, in one sentence."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.cli.commands import group
from tests.cli.conftest import begun, commands
from tests.leaving import PATIENCE_SECONDS, program, said

ROOT = Path(__file__).parents[2]

SILENT = """
import os, socket, sys, threading
from pathlib import Path
from local_aws.process.address import Address, StateDirLock
from local_aws.credentials import Credentials

threading.Thread(target=lambda: os._exit(len(sys.stdin.read())), daemon=True).start()
folder = Path(sys.argv[1])
hold = StateDirLock(folder)
listener = socket.create_server(("127.0.0.1", 0))
url = f"http://127.0.0.1:{listener.getsockname()[1]}"
log = folder / "local.log"
log.write_text("first\\nlast words\\n")
credentials = Credentials.of(folder)
hold.publish(Address(url=url, pid=os.getpid(), credentials=credentials, log=str(log)))
print("listening", flush=True)
kept = []
while True:
    kept.append(listener.accept())
    print("asked", flush=True)
"""
"""A local AWS that takes every request and answers none."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "adopt endpoint": ("adopt", "endpoint", "x"),
    "adopt router": ("adopt", "router", "x"),
    "bench": ("bench", "x", "--input", "one.json"),
    "check": ("check", "environments/local.yaml", "--account"),
    "compile": (
        *("compile", "s3://bucket/model.tar.gz", "--target", "ml_c5", "--framework", "ONNX"),
        *("--input-config", '{"x": [1]}', "--output", "s3://bucket/neo"),
        *("--role", "arn:aws:iam::123456789012:role/neo"),
    ),
    "dashboard": ("dashboard", "local", "digits", "--latest"),
    "diff": ("diff", "environments/local.yaml"),
    "archives": ("archives", "digits"),
    "explain": ("explain", "x"),
    "golden": ("golden", "x", "golden.jsonl"),
    "inspect": ("inspect", "s3://bucket/model.tar.gz"),
    "local deploy": ("local", "deploy", "local"),
    "local destroy": ("local", "destroy", "local"),
    "local faults clear": ("local", "faults", "clear"),
    "local faults list": ("local", "faults", "list"),
    "local faults set": ("local", "faults", "set", "slow"),
    "local status": ("local", "status"),
    "predict": ("predict", "x", "1"),
    "prices": ("prices", "environments/local.yaml", "--update"),
    "replay": ("replay", "x", "y"),
    "rollback": ("rollback", "x"),
    "transform start": ("transform", "x", "one.json", "out", "--watch"),
    "transform status": ("transform", "status", "x", "run"),
    "transform stop": ("transform", "stop", "x", "run"),
    "watch": ("watch", "x"),
}
ASK_NOTHING = {
    "local down": "it waits for the process's end, and is glad of it",
    "local env": "it reads a file",
    "local logs": "it reads files until the process has ended",
    "local up": "it starts one",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("environments", "model_assets", "stacks"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("app.py", "cdk.json"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "one.json").write_text('{"instances": [1.0]}')
    (tmp_path / "golden.jsonl").write_text('{"body": "1", "expected_body": "1"}')
    return tmp_path


@pytest.fixture
def silent(folder: Path) -> Iterator[subprocess.Popen[str]]:
    with program(SILENT, folder / ".sagemaker-serving") as silent:
        assert said(silent) == "listening"
        yield silent
        silent.kill()


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_command_ends_with_the_local_aws_and_says_so(
    folder: Path, silent: subprocess.Popen[str], arguments: tuple[str, ...]
) -> None:
    is_local = arguments[0] == "local"
    given = ("sagemaker-serving", *arguments, *([] if is_local else ["--local"]))
    with begun(given, folder, {"HOME": os.environ["HOME"]}) as ended:
        assert said(silent) == "asked"
        silent.send_signal(signal.SIGKILL)
        told = ended(PATIENCE_SECONDS)
    log = folder / ".sagemaker-serving" / "local.log"
    assert told.stderr.splitlines()[-1] == (
        f"sagemaker-serving: the local AWS (process {silent.pid}) has ended; {log} ends with "
        "'last words'; start it again with `sagemaker-serving local up`, which finds what was "
        "deployed"
    )
    assert told.stderr.count("has ended") == 1
    assert "Traceback" not in told.stderr
    assert (told.returncode, told.stdout) == (1, "")


def test_the_commands_above_are_all_that_ask_a_local_aws() -> None:
    asking = {
        name
        for name, leaf in commands(group)
        if any("--local" in each.opts or "--state-dir" in each.opts for each in leaf.params)
    }
    assert asking == COMMANDS.keys() | ASK_NOTHING.keys()
