"""How a program with commands ends: a sentence for what went wrong, and its exit status."""

from __future__ import annotations

import os
import re
import sys
from typing import NoReturn

import click

from local_aws import terminal
from local_aws.errors import LocalAwsEnded, Mistake, ReportedError
from local_aws.garbage import collect_seldom
from local_aws.interrupts import told_as_errors
from local_aws.program import Program


def run(commands: click.Group, program: Program) -> NoReturn:
    """Runs the command that the arguments name.

    Exit status 2 is for a user error, 1 for any other failure. With the program's variable
    ``…_DEBUG`` what nobody expected shows its traceback.
    """
    collect_seldom()
    _open_what_is_closed()
    terminal.install()
    program.called()
    try:
        _must_be_given(sys.argv[1:])
        with told_as_errors():
            # Without standalone mode click returns the status that a command ended with.
            sys.exit(commands.main(standalone_mode=False))
    except (click.Abort, KeyboardInterrupt):
        from local_aws.process.forking import exit_at_once

        exit_at_once(130)  # threads may still wait for answers
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ReportedError as error:
        click.echo(f"{program.name}: {error}", err=True)
        if isinstance(error, LocalAwsEnded):
            from local_aws.process.forking import exit_at_once

            exit_at_once(error.exit_status)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if os.environ.get(program.variable("debug")):
            raise
        click.echo(f"{program.name}: {_unexpected(error, program)}", err=True)
        sys.exit(1)


def _open_what_is_closed() -> None:
    """Standard streams that the caller closed (``>&-``): nothing is read, and what is written is
    gone.

    Python has None for each, and the next file that is opened would get its number, under which
    every process started from here would take it for its own input or output.
    """
    for name, flags in (("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY), ("stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, flags)  # the lowest that is free
            os.set_inheritable(number, number < 3)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))


def _must_be_given(arguments: list[str]) -> None:
    """Raises `Mistake` for an argument of nothing, as a shell makes it of an unset variable.

    As a path it would be the folder in which the command runs.
    """
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if not argument or re.fullmatch("--[a-z0-9-]+=", argument):
            raise Mistake(
                f"there is nothing after {argument or before or 'the program'}: an argument is "
                "empty; give its value, or leave it out; perhaps a variable of the shell is not set"
            )


def _unexpected(error: Exception, program: Program) -> str:
    """What the disk or the network said, or that the fault is this project's own; one line."""
    told = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror is not None:
        place = "" if error.filename is None else f"{error.filename}: "
        return f"{place}{error.strerror.lower()}"
    return (
        f"{type(error).__name__}{': ' if told else ''}{told}; this is a fault of {program.name} "
        f"itself: {program.variable('debug')}=1 shows where; report it with that"
    )
