"""A look at the first records before anything runs: whether they can share a payload at all."""

from __future__ import annotations

from itertools import islice

from .errors import Refused
from .inputs import first_input
from .line_count import REQUEST
from .records import Damaged, Unzipped
from .run import Run
from .store import Place

_JSON = ("application/json", "application/jsonlines", "application/jsons")
_LOOKED_AT_BYTES = 1 << 16
_LOOKED_AT_LINES = 10


def refuse_requests_in_one_payload(run: Run) -> None:
    """Raise `Refused` where the first input's lines are whole requests, and would go together.

    TensorFlow Serving takes one request in a payload. A container with code of the user's may take
    more, which is not known of every model: there a strategy that somebody has chosen stands.
    """
    is_chosen = "BatchStrategy" in run.job
    by_line = run.split_type == "Line" and run.content_type in _JSON
    is_known = run.requests_alone is True or not is_chosen
    if not (by_line and run.takes_requests_alone and is_known):
        return
    place = first_input(run)
    lines = [] if place is None else _first_lines(run, place)
    number = next((number for number, line in lines if REQUEST.search(line)), None)
    if number is not None and len(lines) > 1:
        raise Refused(
            [
                f'line {number} of {place} is a whole request, such as {{"instances": …}}, and '
                f"with batch_strategy MultiRecord{'' if is_chosen else ', the default,'} many "
                "lines go in one payload, of which TensorFlow Serving answers the first or none; "
                "set batch_strategy to SingleRecord"
            ]
        )


def _first_lines(run: Run, place: Place) -> list[tuple[int, bytes]]:
    """The first lines that are not blank, each with its number."""
    body = run.store.open(place)
    stream = Unzipped(body) if run.is_gzip else body
    try:
        begins = stream.read(_LOOKED_AT_BYTES)
    except Damaged:
        return []
    lines = enumerate(begins.split(b"\n"), start=1)
    return list(islice(((n, line) for n, line in lines if line.strip()), _LOOKED_AT_LINES))
