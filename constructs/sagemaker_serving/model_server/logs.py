"""The container log: plain lines in the container's own form."""

from __future__ import annotations

import logging
import sys

FORMAT = "%(process)d %(asctime)s %(levelname)-8s %(message)s"

PLAIN_FORMAT = "%(levelname)s:__main__:%(message)s"
"""The form of images up to 2.8: that of 2.9 came on 2023-04-06 (e17efdeda5 of
aws/deep-learning-containers, serve.py)."""


def start_logging(level: int = logging.INFO, form: str = FORMAT) -> None:
    """Send this process's log lines to stderr."""
    logging.basicConfig(format=form, level=level, stream=sys.stderr, force=True)
    logging.getLogger("aiohttp.server").addFilter(_without_trace)


def _without_trace(record: logging.LogRecord) -> bool:
    """A caller's broken HTTP is one line: where it was parsed is nobody's concern."""
    error = record.exc_info[1] if record.exc_info else None
    if type(error).__module__ == "aiohttp.http_exceptions":
        said = " ".join(str(error).split())
        record.msg, record.args, record.exc_info = "bad request: %s", (said,), None
    return True
