from __future__ import annotations

from collections.abc import Callable

import aws_cdk as cdk
import pytest

NewStack = Callable[[], cdk.Stack]


@pytest.fixture(scope="module")
def new_stack(tmp_path_factory: pytest.TempPathFactory) -> NewStack:
    """Makes stacks, each in an app of its own."""

    def make() -> cdk.Stack:
        app = cdk.App(outdir=str(tmp_path_factory.mktemp("cdk.out")))
        return cdk.Stack(app, "Stack", env=cdk.Environment(region="eu-west-1"))

    return make
