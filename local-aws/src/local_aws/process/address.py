"""Where a running local AWS is: the note it leaves in its folder while it runs."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.request import Request

from local_aws import settings
from local_aws.arn import arn_in
from local_aws.credentials import Credentials
from local_aws.errors import Failure, Mistake, NotFound
from local_aws.process.isolation import DIRECTLY, NOTHING_OF_THE_USERS
from local_aws.program import program
from local_aws.state.state_dir import state_dir_errors

DEFAULT_PORT = 4570
_LOCK = "lock"
_SESSION_SECONDS = 12 * 3600


@dataclass(frozen=True, kw_only=True)
class Address:
    """A local AWS that runs: where, which process it is, and what its developer signs with.

    ``log`` is its log's file, if it has one; ``session_token`` is "" for the developer's own
    credentials.
    """

    url: str
    pid: int
    credentials: Credentials = field(repr=False)
    log: str | None = None
    session_token: str = field(default="", repr=False)

    def for_account(self, account: str, region: str) -> Address:
        """It, as an administrator of another account knows it, for twelve hours.

        The account is made when there is none yet. Raises boto3's ClientError for what is no
        account's id.
        """
        role = arn_in(region, "iam", account, "role/OrganizationAccountAccessRole")
        taken = self.client("sts", region).assume_role(
            RoleArn=role, RoleSessionName="administrator", DurationSeconds=_SESSION_SECONDS
        )["Credentials"]
        keys = replace(
            self.credentials,
            access_key_id=taken["AccessKeyId"],
            secret_access_key=taken["SecretAccessKey"],
        )
        return replace(self, credentials=keys, session_token=taken["SessionToken"])

    def environment(self, region: str) -> dict[str, str]:
        """The variables with which any AWS client, and the CDK CLI, speaks to it.

        The credentials are this local AWS's own, which nobody has on AWS, so that a missing
        address can never reach a real account.
        """
        return {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": self.credentials.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.credentials.secret_access_key,
            **({"AWS_SESSION_TOKEN": self.session_token} if self.session_token else {}),
            "AWS_REGION": region,
            "AWS_DEFAULT_REGION": region,
            **NOTHING_OF_THE_USERS,
        }

    def status(self) -> dict[str, Any]:
        """What runs there, as `Gateway.status` has it; raises `Failure` when it does not answer."""
        try:
            with self.open("/_local/status") as answer:
                facts: dict[str, Any] = json.load(answer)
        except (OSError, ValueError) as error:
            raise Failure(
                f"the local AWS at {self.url} (process {self.pid}) does not answer: {error}; "
                f"end it with {program().command('down')}"
            ) from None
        return facts

    def set(self, variables: Mapping[str, str]) -> None:
        """Give it settings while it runs, as variables; raises what `open` does."""
        self.open(settings.PAGE, "PUT", json.dumps(dict(variables)).encode()).close()

    def open(self, path: str, method: str = "GET", body: bytes | None = None) -> Any:
        """The answer of one of its own pages, ``/_local/…``; raises what `urllib.request` does."""
        token = {"Authorization": f"Bearer {self.credentials.page_token}"}
        request = Request(f"{self.url}{path}", data=body, method=method, headers=token)
        return DIRECTLY.open(request, timeout=10)

    def client(self, service: str, region: str) -> Any:
        """A boto3 client of it, with its developer's credentials."""
        return self.session(region).client(service)

    def session(self, region: str) -> Any:
        """A boto3 session of it, with its developer's credentials."""
        from local_aws.boto import isolated_session

        token = {"aws_session_token": self.session_token} if self.session_token else {}
        return isolated_session(
            endpoint_url=self.url,
            region_name=region,
            aws_access_key_id=self.credentials.access_key_id,
            aws_secret_access_key=self.credentials.secret_access_key,
            **token,
        )


def find(state_dir: Path) -> Address:
    """The local AWS of ``state_dir``. Raises `NotFound` when none runs there."""
    if not answers(state_dir):
        start = f"start one with {program().command('up')}"
        beside = [each for each in sorted(state_dir.parent.glob(".*")) if answers(each)]
        told = f"one does in {beside[0]}: --state-dir {beside[0]}; or {start}" if beside else start
        raise NotFound(f"no local AWS runs in {state_dir}; {told}")
    try:
        note = json.loads(_note(state_dir).read_text(encoding="utf-8"))
        return Address(**note, credentials=Credentials.of(state_dir))
    except (OSError, ValueError, TypeError):
        raise Failure(
            f"a local AWS runs in {state_dir}, and {_note(state_dir)} does not say where; end its "
            f"process, and start it again with {program().command('up')}"
        ) from None


def answers(state_dir: Path) -> bool:
    """Whether a local AWS holds ``state_dir`` and has said where it is."""
    return _note(state_dir).exists() and is_held(state_dir)


def folder_of(port: int) -> Path | None:
    """The folder of the local AWS that listens on ``port``, as far as it is this user's."""
    import psutil

    try:
        listening = [
            each.pid
            for each in psutil.net_connections("tcp")
            if each.pid is not None
            and each.status == psutil.CONN_LISTEN
            and each.laddr.port == port
        ]
        opened = [file.path for pid in listening for file in psutil.Process(pid).open_files()]
    except psutil.Error:
        return None
    locks = [Path(path) for path in opened if Path(path).name == _LOCK]
    return locks[0].parent if locks else None


def killed_before(state_dir: Path) -> int | None:
    """The process of the local AWS that was last in ``state_dir``, if it could not say its end."""
    if is_held(state_dir):
        return None
    try:
        return int(json.loads(_note(state_dir).read_text(encoding="utf-8"))["pid"])
    except (OSError, ValueError, TypeError, KeyError):  # there is none, or it is no note
        return None


def is_held(state_dir: Path) -> bool:
    """Whether the process of a local AWS that holds ``state_dir`` is alive."""
    if not state_dir.is_dir():
        return False
    try:
        handle = os.open(_lock(state_dir), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


class StateDirLock:
    """Holds ``state_dir`` for this process until it ends, however it ends.

    Raises `Mistake` when another local AWS holds it.
    """

    def __init__(self, state_dir: Path) -> None:
        with state_dir_errors(state_dir):
            state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._state_dir = state_dir
            self._handle = os.open(_lock(state_dir), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._handle)
            raise Mistake(
                f"a local AWS runs in {state_dir} already; use it, or give another --state-dir; "
                f"for other options, type {program().command('down')} before: what was deployed "
                "comes back"
            ) from None
        _note(state_dir).unlink(missing_ok=True)

    def publish(self, address: Address) -> None:
        """Tells others where this local AWS is."""
        note = _note(self._state_dir)
        partial = note.with_suffix(".partial")
        note_of = {"url": address.url, "pid": address.pid, "log": address.log}
        partial.write_text(json.dumps(note_of), encoding="utf-8")
        partial.rename(note)

    def unpublish(self) -> None:
        """Tells others no more; the folder is held until this process has ended."""
        _note(self._state_dir).unlink(missing_ok=True)

    def release(self) -> None:
        """Lets another have the folder."""
        os.close(self._handle)


def _note(state_dir: Path) -> Path:
    return state_dir / "address.json"


def _lock(state_dir: Path) -> Path:
    return state_dir / _LOCK
