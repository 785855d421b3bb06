"""The time, as AWS's services write it."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The time, to the millisecond, in UTC."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def iso(moment: datetime) -> str:
    """``2026-11-21T12:30:00.123Z``."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def epoch_milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return round(moment.timestamp() * 1000)
