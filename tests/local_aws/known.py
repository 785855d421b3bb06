"""What the services of a local AWS say of themselves, without one that runs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from local_aws.integration import Integrations
from local_aws.permissions.service import ServicePermissions
from tests.local_aws.aws import gateway_of


@cache
def integrations() -> Integrations:
    """What Step Functions can do with every service."""
    return _known()[0]


@cache
def permissions() -> Mapping[str, ServicePermissions]:
    """What the calls of every service need."""
    return _known()[1]


@cache
def _known() -> tuple[Integrations, Mapping[str, ServicePermissions]]:
    with tempfile.TemporaryDirectory() as folder:
        gateway = gateway_of(Path(folder))
        gateway.stop()
    return gateway.context.integrations, gateway._permissions
