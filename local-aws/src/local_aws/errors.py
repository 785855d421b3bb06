"""What the local AWS, and whoever builds on it, raises on purpose.

::

    ReportedError                one base class: a command line prints it, never a traceback
    ├── Mistake                  the user can mend it: exit status 2
    │   └── NotFound             a named thing (endpoint, stack, fault) does not exist
    └── Failure                  AWS, a program or this machine failed: exit status 1
        ├── LocalAwsEnded        the local AWS ended while it was spoken to
        └── DeployFailed         a stack did not reach its wanted state

A message says what is wrong, where, what is allowed and what to do; lower case, no full stop, the
value shown, the user's own parameter name.
"""

from __future__ import annotations


class ReportedError(Exception):
    """Base of every error that reaches a user.

    ``exit_status`` is what the command line ends with: 2 for the user's
    mistake, 1 for the world's.
    """

    exit_status = 1


class Mistake(ReportedError):
    """The user can mend this: a wrong file, value, name or option."""

    exit_status = 2


class Failure(ReportedError):
    """The world failed: AWS, a model, a process or this machine."""

    exit_status = 1


class NotFound(Mistake):
    """Something the user named does not exist."""


class LocalAwsEnded(Failure):
    """The local AWS ended while it was spoken to; nothing that is still asked of it is answered."""


class DeployFailed(Failure):
    """A stack did not reach its wanted state; the message quotes the first reason."""
