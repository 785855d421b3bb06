"""`transform` as a shell sees it: files in, outputs in a folder, the report, exit statuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.faults import Fault, Kind
from local_aws.process.address import StateDirLock
from sagemaker_serving.functions.batch_transform.run import run_of
from sagemaker_serving.operations.batch_progress import work_of
from sagemaker_serving.operations.batch_report import report_folder
from tests.functions.batch_transform.pipeline import Pipeline
from tests.functions.batch_transform.runs import EXECUTION, NOWHERE, settings
from tests.functions.batch_transform.test_pipeline import GPU
from tests.local_aws.aws import REGION, Aws, address_of, eventually, gateway_of, shell_of
from tests.local_aws.stand_in import StandIn

Run = Callable[..., Any]

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    folder = tmp_path_factory.mktemp("aws")
    hold = StateDirLock(folder)
    gateway = gateway_of(folder, launch=StandIn.start)
    gateway.start()
    hold.publish(address_of(gateway))
    try:
        aws = Aws(gateway)
        aws.model("echo")
        publish(aws, "echo")
        yield aws
    finally:
        gateway.stop()
        hold.release()


def publish(aws: Aws, name: str, **settings: Any) -> None:
    batch = Pipeline(aws, name, "echo", **settings)
    told = {
        "state-machine-arn": batch.arn,
        "batch-input": batch.input,
        "batch-output": batch.output,
        "batch-work": f"s3://models/{name}/work/",
        "batch-reports": f"s3://models/{name}/reports/",
    }
    for parameter, value in told.items():
        aws.client("ssm").put_parameter(
            Name=f"/sagemaker-serving/trial/{name}/{parameter}", Value=value, Type="String"
        )


@pytest.fixture
def transform(run: Run, aws: Aws) -> Run:
    """Runs the command against that AWS, as a shell with its variables does."""
    return lambda *arguments: run(
        "transform",
        *arguments,
        **shell_of(aws.gateway),
        AWS_DEFAULT_REGION=REGION,
    )


@pytest.fixture
def transform_local(run: Run, aws: Aws) -> Run:
    """The same by ``--local``, with which it looks every half second and not every five."""
    folder = str(aws.gateway.context.state_dir)
    return lambda *arguments: run("transform", *arguments, "--local", "--state-dir", folder)


def test_a_folder_goes_in_and_answers_come_into_another(
    transform: Run, run: Run, aws: Aws, tmp_path: Path
) -> None:
    source, answers = tmp_path / "in", tmp_path / "out"
    (source / "deeper").mkdir(parents=True)
    (source / "a.txt").write_bytes(b"one\nplease refuse\nthree\n")
    (source / "deeper" / "b.txt").write_bytes(b"four\n")
    options = ("--split-type", "Line", "--assemble-with", "Line", "--name", "first")
    ended = transform(
        "echo",
        str(source),
        str(answers),
        "-e",
        "trial",
        *options,
        "--batch-strategy",
        "SingleRecord",
    )
    assert ended.returncode == 0, ended.stderr
    assert (answers / "a.txt.out").read_bytes() == b"eno\neerht\n"
    assert (answers / "deeper" / "b.txt.out").read_bytes() == b"ruof\n"
    lines = ended.stdout.splitlines()
    assert ": 2 objects, 2 with an output, 0 in quarantine, 0 not done" in lines[0]
    assert lines[1] == "records: 4 in, 3 answered, 1 in quarantine"
    assert lines[3].startswith("  quarantined: a.txt record 2: ClientError: 400 Message:")
    (listed,) = (tmp_path / "out-report" / "quarantine.jsonl").read_text().splitlines()
    assert json.loads(listed)["record"] == 2
    page = (tmp_path / "out-report" / "report.html").read_text()
    assert "ClientError: 400" in page
    assert f"the report: {tmp_path / 'out-report' / 'report.html'}" in ended.stderr

    shown = transform("status", "echo", "first", "-e", "trial")
    assert shown.stdout.splitlines()[0] == "SUCCEEDED: 1 of 1 shards, 2 of 2 objects"
    assert shown.stdout.splitlines()[1:] == lines
    status = run("local", "status", "--state-dir", str(aws.gateway.context.state_dir))
    jobs = [line for line in status.stdout.splitlines() if line.startswith("first-")]
    assert len(jobs) == 1
    assert "Failed" in jobs[0]
    assert "`transform status` says what became of its records" in status.stdout
    file = tmp_path / "any.yaml"
    file.write_text("name: trial\nregion: eu-west-1\nmodels: {echo: {image_uri: x}}\n")
    read = json.loads(transform("status", "echo", "first", "-e", str(file), "--json").stdout)
    assert (read["objects"], read["report"]["status"]) == (2, "COMPLETE")

    (source / "a.txt").write_bytes(b"one\ntwo\nthree\n")
    mended = transform("echo", str(source), str(answers), "-e", "trial", "--resume", "first")
    assert mended.returncode == 0, mended.stderr
    assert "1 of 2 inputs changed and were sent" in mended.stderr
    assert (answers / "a.txt.out").read_bytes() == b"eno\nowt\neerht\n"
    assert ", 2 with an output, 0 in quarantine" in mended.stdout

    taken = transform("echo", str(source), str(answers), "-e", "trial", "--name", "first")
    assert taken.returncode == 2
    assert "there was an execution 'first' already" in taken.stderr


@pytest.mark.long
@pytest.mark.parametrize("as_json", [False, True])
def test_a_batch_that_answers_nothing_ends_with_1_and_says_why(
    transform_local: Run, tmp_path: Path, as_json: bool
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number in range(7):
        (source / f"{number}.txt").write_bytes(b"please refuse")
    (source / "x.txt").write_bytes(b"please fail")
    ended = transform_local(
        *("echo", str(source), str(tmp_path / "out"), "-e", "trial"),
        *(["--json"] if as_json else []),
    )
    assert ended.returncode == 1
    assert "FAILED: nothing was answered; 0.txt: ClientError: 400 Message: " in ended.stderr
    assert ", and 6 like it; x.txt: Bad HTTP status" in ended.stderr
    if as_json:
        read = json.loads(ended.stdout)
        assert (read["status"], read["counts"]["quarantined"]) == ("UNANSWERED", 8)
        assert [reason["lines"] for reason in read["reasons"]] == [7, 1]
    else:
        assert "  quarantined: 0.txt: ClientError: 400 Message:" in ended.stdout
        assert ended.stdout.count("quarantined:") == 2


@pytest.mark.long
def test_what_is_in_s3_runs_and_an_execution_can_be_stopped_and_resumed(
    transform_local: Run, aws: Aws
) -> None:
    for number in range(8):
        aws.s3.put_object(Bucket="models", Key=f"echo/in/long/{number}", Body=b"abc")
    started = transform_local(
        *("echo", "s3://models/echo/in/long/", "s3://models/echo/out/long/", "-e", "trial"),
        *("--name", "long", "--max-objects-per-shard", "1"),
    )
    assert started.returncode == 0, started.stderr
    assert started.stdout.strip().endswith(":execution:echo:long")
    eventually(lambda: aws.s3.list_objects_v2(Bucket="models", Prefix="echo/out/long/")["KeyCount"])
    assert "stopped long" in transform_local("stop", "echo", "long", "-e", "trial").stdout
    resumed = transform_local("echo", "-e", "trial", "--resume", "long", "--watch", "--json")
    assert resumed.returncode == 0, resumed.stderr
    counts = json.loads(resumed.stdout)["counts"]
    assert (counts["objects"], counts["answered"]) == (8, 8)


def test_stopping_ends_jobs_that_the_machine_looks_at_itself(
    transform_local: Run, aws: Aws
) -> None:
    """Step Functions stops none of these, and each instance would be billed on."""
    publish(aws, "gpu", **GPU)
    aws.s3.put_object(Bucket="models", Key="gpu/in/one", Body=b"abc")
    slow = Fault(id="slow", kind=Kind.SLOW, service="sagemaker", latency_ms=60_000)
    aws.gateway.context.faults.put(slow)
    jobs = aws.client("sagemaker")

    def with_status(status: str) -> list[Any]:
        found: list[Any] = jobs.list_transform_jobs(StatusEquals=status)["TransformJobSummaries"]
        return found

    try:
        started = transform_local(
            *("gpu", "s3://models/gpu/in/", "s3://models/gpu/out/", "-e", "trial"),
            *("--name", "costly"),
        )
        assert started.returncode == 0, started.stderr
        eventually(lambda: with_status("InProgress"))
        stopped = transform_local("stop", "gpu", "costly", "-e", "trial")
        assert stopped.returncode == 0, stopped.stderr
        assert with_status("InProgress") == []
        eventually(lambda: with_status("Stopped"))
    finally:
        aws.gateway.context.faults.clear()


@pytest.mark.long
def test_an_execution_that_is_refused_says_why_and_ends_with_1(transform: Run) -> None:
    ended = transform(
        *("echo", "s3://models/echo/in/", "s3://models/echo/in/out/", "-e", "trial", "--watch")
    )
    assert ended.returncode == 1
    assert "ended as FAILED: output s3://models/echo/in/out/ lies inside input" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("echo", "in", "out"), "give <environment>/echo, --environment, or --local"),
        (
            ("trial/echo", "a", "b", "-e", "prod"),
            "--environment is prod, and trial/echo is of trial",
        ),
        (("echo", "-e", "trial"), "give INPUT and OUTPUT, or --resume"),
        (("echo", "a", "-e", "trial", "--resume", "x"), "INPUT and OUTPUT are both folders of"),
        (("echo", "nowhere", "out", "-e", "trial"), "nowhere is no file, and no folder with files"),
        (("gone", "in", "out", "-e", "trial"), "there is no batch pipeline of 'gone' in 'trial'"),
        (("status", "echo", "gone", "-e", "trial"), "there is no execution arn:aws:states:"),
        (("echo", "a", "b", "-e", "trial", "--name", "a b"), "'a b' is no name of an execution"),
    ],
)
def test_a_mistake_is_named_and_ends_with_2(
    transform: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "a").write_text("1")
    ended = transform(*arguments)
    assert ended.returncode == 2, ended.stdout
    assert said in ended.stderr


def test_the_client_finds_an_executions_files_where_the_function_puts_them() -> None:
    given = {"input": "s3://data/in/", "output": "s3://data/out/"}
    run = run_of(NOWHERE, settings(), given, EXECUTION, 0)
    assert work_of("s3://data/work/", EXECUTION) == run.work
    assert f"s3://data/reports/{report_folder(run.output)}" == run.reports
