"""`local down` and `local up` find what was deployed again, or say why they cannot."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.process.address import find
from tests.cli.conftest import run_in
from tests.leaving import gone

pytestmark = pytest.mark.slow

Run = Callable[..., Any]
TEMPLATE = {
    "Resources": {
        "Parameter": {
            "Type": "AWS::SSM::Parameter",
            "Properties": {"Type": "String", "Value": "1", "Name": "/kept"},
        }
    }
}


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a local AWS that a stack was deployed to, and that has ended."""
    home = tmp_path_factory.mktemp("left")
    run, folder = run_in(home), home / ".sagemaker-serving"
    assert run("local", "up", "--port", "0").returncode == 0
    cloudformation = find(folder).client("cloudformation", "eu-west-1")
    cloudformation.create_stack(StackName="kept-stack", TemplateBody=json.dumps(TEMPLATE))
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName="kept-stack", WaiterConfig={"Delay": 0.05, "MaxAttempts": 600}
    )
    s3 = find(folder).client("s3", "eu-west-1")
    s3.create_bucket(Bucket="kept", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    s3.put_object(Bucket="kept", Key="key", Body=b"kept")
    assert run("local", "down").stdout == (
        "the local AWS has ended; what was deployed is kept in .sagemaker-serving\n"
    )
    return folder


@pytest.fixture
def state_dir(run: Run, left: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of that folder, where commands are run."""
    folder = tmp_path / left.name
    shutil.copytree(left, folder)
    yield folder
    run("local", "down")


def test_up_finds_again_what_was_there_also_after_kill_9_and_fresh_forgets_it(
    run: Run, state_dir: Path
) -> None:
    again = run("local", "up", "--port", "0").stdout
    assert "found again: 1 stack, 0 endpoints\n" in again
    assert "was killed" not in again
    api = find(state_dir).client("apigatewayv2", "eu-west-1")
    api_id = api.create_api(Name="predictions", ProtocolType="HTTP")["ApiId"]
    shown = run("local", "status").stdout
    assert f"state in {state_dir.resolve()}/state" in shown
    assert "kept-stack  eu-west-1  CREATE_COMPLETE  1" in shown
    assert f"predictions      {find(state_dir).url}/_aws/execute-api/{api_id}/" in shown
    facts = json.loads(run("local", "status", "--json").stdout)
    assert facts["state"]["size_bytes"] > 0
    assert facts["stacks"][0]["reason"] is None

    os.kill(facts["pid"], signal.SIGKILL)
    assert gone([facts["pid"]])
    told = run("local", "status")
    assert (told.returncode, told.stdout) == (2, "")
    assert "no local AWS runs in .sagemaker-serving" in told.stderr
    after_kill = run("local", "up", "--port", "0").stdout
    assert f"the one before it (process {facts['pid']}) was killed" in after_kill
    assert "found again: 1 stack" in after_kill

    run("local", "down")
    fresh = run("local", "up", "--port", "0", "--fresh").stdout
    assert "it starts empty; what was deployed before is forgotten" in fresh
    assert "was killed" not in fresh
    assert "nothing is deployed" in run("local", "status").stdout


DAMAGED: dict[str, tuple[str, Callable[[Path], object], str]] = {
    "part": ("parts/cloudformation-*", lambda p: os.truncate(p, 3), "bytes have the sha256"),
    "pickle": ("parts/moto.s3*", lambda p: p.write_bytes(b"N."), "bytes have the sha256"),
    "manifest": ("manifest.json", lambda p: p.write_text("{"), "it is no manifest"),
    "object": ("objects/*", lambda p: p.write_bytes(b"Kept"), "bytes have the CRC-32C"),
    "no object": ("objects/*", lambda p: p.unlink(), "it is missing"),
}


@pytest.mark.long
@pytest.mark.parametrize(
    "damages",
    [("part", "object"), pytest.param(("pickle", "manifest", "no object"), marks=pytest.mark.long)],
    ids=", ".join,
)
def test_a_damaged_state_is_one_message_and_fresh_helps(
    run: Run, state_dir: Path, damages: tuple[str, ...]
) -> None:
    """What is damage, and what is said of each, tests/local_aws/state asks of the folder itself."""
    kept = state_dir.parent / "kept"
    for name in damages:
        pattern, damage, said = DAMAGED[name]
        shutil.copytree(state_dir / "state", kept, copy_function=shutil.copy2)
        (path,) = (state_dir / "state").glob(pattern)
        damage(path)
        refused = run("local", "up", "--port", "0")
        assert (refused.returncode, refused.stdout) == (2, ""), name
        assert refused.stderr.count("\n") == 1
        assert f"the kept state is damaged: {path.resolve()}: " in refused.stderr
        assert said in refused.stderr
        assert "`sagemaker-serving local up --fresh` starts empty" in refused.stderr
        assert "Traceback" not in (state_dir / "local.log").read_text()
        shutil.rmtree(state_dir / "state")
        kept.rename(state_dir / "state")
    assert "found again: 1 stack" in run("local", "up", "--port", "0").stdout
    run("local", "down")
    (state_dir / "state" / "manifest.json").unlink()
    assert "no local AWS runs" in run("local", "status").stderr
    assert run("local", "up", "--port", "0", "--fresh").returncode == 0


@pytest.mark.long
def test_a_stack_that_was_cut_off_is_said(run: Run, state_dir: Path) -> None:
    parts = state_dir / "state" / "parts"
    (part,) = parts.glob("cloudformation-*")
    cut_off(state_dir / "state", part)
    up = run("local", "up", "--port", "0")
    assert (
        "stack kept-stack (eu-west-1) was in CREATE_IN_PROGRESS when the local AWS ended; it is in "
        "ROLLBACK_IN_PROGRESS now; see `sagemaker-serving local status`\n"
    ) in up.stdout
    assert "recovered: stack kept-stack (eu-west-1) was found in CREATE_IN_PROGRESS" in (
        run("local", "status").stdout
    )


def cut_off(folder: Path, part: Path) -> None:
    """Make the kept stack one that was still being made."""
    from local_aws.state.folder import StateFolder

    read = StateFolder(folder).read()
    assert read is not None
    parts = dict(read[1])
    stacks = json.loads(parts["cloudformation"])
    stacks[0]["status"] = "CREATE_IN_PROGRESS"
    parts["cloudformation"] = json.dumps(stacks).encode()
    objects = [path.name for path in (folder / "objects").iterdir()]
    StateFolder(folder).write(parts, objects, ended=False, not_kept={})


@pytest.mark.long
def test_what_could_not_be_saved_is_said_and_the_log_has_no_traceback(
    run: Run, state_dir: Path
) -> None:
    assert run("local", "up", "--port", "0").returncode == 0
    parts = state_dir / "state" / "parts"
    shutil.rmtree(parts)
    parts.write_text("a file where the folder was")
    ssm = find(state_dir).client("ssm", "eu-west-1")
    ssm.put_parameter(Name="/more", Value="1", Type="String")
    ended = run("local", "down")
    assert ended.returncode == 1
    assert "its last changes could not be saved in .sagemaker-serving" in ended.stderr
    log = (state_dir / "local.log").read_text()
    assert f"the state could not be saved: {parts.resolve()} cannot be written: " in log
    assert "Traceback" not in log
    parts.unlink()
