"""What `local deploy` tells of what the CDK CLI prints, as version 2.1148 prints it."""

from __future__ import annotations

import io
import sys
import threading
from contextlib import suppress

import pytest

from local_aws.cli.cdk_output import cdk_output
from local_aws.cli.showing import print_table
from local_aws.errors import DeployFailed


def event(status: str, kind: str, of: str, reason: str = "") -> str:
    return f"app-Shop | 1/4 | 6:55:01 PM | {status:<20} | {kind:<24} | {of} {reason}"


SHOP = "AWS::CloudFormation::Stack"
DONE = [
    "python -m local_aws.process.ready_app /out -- app.py: Subprocess exited with error 2",
    "Trusted accounts for deployment: (none)",
    "app-Shop: success: Built app/Shop Template",
    "app/Shop (app-Shop): deploying... [1/1]",
    event("CREATE_IN_PROGRESS", "AWS::SNS::Topic", "app/Shop/News (News1)"),
    event("CREATE_COMPLETE", "AWS::SNS::Topic", "app/Shop/News (News1)"),
    event("CREATE_COMPLETE", "AWS::SNS::Topic", "app/Shop/More (More2)"),
    event("CREATE_COMPLETE", "AWS::CDK::Metadata", "app/Shop/CDKMetadata (CDKMetadata)"),
    event("CREATE_COMPLETE", SHOP, "app/Shop/Nested (Nested3)"),
    event("CREATE_COMPLETE", SHOP, "app-Shop"),
    "",
    "Outputs:",
    "app-Shop.Url = http://localhost",
    "✨  Total time: 10.11s",
]
UNDONE = [
    event("CREATE_COMPLETE", "AWS::SNS::Topic", "app/Shop/News (News1)"),
    event("CREATE_FAILED", "AWS::SQS::Queue", "app/Shop/Queue (Queue1)", '"it is taken"'),
    event("ROLLBACK_IN_PROGRESS", SHOP, "app-Shop", "The following resource(s) failed"),
    event("DELETE_COMPLETE", "AWS::SNS::Topic", "app/Shop/News (News1)"),
    event("ROLLBACK_COMPLETE", SHOP, "app-Shop"),
    "app/Shop failed: it is taken",
]


REPEATED = [
    "",
    "Failed resources:",
    'app-Shop | 6:55:01 PM | CREATE_FAILED | AWS::SQS::Queue | app/Shop/Queue "it is taken',
    'by others"',
    "❌  app-Shop failed to deploy",
    "‣ DeploymentError: Resource updates failed:",
    "app/Shop/Queue  (AWS::SQS::Queue Queue1)",
    '  "it is taken by others"',
]


def told(lines: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    with cdk_output(whole=False) as log:
        print(*lines, sep="\n", file=log)
    captured = capsys.readouterr()
    assert captured.out == "", "standard output is the command's own"
    return captured.err.splitlines()


def test_a_stack_that_is_done_is_a_line_per_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(DONE, capsys) == [
        "app-Shop",
        f"  created   1 {SHOP}",
        "  created   2 AWS::SNS::Topic",
        *DONE[-3:-1],
    ]


def test_an_endpoint_that_is_begun_is_told_once_outside_a_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its update may last as long as its canary, and a pipe shows no last event."""
    kind = "AWS::SageMaker::Endpoint"
    begun = event("UPDATE_IN_PROGRESS", kind, "app/Shop/Endpoint (Endpoint1)")
    ended = event("UPDATE_COMPLETE", kind, "app/Shop/Endpoint (Endpoint1)")
    assert told([begun, begun, ended, event("UPDATE_COMPLETE", SHOP, "app-Shop")], capsys) == [
        f"app-Shop: {kind} UPDATE_IN_PROGRESS",
        "app-Shop",
        f"  updated   1 {kind}",
    ]


def test_what_fails_and_is_rolled_back_is_told_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = [line.rstrip() for line in (*UNDONE[1:3], *UNDONE[4:])]
    assert told(UNDONE, capsys) == wanted


def test_a_reason_is_told_with_its_event_alone(capsys: pytest.CaptureFixture[str]) -> None:
    failed = event("CREATE_FAILED", "AWS::SQS::Queue", "app/Shop/Queue (Queue1)", '"it is taken')
    lines = [failed, 'by others"', *REPEATED, UNDONE[4]]
    wanted = [failed, 'by others"', "❌  app-Shop failed to deploy", UNDONE[4]]
    assert told(lines, capsys) == [line.rstrip() for line in wanted]


LOG = ["trial: Endpoint: it did not pass the ping. Last log lines: Traceback", "  File x", "Oh no"]


@pytest.mark.parametrize("whole", [True, False])
def test_a_log_that_was_told_with_its_event_is_not_told_again(whole: bool) -> None:
    with pytest.raises(DeployFailed) as failed, cdk_output(whole=whole):
        raise DeployFailed("\n".join(LOG))
    assert str(failed.value) == f"{LOG[0]} … {LOG[-1]}"
    with pytest.raises(DeployFailed) as failed, cdk_output(whole=whole):
        raise DeployFailed("it is taken")
    assert str(failed.value) == "it is taken"


def test_a_column_in_which_nothing_stands_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("process", "listens", "memory"), [("a", "", "1 MB", "log: a.log")])
    assert capsys.readouterr().out == "\nprocess  memory\na        1 MB\n    log: a.log\n"


def test_an_interrupt_while_the_last_lines_are_told_shows_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, let_go = threading.Event(), threading.Event()

    class Slow(io.StringIO):
        def write(self, text: str) -> int:
            begun.set()
            let_go.wait()
            return super().write(text)

    def interrupted() -> None:
        begun.wait()
        raise KeyboardInterrupt

    def tell_two_lines() -> threading.Thread:
        before = set(threading.enumerate())
        with suppress(KeyboardInterrupt), cdk_output(whole=False) as log:
            (printer,) = set(threading.enumerate()) - before
            monkeypatch.setattr(printer, "join", interrupted)
            print("one\ntwo", file=log)
        return printer

    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    monkeypatch.setattr(sys, "stderr", shown := Slow())
    printer = tell_two_lines()
    let_go.set()
    threading.Thread.join(printer)
    assert failed == []
    assert shown.getvalue() == "one\ntwo\n"
