"""Data on its way: records that are cut into requests, each small enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from sagemaker_serving.catalog.request_sizes import PayloadLimits
from sagemaker_serving.errors import Mistake

Encoding = Literal["npy", "raw", "base64", "json", "jsonlines", "csv"]
"""How records become bytes; `sagemaker_serving.client.payload.choice` chooses among them."""


Joining = Literal["one", "list", "rows"]
"""What becomes of the answers: there is one; each stands for itself, in a list; or each has one
row for every record, and the rows are joined."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """One request: ``count`` records from ``first`` on, as the bytes that are sent.

    ``rows`` is how many rows the answer must have; None for a body that somebody else wrote.
    """

    first: int
    count: int
    body: bytes
    content_type: str
    rows: int | None = None


class Batch(Protocol):
    """Records in their order, and how they become requests."""

    @property
    def records(self) -> int:
        """How many records there are."""

    @property
    def joining(self) -> Joining:
        """What becomes of the answers."""

    def pieces(self, limits: PayloadLimits, *, most_records: int | None = None) -> Iterator[Piece]:
        """Cuts the records into requests, each made only when it is asked for.

        No request has more than ``most_records`` records. Before it returns it
        raises `Mistake` when a record by itself is larger than ``limits.most``.
        """


def too_large(what: str, size: int, limits: PayloadLimits) -> Mistake:
    """One record that no request can carry."""
    documented = f" ({limits.documented})" if limits.documented else ""
    return Mistake(
        f"{what} has {size:,} bytes in a request of its own; this endpoint takes {limits.most:,}"
        f"{documented}; send it smaller (fewer pixels, a smaller dtype, a denser encoding), deploy "
        "the model as an asynchronous endpoint (1 GB), or run a batch transform"
    )
