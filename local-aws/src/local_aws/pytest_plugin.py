"""The pytest plugin: fixtures that deploy CDK apps to a local AWS of the test session.

It is loaded in every test run where local-aws is installed, so it imports nothing of it, and
starts nothing, before a fixture is asked for. With pytest-xdist each worker has a local AWS.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from local_aws.testing import DeployApp, DeployedApp, FaultsPage, LocalAws
    from local_aws.testing.report import Mark


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--local-aws-time-scale``, and what a configuration file may say."""
    parser.addini("local_aws_region", "where apps go that name no region", default="eu-west-1")
    parser.addini("local_aws_time_scale", "as --local-aws-time-scale", default="1")
    parser.getgroup("local-aws").addoption(
        "--local-aws-time-scale",
        metavar="N",
        help="how many seconds of AWS's own waits pass in one: deployments' bakes, alarms' "
        "periods, scaling's cooldowns; default: local_aws_time_scale of the configuration, or 1",
    )


@pytest.fixture(scope="session")
def local_aws(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LocalAws]:
    """The local AWS of this test session, a `LocalAws`. It ends with the session, however that
    ends."""
    from local_aws.extras import need_run

    need_run()
    from local_aws.testing.running import started

    with started(
        tmp_path_factory.mktemp("local-aws"),
        apps=pytestconfig.rootpath,
        region=pytestconfig.getini("local_aws_region"),
        time_scale=_time_scale(pytestconfig),
    ) as running:
        pytestconfig.stash[_RUNNING] = running
        yield running
        del pytestconfig.stash[_RUNNING]


@pytest.fixture
def deploy_app(local_aws: LocalAws) -> Iterator[DeployApp]:
    """Deploys a CDK app, which is destroyed after the test: what `LocalAws.deployed` takes, and
    yields. A module's or the session's own fixture calls that instead."""
    with ExitStack() as apps:

        def deploy(*arguments: Any, **options: Any) -> DeployedApp:
            return apps.enter_context(local_aws.deployed(*arguments, **options))

        yield deploy


@pytest.fixture(scope="session")
def boto3_session(local_aws: LocalAws) -> Any:
    """A boto3 session whose clients and resources are the local AWS's."""
    return local_aws.session()


@pytest.fixture(scope="session")
def boto3_client(local_aws: LocalAws) -> Any:
    """``boto3_client("sqs")``: a boto3 client of the local AWS, as `LocalAws.client` makes it."""
    return local_aws.client


@pytest.fixture
def faults(local_aws: LocalAws) -> Iterator[FaultsPage]:
    """Makes the local AWS fail as AWS does, until the test ends: ``faults.set("throttling")``."""
    local_aws.faults.clear()
    yield local_aws.faults
    local_aws.faults.clear()


@pytest.fixture
def aws_environment(local_aws: LocalAws, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points what the test itself imports at the local AWS: ``boto3.client("sqs")``, and programs
    that it runs. Nothing that the shell knows of AWS is left, until the test ends."""
    from local_aws.process.isolation import is_about_aws, no_proxy

    for name in list(os.environ):
        if is_about_aws(name):
            monkeypatch.delenv(name)
    for name, value in local_aws.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("no_proxy", no_proxy(os.environ))
    # boto3 keeps the credentials that its first call has found.
    import boto3

    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note what has gone wrong until now, before fixtures are made."""
    running = item.config.stash.get(_RUNNING, None)
    if running is not None and _is_concerned(item):
        item.stash[_MARK] = running.report.mark()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, Any]:
    """To the report of a test that failed, add what failed and was denied meanwhile."""
    report = yield
    running = item.config.stash.get(_RUNNING, None)
    if report.failed and running is not None and _is_concerned(item):
        report.sections += running.report.sections(item.stash.get(_MARK, None))
    return report


def _time_scale(config: pytest.Config) -> float:
    from local_aws.settings import positive_number

    name = "local_aws_time_scale"
    given = config.getoption(name)
    scale = positive_number({name: config.getini(name) if given is None else given}, name)
    return 1.0 if scale is None else scale


def _is_concerned(item: pytest.Item) -> bool:
    return "local_aws" in getattr(item, "fixturenames", ())


_RUNNING: pytest.StashKey[LocalAws] = pytest.StashKey()
_MARK: pytest.StashKey[Mark] = pytest.StashKey()
