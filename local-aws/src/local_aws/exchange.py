"""A request whose caller is known, and what it asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from werkzeug import Request
from werkzeug.utils import cached_property  # functools' one is computed by one thread at a time

from local_aws.authentication import Caller
from local_aws.credentials import ACCOUNT_ID
from local_aws.permissions.identities import AnyCaller, account_of
from local_aws.protocol.call import Call, read_call
from local_aws.protocol.models import service_of


@dataclass(frozen=True)
class Exchange:
    """What it asks for is read when somebody wants to know.

    ``owner`` says which account has what a call is about.
    """

    request: Request
    caller: Caller[AnyCaller]
    owner: Callable[[Call], str]

    @cached_property
    def service(self) -> str:
        """boto3's name of the service that is asked."""
        target = self.request.headers.get("X-Amz-Target", "")
        return service_of(self.caller.service, self.request.path, target)

    @cached_property
    def call(self) -> Call | None:
        """The operation and its arguments; None for what is read by the service itself."""
        call = read_call(
            self.request.environ,
            account=self._own_account,
            region=self.caller.region,
            scope=self.caller.service,
            caller=self.caller.holder,
        )
        return None if call is None else replace(call, account=self.owner(call))

    @property
    def account(self) -> str:
        """The account that answers."""
        return self._own_account if self.call is None else self.call.account

    @property
    def _own_account(self) -> str:
        who = self.caller.holder
        return ACCOUNT_ID if who is None else account_of(who)
