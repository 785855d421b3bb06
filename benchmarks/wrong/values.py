"""Values that AWS's documentation, or a container's source, calls wrong, each with a right one."""

from __future__ import annotations

import random


def of_schedule(dice: random.Random) -> tuple[str, str, str]:
    """The kind of a schedule, "cron", "rate" or "at"; a wrong one, and a right one."""
    kind = dice.choice(["cron", "cron", "rate", "at"])
    wrong, right = {"cron": _cron, "rate": _rate, "at": _at}[kind](dice)
    return kind, wrong, right


def _cron(dice: random.Random) -> tuple[str, str]:
    fields = [dice.choice(each) for each in _RIGHT_FIELDS]
    if dice.random() < 0.5:
        fields[2], fields[4] = "?", dice.choice(_WEEKDAYS)
    right = f"cron({' '.join(fields)})"
    how = dice.random()
    if how < 0.7:
        index = dice.randrange(6)
        fields[index] = dice.choice(_WRONG_FIELDS[index])
        wrong = f"cron({' '.join(fields)})"
    elif how < 0.85:
        wrong = f"cron({' '.join(fields[: dice.choice([0, 1, 5])])})"
    else:
        fields[2] = fields[4] = dice.choice(["?", "1"])
        wrong = f"cron({' '.join(fields)})"
    return wrong, right


_RIGHT_FIELDS = (
    ["0", "59", "0/15", "*", "5,35", "0-10"],
    ["8", "0", "23", "8-17", "*", "1/2"],
    ["*", "1", "28", "L", "15W", "1,15"],
    ["*", "1", "12", "JAN", "JAN-JUN", "3,6,9"],
    ["?"],
    ["*", "2027", "2199", "2026-2030"],
)
_WEEKDAYS = ["MON", "1", "7", "MON-FRI", "6L", "TUE#2", "SUN,WED", "*"]
_WRONG_FIELDS = (
    ["60", "-1", "99", "x", "?", "L", "0/0", "1.5", "0-60", "\u0663"],
    ["24", "-1", "8am", "?", "W", "0-24", "8:00"],
    ["0", "32", "x", "2#1", "1-32", "32W"],
    ["0", "13", "JANUARY", "?", "L", "1-13", "FOO"],
    ["0", "8", "MONDAY", "FOO", "MON#6", "2W", "MON#0"],
    ["1969", "2200", "x", "?", "27", "2026-2200"],
)


def _rate(dice: random.Random) -> tuple[str, str]:
    number = dice.choice([1, 2, 5, 30])
    unit = dice.choice(["minute", "hour", "day"]) + ("" if number == 1 else "s")
    words = ("0 minutes", "-5 minutes", "1.5 hours", "1 week", "two days", "5", "1_0 days")
    others = ("every day", f"rate {number} {unit}", "", "rate(5minutes)")
    wrong = dice.choice([*(f"rate({each})" for each in words), *others])
    return wrong, f"rate({number} {unit})"


def _at(dice: random.Random) -> tuple[str, str]:
    days = ["2027-02-29", "2027-04-31", "2027-13-01", "2027-00-10", "2027-01-32", "27-01-01"]
    times = ["24:01:00", "08:60:00", "08:00:61", "8:00", "08:00", ""]
    day, time = f"20{dice.randint(27, 99)}-0{dice.randint(1, 9)}-{dice.randint(10, 28)}", "08:00:00"
    right = f"at({day}T{time})"
    if dice.random() < 0.5:
        day = dice.choice(days)
    else:
        time = dice.choice(times)
    return f"at({day}T{time})", right


def of_time_zone(dice: random.Random) -> tuple[str, str]:
    """A wrong one, and a right one."""
    wrong = dice.choice(["Berlin", "Europe/Berlyn", "+01:00", "CESTX", "", "europe", "UTC+1"])
    right = dice.choice(["Europe/Berlin", "Etc/GMT+9", "Pacific/Tahiti", "UTC", "America/New_York"])
    return wrong, right


def of_variable(dice: random.Random) -> tuple[str, str, str, str]:
    """The base whose container reads a variable, its name, a wrong value and a right one."""
    base, name, kind = dice.choice(VARIABLES)
    return base, name, dice.choice(_WRONG_TEXTS[kind]), dice.choice(_RIGHT_TEXTS[kind])


_WHOLE = [
    *("", "two", "-1", "1.5", "1_0", "1e3", "\u0661", "nan", str(2**64), " 4", "0x4", "4s"),
]
_WRONG_TEXTS = {
    "whole": _WHOLE,
    "positive": [*_WHOLE, "0"],
    "switch": ["yes", "1", "", "on"],
    "flag": ["yes", "no", "on", "1", "0", "", "tru"],
    "share": ["1.5", "-0.1", "20%", "nan", "inf", "", "0,2"],
    "level": ["verbose", "trace", "", "9"],
    "ports": ["9000", "9999-9000", "9000-99999", "", "a-b", "9000:9999"],
}
_RIGHT_TEXTS = {
    "switch": ["false", "False"],  # on, a host of two CPUs has too short a queue
    "whole": ["0", "1", "64"],
    "positive": ["1", "8", "30"],
    "flag": ["true", "false", "True"],
    "share": ["0", "1", "0.2", ".5"],
    "level": ["debug", "info"],
    "ports": ["9000-9999"],
}
_TFS, _GUNICORN = "SAGEMAKER_TFS_", "SAGEMAKER_GUNICORN_"
VARIABLES = [
    ("instances", f"{_TFS}ENABLE_BATCHING", "switch"),
    *(
        ("instances", f"{_TFS}{name}", "positive")
        for name in ("MAX_BATCH_SIZE", "NUM_BATCH_THREADS", "INSTANCE_COUNT", "WAIT_TIME_SECONDS")
    ),
    ("instances", f"{_TFS}BATCH_TIMEOUT_MICROS", "whole"),
    ("instances", f"{_TFS}INTER_OP_PARALLELISM", "whole"),
    ("instances", f"{_TFS}FRACTIONAL_GPU_MEM_MARGIN", "share"),
    ("instances", "SAGEMAKER_SAFE_PORT_RANGE", "ports"),
    *(
        ("instances", f"{_GUNICORN}{name}", "positive")
        for name in ("WORKERS", "THREADS", "TIMEOUT_SECONDS")
    ),
    ("instances", f"{_GUNICORN}LOGLEVEL", "level"),
    *(
        ("pytorch", name, "positive")
        for name in (
            *("SAGEMAKER_MODEL_SERVER_WORKERS", "SAGEMAKER_MODEL_SERVER_TIMEOUT"),
            *("SAGEMAKER_TS_BATCH_SIZE", "TS_JOB_QUEUE_SIZE", "MMS_JOB_QUEUE_SIZE"),
        )
    ),
    ("pytorch", "TS_DEFAULT_WORKERS_PER_MODEL", "whole"),
    ("pytorch", "TS_ASYNC_LOGGING", "flag"),
]
"""Variables by the sources that catalog/variables.py names: what reads them, and as what."""
