"""What constructs ask CDK time and again: each question is a message to Node, so ask once.

An answer is remembered on the construct or the stack that it is about, and goes when that goes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import aws_cdk as cdk
from constructs import IConstruct

_STACK, _REGION, _SYNTHESIZER = "_stack_remembered", "_region_remembered", "_synthesizer_remembered"


def is_token(text: str) -> bool:
    """Whether ``text`` is, or holds, a value that only a deploy knows.

    Asking CDK costs half a millisecond; text without a ``$`` holds no token.
    """
    return "$" in text and cdk.Token.is_unresolved(text)


def stack_of(construct: IConstruct) -> cdk.Stack:
    """The stack that ``construct`` stands in, or is."""
    if isinstance(construct, cdk.Stack):
        return construct
    remembered = vars(construct)
    if _STACK not in remembered:
        remembered[_STACK] = cdk.Stack.of(construct)
    found: cdk.Stack = remembered[_STACK]
    return found


def stands_in(construct: IConstruct, scope: IConstruct) -> cdk.Stack:
    """Remembers that ``construct`` was made within ``scope``, so in its stack; that stack."""
    vars(construct)[_STACK] = stack_of(scope)
    return stack_of(construct)


def region_of(construct: IConstruct) -> str:
    """The region of the construct's stack; a token when the stack has none."""
    stack = stack_of(construct)
    remembered = vars(stack)
    if _REGION not in remembered:
        remembered[_REGION] = stack.region
    return str(remembered[_REGION])


def synthesizer_of(construct: IConstruct) -> Any:
    """What registers assets of the construct's stack (`aws_cdk.IStackSynthesizer`)."""
    stack = stack_of(construct)
    remembered = vars(stack)
    if _SYNTHESIZER not in remembered:
        remembered[_SYNTHESIZER] = stack.synthesizer
    return remembered[_SYNTHESIZER]


@cache
def partition() -> str:
    """``aws``, ``aws-cn``, …: one token, whatever the stack."""
    return str(cdk.Aws.PARTITION)
