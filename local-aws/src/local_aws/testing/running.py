"""The local AWS of a test session, a process of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from local_aws import daemon
from local_aws.errors import NotFound
from local_aws.process.address import Address
from local_aws.process.faults import FaultsPage
from local_aws.settings import time_scale_variable
from local_aws.testing.apps import DeployedApp, deployed
from local_aws.testing.report import Report


class LocalAws:
    """A local AWS that runs.

    ``url`` is where, ``region`` where everything goes that names none. ``faults`` makes it fail as
    AWS does.
    """

    def __init__(self, address: Address, *, apps: Path, region: str) -> None:
        self.url = address.url
        self.region = region
        self.faults = FaultsPage(address)
        self.report = Report(address)
        self._address = address
        self._apps = apps

    def session(self, region: str | None = None) -> Any:
        """A boto3 session whose clients and resources are this AWS's; nothing of the shell and of
        ``~/.aws`` has a say in it."""
        return self._address.session(self.region if region is None else region)

    def client(self, service: str, region: str | None = None, **options: Any) -> Any:
        """A boto3 client of ``service``; the options are boto3's."""
        return self.session(region).client(service, **options)

    def environment(self, region: str | None = None) -> dict[str, str]:
        """The variables with which any AWS tool speaks to it, for programs that a test starts."""
        return self._address.environment(self.region if region is None else region)

    def deployed(
        self,
        path: str | os.PathLike[str],
        *,
        stacks: Sequence[str] = (),
        context: Mapping[str, str] = MappingProxyType({}),
        env: Mapping[str, str] = MappingProxyType({}),
        region: str | None = None,
    ) -> AbstractContextManager[DeployedApp]:
        """Deploys the CDK app in ``path`` by the CDK CLI, and destroys it at the end of the block.

        ``path`` is from pytest's root folder. ``stacks`` are names, paths or patterns, and what
        they depend on is deployed with them; default: all. ``context`` are values of the app's
        context, ``env`` variables that the app gets: of the shell's it has the path and no more.
        ``region`` is where stacks go that name none. Raises `Mistake` when one of the stacks is
        deployed already, and `DeployFailed`, with the first reason, after the rollback.
        """
        return deployed(
            self._address,
            self.report,
            self._apps / path,
            stacks=stacks,
            context=context,
            env=env,
            region=self.region if region is None else region,
        )


@contextmanager
def started(folder: Path, *, apps: Path, region: str, time_scale: float) -> Iterator[LocalAws]:
    """A local AWS in ``folder``, which is empty; both are gone at the end.

    ``apps`` is where relative paths of apps begin. It ends with this process, too, however that
    does. Raises what `daemon.start` does.
    """
    environment = {time_scale_variable(): f"{time_scale:g}"}
    address = daemon.start(folder, port=0, end_with=os.getpid(), environment=environment)
    try:
        yield LocalAws(address, apps=apps, region=region)
    finally:
        with suppress(NotFound):  # it was killed
            daemon.stop(folder)
        shutil.rmtree(folder, ignore_errors=True)
