"""What AWS refuses, taken for what it means here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import ClientError

from sagemaker_serving.errors import ReportedError


@contextmanager
def refused(*codes: str, means: ReportedError | None = None) -> Iterator[None]:
    """Leaves the block where AWS refuses with one of ``codes``, or raises ``means`` then."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"].get("Code") not in codes:
            raise
        if means is not None:
            raise means from None
