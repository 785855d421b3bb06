"""A program ends with the local AWS that it speaks to, whatever it is doing at that moment."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from local_aws.credentials import Credentials
from local_aws.process.address import Address
from local_aws.process.alive import ending_with
from sagemaker_serving.errors import Failure, LocalAwsEnded, Mistake
from tests.leaving import PATIENCE_SECONDS

PROGRAM = """
import socket, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from sagemaker_serving.errors import LocalAwsEnded
from local_aws.process.address import Address
from local_aws.process.alive import ending_with
from local_aws.process.forking import exit_at_once
from local_aws.credentials import Credentials
from local_aws.process import Tree

one, other = socket.socketpair()
try:
    pid = int(sys.argv[1])
    with ending_with(Address(url="http://x", pid=pid, credentials=Credentials.made())):
        print("at work", flush=True)
        {work}
except LocalAwsEnded as ended:
    print(ended, file=sys.stderr)
    exit_at_once(1)
print("went on")
"""
WORK = {
    "sleeps": "time.sleep(600)",
    "reads-a-socket": "one.recv(1)",
    "waits-for-a-process": "Tree(['sleep', '600']).__enter__().process.wait()",
    "waits-for-a-lock": "threading.Event().wait()",
    "waits-for-a-thread": "ThreadPoolExecutor().submit(time.sleep, 600).result()",
    "computes": "sum(1 for _ in iter(int, 1))",
    "tries-again-after-failures": "\n".join(
        (
            "while True:",
            "            try:",
            "                time.sleep(600)",
            "            except Exception:",
            "                pass",
        )
    ),
    "cleans-up-for-ever": "\n".join(
        (
            "try:",
            "            time.sleep(600)",
            "        finally:",
            "            time.sleep(600)",
        )
    ),
}


@pytest.fixture
def local_aws() -> Iterator[subprocess.Popen[bytes]]:
    """Its process, as far as it matters here."""
    with subprocess.Popen(["sleep", "600"]) as process:
        yield process
        process.kill()


def address(of: subprocess.Popen[bytes]) -> Address:
    return Address(url="http://127.0.0.1:1", pid=of.pid, credentials=Credentials.made())


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_a_program_ends_whatever_it_waits_for(
    local_aws: subprocess.Popen[bytes], work: str
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(work=work), str(local_aws.pid)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "at work\n"
        local_aws.kill()
        printed, complained = program.communicate(timeout=PATIENCE_SECONDS)
    assert program.returncode == 1
    assert printed == ""
    assert complained.removeprefix("local-aws: ") == (
        f"the local AWS (process {local_aws.pid}) has ended; start it again with "
        "`local-aws up`, which finds what was deployed\n"
    )


@pytest.mark.parametrize(
    "failure", [Failure("it does not answer"), OSError("reset"), Mistake("no such endpoint")]
)
def test_what_fails_in_that_moment_fails_for_that_reason(
    local_aws: subprocess.Popen[bytes], failure: Exception
) -> None:
    with pytest.raises(LocalAwsEnded), ending_with(address(local_aws)):
        raise_after_killing(local_aws, failure)


def raise_after_killing(process: subprocess.Popen[bytes], failure: Exception) -> None:
    process.kill()
    process.wait()
    raise failure


@pytest.mark.parametrize("failure", [Failure("the model fails"), KeyError("x")])
def test_a_failure_of_one_that_lives_is_its_own(
    local_aws: subprocess.Popen[bytes], failure: Exception
) -> None:
    with pytest.raises(type(failure), match=str(failure)), ending_with(address(local_aws)):
        raise failure


def test_nothing_is_interrupted_afterwards(local_aws: subprocess.Popen[bytes]) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with ending_with(address(local_aws)):
        pass
    local_aws.kill()
    local_aws.wait()
    assert signal.getsignal(signal.SIGUSR1) == before
