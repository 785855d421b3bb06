"""Where the local AWS is and how its parts call one another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

from local_aws.callbacks import Callbacks
from local_aws.credentials import ACCOUNT_ID, ACCOUNTS, Credentials
from local_aws.events import Targets
from local_aws.faults.registry import Faults
from local_aws.inner_calls import InnerCalls
from local_aws.integration import Integrations
from local_aws.percentiles import Percentiles
from local_aws.permissions import PolicyEvaluator, RoleSession, RoleSessions
from local_aws.permissions.identities import Developer
from local_aws.scaling import ScalableDimension
from local_aws.write_lock import WriteLock


class Clients(Protocol):
    """Makes clients, and keeps them."""

    def __call__(self, keys: Credentials | RoleSession, service: str, region: str, /) -> Any:
        """A boto3 client, the same for the same arguments."""

    def cache_clear(self) -> None:
        """Let go of every client."""


@dataclass
class Accounts:
    """Every account's context by its id; ``opened`` is told of each new one."""

    contexts: dict[str, LocalContext] = field(default_factory=dict)
    opened: Callable[[LocalContext], None] = field(default=lambda _: None)
    lock: threading.RLock = field(default_factory=threading.RLock)


@dataclass(frozen=True, kw_only=True)
class LocalContext:
    """What every part of the local AWS is given: its address, its folder, its clients.

    ``url`` is the gateway (``http://localhost:<port>``); ``state_dir`` is the
    folder that holds its files (unpacked models, logs). Parts call one another
    as users do, through boto3 clients on the gateway, so that each call passes
    the same door. Each account has a context, whose clients call in its name.
    """

    url: str
    state_dir: Path
    account_id: str = ACCOUNT_ID
    credentials: Credentials = field(repr=False, compare=False)
    """The developer's, which the local AWS's own calls are signed with, too."""
    clients: Clients = field(repr=False, compare=False)
    """boto3 clients on the gateway by credentials, service and region, each made once."""
    inner_calls: InnerCalls = field(repr=False, compare=False)
    """How what those clients ask reaches the gateway."""
    time_scale: float = 1.0
    """How many seconds of AWS's own waits pass in one real second."""
    strict: bool = False
    """Whether templates are refused for what would only be kept of them."""
    sessions: RoleSessions = field(default_factory=RoleSessions, repr=False, compare=False)
    """Roles that were assumed here; the gateway knows a caller's role by its access key."""
    write_lock: WriteLock = field(default_factory=WriteLock, repr=False, compare=False)
    """What changes several things that belong together passes it; see `WriteLock.step`."""
    callbacks: Callbacks = field(default_factory=Callbacks, repr=False, compare=False)
    """Addresses of the gateway at which something is waited for: a custom resource's answer."""
    faults: Faults = field(default_factory=Faults, repr=False, compare=False)
    """What goes wrong on purpose; every service asks where a fault could happen."""
    targets: Targets = field(default_factory=Targets, repr=False, compare=False)
    """What events can be brought to."""
    accounts: Accounts = field(default_factory=Accounts, repr=False, compare=False)
    """All of this local AWS, this one among them."""
    integrations: Integrations = field(default_factory=Integrations, repr=False, compare=False)
    """What Step Functions can do with services."""
    scalable: dict[str, ScalableDimension] = field(default_factory=dict, repr=False, compare=False)
    """What Application Auto Scaling can change, by dimension: sagemaker:variant:…"""
    percentiles: list[Percentiles] = field(default_factory=list, repr=False, compare=False)
    """Those of metrics that CloudWatch is given as sums only, for its alarms."""
    evaluator: PolicyEvaluator = field(default_factory=PolicyEvaluator, repr=False, compare=False)
    """Says what a role may do: ``context.evaluator.allows(session, action, resource)``."""

    def client(self, service: str, region: str, *, account: str | None = None) -> Any:
        """``client("s3", "eu-west-1")``: a boto3 client on the gateway, with the developer's keys:
        this account's, or those of another account that is here."""
        context = self if account is None else self.accounts.contexts.get(account, self)
        return self.clients(context.credentials, service, region)

    def open_account(self, account_id: str) -> LocalContext:
        """The context of an account, which is made when it is not there yet.

        Its folder holds its developer's credentials, by which it is found again. Raises as
        `Credentials.of`.
        """
        with self.accounts.lock:
            known = self.accounts.contexts.get(account_id)
            if known is not None:
                return known
            folder = self.accounts.contexts[ACCOUNT_ID].state_dir / ACCOUNTS / account_id
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            made = replace(
                self,
                account_id=account_id,
                state_dir=folder,
                credentials=Credentials.of(folder),
                scalable={},
                percentiles=[],
            )
            self.accounts.opened(made)
            self.accounts.contexts[account_id] = made
            return made

    def known_accounts(self) -> list[str]:
        """The accounts beside the first that this local AWS's folder has."""
        return sorted(each.name for each in (self.state_dir / ACCOUNTS).glob("[0-9]" * 12))

    def seconds(self, on_aws: float) -> float:
        """How long a wait that takes ``on_aws`` seconds on AWS takes here."""
        return on_aws / self.time_scale

    def close(self) -> None:
        """Let go of the clients and their connections."""
        self.clients.cache_clear()

    def client_as(self, session: RoleSession, service: str, region: str) -> Any:
        """A boto3 client whose calls are made, and judged, in a role's name."""
        return self.clients(session, service, region)

    @property
    def developer(self) -> Developer:
        """Who has the credentials."""
        return Developer(
            account=self.account_id,
            access_key_id=self.credentials.access_key_id,
            secret_access_key=self.credentials.secret_access_key,
        )

    @classmethod
    def at(
        cls, url: str, state_dir: Path, *, time_scale: float = 1.0, strict: bool = False
    ) -> LocalContext:
        """A context whose clients speak to the gateway at ``url``. Raises as `Credentials.of`."""
        inner_calls = InnerCalls()
        context = cls(
            url=url,
            state_dir=state_dir,
            credentials=Credentials.of(state_dir),
            clients=lru_cache(_CLIENTS)(partial(_client_of, url, inner_calls)),
            inner_calls=inner_calls,
            time_scale=time_scale,
            strict=strict,
        )
        context.accounts.contexts[context.account_id] = context
        return context


_CLIENTS = 128
"""Of those made last. Each takes 0.2 to 0.8 MB, and every execution and job brings a role's."""

_MAKING = threading.Lock()

_LONG_ANSWERS_SECONDS = {"lambda": 15 * 60 + 60}
"""How long an answer may take, where it takes longer than botocore waits: functions run up to a
quarter of an hour."""


def _client_of(
    url: str,
    inner_calls: InnerCalls,
    keys: Credentials | RoleSession,
    service: str,
    region: str,
) -> Any:
    from botocore.config import Config

    from local_aws.boto import DIRECTLY, INTERNAL_USER_AGENT

    # Clients may be used by several threads, but not made by them.
    with _MAKING:
        client = _boto3_session().client(
            service,
            region_name=region,
            endpoint_url=url,
            aws_access_key_id=keys.access_key_id,
            aws_secret_access_key=keys.secret_access_key,
            aws_session_token=keys.session_token if isinstance(keys, RoleSession) else None,
            config=Config(
                max_pool_connections=64,
                read_timeout=_LONG_ANSWERS_SECONDS.get(service, 60),
                retries={"max_attempts": 1},
                # Nothing is lost on the way; and so Step Functions gets objects without checksums.
                response_checksum_validation="when_required",
                # StartSyncExecution's own host, sync-localhost, is none.
                inject_host_prefix=False,
                # Named, or botocore puts its own together anew for each call.
                user_agent="local-aws" if isinstance(keys, RoleSession) else INTERNAL_USER_AGENT,
            ).merge(DIRECTLY),
        )
    inner_calls.register(client)
    return client


@cache
def _boto3_session() -> Any:
    from local_aws.boto import isolated_session

    return isolated_session()  # one for all: it keeps the services' models it has read
