"""What only a deploy knows: a token stands for it in text until then."""

from __future__ import annotations

import aws_cdk as cdk


def is_token(text: str) -> bool:
    """Whether ``text`` is, or holds, a value that only a deploy knows.

    Asking CDK costs half a millisecond; text without a ``$`` holds no token.
    """
    return "$" in text and cdk.Token.is_unresolved(text)
