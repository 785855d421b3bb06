"""Values that only a deploy knows, and what every ARN begins with."""

from __future__ import annotations

from functools import cache

import aws_cdk as cdk


def is_token(text: str) -> bool:
    """Whether ``text`` is, or holds, a value that only a deploy knows.

    Asking CDK costs half a millisecond; text without a ``$`` holds no token.
    """
    return "$" in text and cdk.Token.is_unresolved(text)


@cache
def partition() -> str:
    """``aws``, ``aws-cn``, …: a token, whatever the stack."""
    return str(cdk.Aws.PARTITION)
