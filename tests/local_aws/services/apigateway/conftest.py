"""REST APIs made of parts."""

from __future__ import annotations

import pytest

from tests.local_aws.functions import Functions
from tests.local_aws.services.apigateway.rest import Rest


@pytest.fixture
def rest(functions: Functions) -> Rest:
    """A new REST API."""
    return Rest(functions)
