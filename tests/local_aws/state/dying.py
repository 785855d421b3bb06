"""What a kill leaves of a deploy, at each of the moments at which its state may be saved.

A save is of one moment at which no change is half made, and the manifest makes it whole. So what a
kill at any time leaves is one of these moments: whenever the stack's record is another than before,
after any line of the engine, and whenever a request has ended. Here each is saved, and the folder
is copied as it is then: what that save would be, were it the last.
"""

from __future__ import annotations

import gc
import json
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.services.cloudformation.engine import deployment
from local_aws.services.cloudformation.service import CloudFormation
from local_aws.state.saver import StateSaver
from local_aws.write_lock import WriteLock
from tests import steps
from tests.local_aws.aws import REGION, gateway_of, lasting_port, service_in
from tests.local_aws.services.cloudformation.templates import parameter, resource, template
from tests.local_aws.stand_in import StandIn
from tests.local_aws.state.killed import settled

ENGINE = str(Path(deployment.__file__).parent)
FIRST = template(
    Kept=parameter("1", Name="/dying/kept"),
    Named=resource("SQS::Queue", "Kept", QueueName="first"),
    Old=resource("SNS::Topic", "Named", TopicName="old"),
)
SECOND = template(
    Kept=parameter("2", Name="/dying/kept"),
    Named=resource("SQS::Queue", "Kept", QueueName="second"),
    New=resource("SNS::Topic", "Named", TopicName="new"),
)


def failing(body: dict[str, Any]) -> dict[str, Any]:
    """The same with a resource at its end that cannot be made."""
    wrong = resource("SQS::Queue", *body["Resources"], QueueName="no queue's name!")
    return template(**body["Resources"], Broken=wrong)


@dataclass(frozen=True, kw_only=True)
class Operation:
    """What is asked of CloudFormation, and how the stack may be found after a kill.

    ``since`` is the status from which on moments count: those before are another operation's.
    """

    call: str
    body: dict[str, Any] | None
    since: str
    ends: tuple[str | None, ...]


CREATE = Operation(
    call="create_stack",
    body=FIRST,
    since="CREATE_IN_PROGRESS",
    ends=(None, "ROLLBACK_COMPLETE", "CREATE_COMPLETE"),
)
UPDATE = Operation(
    call="update_stack",
    body=SECOND,
    since="UPDATE_IN_PROGRESS",
    ends=("CREATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "UPDATE_COMPLETE"),
)
DELETE = Operation(
    call="delete_stack", body=None, since="DELETE_IN_PROGRESS", ends=("CREATE_COMPLETE", None)
)
OPERATIONS = {
    "create": CREATE,
    "rollback of a create": replace(
        CREATE, body=failing(FIRST), since="ROLLBACK_IN_PROGRESS", ends=("ROLLBACK_COMPLETE",)
    ),
    "update": UPDATE,
    "rollback of an update": replace(
        UPDATE,
        body=failing(SECOND),
        since="UPDATE_ROLLBACK_IN_PROGRESS",
        ends=("UPDATE_ROLLBACK_COMPLETE",),
    ),
    "delete": DELETE,
}


def at_every_moment(folder: Path, name: str) -> None:
    """Do the operation, and go on from what a kill at each of its moments would leave.

    In copies of this process, in which a local AWS has run and ended: so each begins at once.
    """
    operation, port = OPERATIONS[name], lasting_port()
    created, moments = folder / "created", folder / "moments"
    _deploy(created, port, CREATE, None)
    shutil.copytree(created, folder / "warm")
    _go_on(folder / "warm", port, CREATE)
    gc.freeze()  # so that copies share what they do not change
    own = folder / "own"
    if operation.call != "create_stack":
        shutil.copytree(created, own)
    steps.fork(_deploy, own, port, operation, moments)
    found = [*moments.iterdir(), own]
    assert len(found) > 10, "it has moments"
    for each in found:
        steps.fork(_go_on, each, port, operation)
        shutil.rmtree(each)


def _deploy(folder: Path, port: int, operation: Operation, moments: Path | None) -> None:
    """Do the operation, and leave there what each of its moments leaves of the folder."""
    if moments is not None:  # a save beside those of moments would wait for what waits for it
        StateSaver._run = lambda self: None  # type: ignore[method-assign]
    local = _local(folder, port)
    if moments is not None:
        _Moments(local, operation.since, folder, moments).watch()
    _do(local, operation)
    local.stop()


def _go_on(folder: Path, port: int, operation: Operation) -> None:
    """Find what the other has left, do what was wanted where it is not done, and delete all."""
    local = _local(folder, port)
    cloudformation = local.context.client("cloudformation", REGION)
    stack = settled(cloudformation, "stack")
    assert _there(local) == _recorded(local), stack
    status = None if stack is None else stack["StackStatus"]
    assert status in operation.ends, stack
    if status == "ROLLBACK_COMPLETE":
        assert not any(_there(local).values())
        _do(local, DELETE)
        status = None
    if status is None:
        _do(local, CREATE)
    is_second = status == "UPDATE_COMPLETE"
    assert _values(local) == ["2" if is_second else "1"], "it is the one or the other, whole"
    if operation.call == "update_stack":
        _do(local, UPDATE)
        assert _values(local) == ["2"]
    assert _there(local) == _recorded(local)
    _do(local, DELETE)
    assert not any(_there(local).values())
    local.stop()


def _local(folder: Path, port: int) -> Gateway:
    local = gateway_of(folder, port, launch=StandIn.start)
    local.start()
    return local


def _do(local: Gateway, operation: Operation) -> None:
    """Do the operation to its end; an update that is done already is nothing to do."""
    cloudformation = local.context.client("cloudformation", REGION)
    body = {} if operation.body is None else {"TemplateBody": json.dumps(operation.body)}
    try:
        getattr(cloudformation, operation.call)(StackName="stack", **body)
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise
    settled(cloudformation, "stack")


def _there(local: Gateway) -> dict[str, list[str]]:
    """What exists, whoever made it."""

    def client(service: str) -> Any:
        return local.context.client(service, REGION)

    topics = [found["TopicArn"] for found in client("sns").list_topics()["Topics"]]
    return {
        "parameters": [
            found["Name"] for found in client("ssm").describe_parameters()["Parameters"]
        ],
        "others": sorted([*topics, *client("sqs").list_queues().get("QueueUrls", [])]),
    }


def _recorded(local: Gateway) -> dict[str, list[str]]:
    """What the stack says that it has made."""
    found: dict[str, list[str]] = {"parameters": [], "others": []}
    for stack in service_in(local, CloudFormation).export_state():
        for each in stack["version"]["resources"].values():
            if each["physical_id"] and each["status"] not in ("DELETE_COMPLETE", "DELETE_SKIPPED"):
                kind = "parameters" if each["type"] == "AWS::SSM::Parameter" else "others"
                found[kind].append(each["physical_id"])
    return {name: sorted(each) for name, each in found.items()}


def _values(local: Gateway) -> list[str]:
    found = local.context.client("ssm", REGION).get_parameters_by_path(Path="/dying")
    return [each["Value"] for each in found["Parameters"]]


class _Moments:
    """Keeps what is in the folder at each moment of an operation, in a folder of ``kept``."""

    def __init__(self, local: Gateway, since: str, folder: Path, kept: Path) -> None:
        self._local = local
        self._since = since
        self._folder = folder
        self._kept = kept
        self._lock = threading.RLock()
        self._count = 0
        self._before = ""
        self._is_looking = False

    def watch(self) -> None:
        """From now on."""
        leave: Callable[[WriteLock], None] = WriteLock._leave

        def left(lock: WriteLock) -> None:
            leave(lock)
            self._perhaps(changed=True)

        WriteLock._leave = left  # type: ignore[assignment, method-assign]
        threading.settrace(self._trace)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(ENGINE) else None

    def _line(self, frame: FrameType, event: str, _: Any) -> Any:
        self._perhaps(changed=False)
        return self._line

    def _perhaps(self, *, changed: bool) -> None:
        write_lock = self._local.context.write_lock
        # The stacks' lock first: a thread that holds it may come here.
        with service_in(self._local, CloudFormation)._stacks.lock, self._lock:
            if self._is_looking or write_lock._under_way:
                return
            self._is_looking = True
            try:
                record = json.dumps(service_in(self._local, CloudFormation).export_state())
                if self._since not in record:
                    return
                if changed or record != self._before:
                    self._before = record
                    self._count += 1
                    self._local._saver.save()
                    shutil.copytree(self._folder, self._kept / str(self._count))
            finally:
                self._is_looking = False
