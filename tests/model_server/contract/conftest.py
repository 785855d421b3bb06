from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.model_server.contract.light import Light, light


@pytest.fixture(scope="session")
def container() -> Iterator[Light]:
    """Every generation's container, without TensorFlow."""
    with light() as running:
        yield running
