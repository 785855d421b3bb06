"""What constructs ask CDK time and again: each question is a message to Node, so ask once."""

from __future__ import annotations

from functools import cache
from weakref import WeakKeyDictionary

import aws_cdk as cdk
from constructs import IConstruct


def is_token(text: str) -> bool:
    """Whether ``text`` is, or holds, a value that only a deploy knows.

    Asking CDK costs half a millisecond; text without a ``$`` holds no token.
    """
    return "$" in text and cdk.Token.is_unresolved(text)


def stack_of(construct: IConstruct) -> cdk.Stack:
    """The stack that ``construct`` stands in, or is."""
    if isinstance(construct, cdk.Stack):
        return construct
    found = _STACKS.get(construct)
    if found is None:
        found = _STACKS[construct] = cdk.Stack.of(construct)
    return found


def stands_in(construct: IConstruct, scope: IConstruct) -> cdk.Stack:
    """Remembers that ``construct`` was made within ``scope``, so in its stack; that stack."""
    _STACKS[construct] = stack_of(scope)
    return _STACKS[construct]


def synthesize_with(stack: cdk.Stack, synthesizer: cdk.DefaultStackSynthesizer) -> None:
    """Remembers the synthesizer that ``stack`` was made with, so that assets reach it.

    A stack binds a copy of it; asked for that copy from Python, Node hands out the
    original, which nobody bound, with a warning. Both share one list of assets.
    """
    synthesizer.bind(stack)
    _SYNTHESIZERS[stack] = synthesizer


def synthesizer_of(stack: cdk.Stack) -> cdk.IStackSynthesizer:
    """Where the stack's assets are registered."""
    return _SYNTHESIZERS.get(stack) or stack.synthesizer


def region_of(construct: IConstruct) -> str:
    """The region of the construct's stack; a token when the stack has none."""
    stack = stack_of(construct)
    found = _REGIONS.get(stack)
    if found is None:
        found = _REGIONS[stack] = stack.region
    return found


_STACKS: WeakKeyDictionary[IConstruct, cdk.Stack] = WeakKeyDictionary()
_SYNTHESIZERS: WeakKeyDictionary[cdk.Stack, cdk.DefaultStackSynthesizer] = WeakKeyDictionary()
_REGIONS: WeakKeyDictionary[cdk.Stack, str] = WeakKeyDictionary()


@cache
def partition() -> str:
    """``aws``, ``aws-cn``, …: a token, whatever the stack."""
    return str(cdk.Aws.PARTITION)
