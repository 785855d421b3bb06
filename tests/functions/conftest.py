"""What is refused in this process is refused for good, unless a test waits for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sagemaker_serving.functions.custom_resource import refusals


@pytest.fixture(scope="package", autouse=True)
def _no_patience() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(refusals, "PATIENCE_SECONDS", 0.0)
        yield
