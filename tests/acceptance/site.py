"""An AWS that the scenario is played on: where it is, and what its shell's variables are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local_aws import daemon
from local_aws.process import has_ended
from local_aws.process.address import Address
from local_aws.process.alive import ending_with
from local_aws.settings import time_scale_variable
from sagemaker_serving.client import Aws
from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.errors import Mistake

_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TERM", "TMPDIR")
_TIME_SCALE = 60
"""Of the local AWS: a canary's two minutes pass in two seconds."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """``caller`` is who asks; ``poll_seconds`` how often what is waited for is looked at, and
    ``patience_seconds`` how long at most; ``look_seconds`` how often what passes by itself is."""

    name: str
    aws: Aws
    shell: Mapping[str, str]
    account: str
    region: str
    caller: str
    poll_seconds: float
    look_seconds: float
    patience_seconds: float


@contextmanager
def local_site(state: Path, region: str) -> Iterator[Site]:
    """A fresh local AWS in the folder ``state``, which ends with the block."""
    address = daemon.start(
        state,
        port=0,
        with_parent=True,
        fresh=True,
        environment={time_scale_variable(): str(_TIME_SCALE)},
    )
    try:
        with ending_with(address):
            yield _of_local(address, region)
    finally:
        if not has_ended(address.pid):
            daemon.stop(state)


def account_site(account: str, region: str, *, poll_seconds: float, look_seconds: float) -> Site:
    """The account of the shell's credentials.

    Raises `Mistake` when they are another account's than ``account``.
    """
    aws = Aws(region=region)
    found, caller = _identity(aws)
    if found != account:
        raise Mistake(
            f"ACCOUNT is {account}, and the credentials are of {found}; nothing was made; set "
            "AWS_PROFILE to a profile of that account"
        )
    return Site(
        name="AWS",
        aws=aws,
        shell={**os.environ, "AWS_REGION": region, "AWS_DEFAULT_REGION": region},
        account=found,
        region=region,
        caller=caller,
        poll_seconds=poll_seconds,
        look_seconds=look_seconds,
        patience_seconds=3600.0,
    )


def _of_local(address: Address, region: str) -> Site:
    aws = Aws.at(address, region)
    account, caller = _identity(aws)
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return Site(
        name="the local AWS",
        aws=aws,
        shell={**kept, **address.environment(region)},
        account=account,
        region=region,
        caller=caller,
        poll_seconds=0.1,
        look_seconds=0.01,
        patience_seconds=240.0,
    )


def _identity(aws: Aws) -> tuple[str, str]:
    with aws_failures():
        identity = aws.client("sts").get_caller_identity()
    return identity["Account"], identity["Arn"]
