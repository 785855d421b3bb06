"""The documents' Python is Python, and what it imports from this project is there."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator

import pytest

from tools.transcripts.blocks import PAGES, Block, blocks

_OURS = ("sagemaker_serving", "stacks", "aws_cdk", "boto3")


def _python() -> Iterator[Block]:
    for page in PAGES:
        yield from blocks(page, "python")


@pytest.mark.parametrize("block", list(_python()), ids=lambda block: block.where)
def test_it_compiles_and_imports_what_exists(block: Block) -> None:
    tree = ast.parse(block.text, filename=block.where)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(_OURS):
            module = importlib.import_module(node.module)
            for alias in node.names:
                if alias.name != "*" and not hasattr(module, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(_OURS):
                    importlib.import_module(alias.name)
