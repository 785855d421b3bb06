"""What Lambda itself writes around what a function has printed, as text or as JSON.

The forms are those of the AWS Lambda developer guide, "Configuring JSON and plain text log formats"
and "Log-level filtering". DEBUG writes here what INFO does.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from local_aws.clock import iso, now
from local_aws.services.lambda_.sandbox import Outcome
from local_aws.services.lambda_.store import Configuration

_LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")

_SAID_BY_LAMBDA = ("Sandbox.Timedout", "Runtime.ExitError", "Runtime.OutOfMemory")


def log_of(request_id: str, configuration: Configuration, outcome: Outcome) -> list[str]:
    """The lines of one invocation: its start, what was printed, what went wrong, its report."""
    if configuration["LoggingConfig"]["LogFormat"] == "JSON":
        return list(_as_json(request_id, configuration, outcome))
    said = [] if outcome.error_type not in _SAID_BY_LAMBDA else [_last_words(request_id, outcome)]
    init = "" if outcome.init_ms is None else f"\tInit Duration: {outcome.init_ms:.2f} ms"
    status = ""
    if outcome.ending == "timeout":
        status = "\tStatus: timeout"
    elif outcome.error_type in _SAID_BY_LAMBDA:
        status = f"\tStatus: error\tError Type: {outcome.error_type}"
    return [
        f"START RequestId: {request_id} Version: {configuration['Version']}",
        *outcome.lines,
        *said,
        f"END RequestId: {request_id}",
        f"REPORT RequestId: {request_id}\tDuration: {outcome.duration_ms:.2f} ms\t"
        f"Billed Duration: {math.ceil(outcome.duration_ms)} ms\t"
        f"Memory Size: {configuration['MemorySize']} MB\tMax Memory Used: {outcome.memory_mb} MB"
        f"{init}{status}",
    ]


def _as_json(request_id: str, configuration: Configuration, outcome: Outcome) -> Iterator[str]:
    """As `log_of`, without what is below the levels that are set."""
    levels = configuration["LoggingConfig"]
    system, application = levels["SystemLogLevel"], levels["ApplicationLogLevel"]
    if system != "WARN":
        started = {"requestId": request_id, "version": configuration["Version"]}
        yield _event("platform.start", started)
    for line in outcome.lines:
        if _LEVELS.index(_level_of(line)) >= _LEVELS.index(application):
            yield line
    if system != "WARN" or outcome.failed:
        init = {} if outcome.init_ms is None else {"initDurationMs": round(outcome.init_ms, 3)}
        report = {
            "requestId": request_id,
            "metrics": {
                "durationMs": round(outcome.duration_ms, 3),
                "billedDurationMs": math.ceil(outcome.duration_ms),
                "memorySizeMB": configuration["MemorySize"],
                "maxMemoryUsedMB": outcome.memory_mb,
                **init,
            },
            "status": "success",
        }
        if outcome.failed:
            status = "timeout" if outcome.ending == "timeout" else "error"
            report |= {"status": status, "errorType": outcome.error_type}
        yield _event("platform.report", report)


def _event(kind: str, record: dict[str, Any]) -> str:
    return json.dumps({"time": iso(now()), "type": kind, "record": record})


def _level_of(line: str) -> str:
    """The level that a printed line says of itself; without one it is INFO."""
    try:
        said = json.loads(line)
    except ValueError:
        return "INFO"
    level = said.get("level") or said.get("log_level") if isinstance(said, dict) else None
    known = {"WARNING": "WARN", "CRITICAL": "FATAL"}.get(str(level).upper(), str(level).upper())
    return known if known in _LEVELS else "INFO"


def _last_words(request_id: str, outcome: Outcome) -> str:
    message: str = json.loads(outcome.body)["errorMessage"]
    if outcome.ending == "timeout":
        return f"{request_id} {message.partition('Error: ')[2]}"
    return f"{message}\n{outcome.error_type}"
