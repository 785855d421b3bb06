"""What constructs ask CDK time and again: each question is a message to Node, so ask once.

An answer is remembered on the construct or the stack that it is about, and goes when that goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from typing import Any

import aws_cdk as cdk
from constructs import IConstruct

from sagemaker_serving.errors import Mistake


def is_token(text: str) -> bool:
    """Whether ``text`` is, or holds, a value that only a deploy knows.

    Asking CDK costs half a millisecond; text without a ``$`` holds no token.
    """
    return "$" in text and cdk.Token.is_unresolved(text)


def must_be_written(construct: IConstruct, parameter: str, names: Iterable[str]) -> None:
    """Raises `Mistake` for a name that only a deploy knows, where ids of constructs are made of it:
    CDK takes none that changes."""
    if any(map(is_token, names)):
        raise Mistake(
            f"{construct.node.path}: {parameter} is a value that only a deploy knows, as a "
            "parameter's; ids of constructs are made of it, so it must be known at synth; write "
            "the name itself"
        )


TOKEN_BEGINS = "${Token["
TOKEN = re.compile(rf"({re.escape(TOKEN_BEGINS)}[^]]*\]}})")
"""How CDK writes a value that only a deploy knows in a text."""


def in_lower_case(text: str) -> str:
    """``text`` as SageMaker writes names in ARNs; what only a deploy knows stays as it is."""
    parts = TOKEN.split(text)
    return "".join(one if one.startswith(TOKEN_BEGINS) else one.lower() for one in parts)


def remembered(construct: IConstruct, question: str, ask: Callable[[], Any]) -> Any:
    """What ``ask`` answers to ``question`` about ``construct``, asked once."""
    answers = vars(construct).setdefault("_answers_remembered", {})
    if question not in answers:
        answers[question] = ask()
    return answers[question]


def stack_of(construct: IConstruct) -> cdk.Stack:
    """The stack that ``construct`` stands in, or is."""
    if isinstance(construct, cdk.Stack):
        return construct
    found: cdk.Stack = remembered(construct, "stack", lambda: cdk.Stack.of(construct))
    return found


def stands_in(construct: IConstruct, scope: IConstruct) -> cdk.Stack:
    """Remembers that ``construct`` was made within ``scope``, so in its stack; that stack."""
    stack: cdk.Stack = remembered(construct, "stack", lambda: stack_of(scope))
    return stack


def region_of(construct: IConstruct) -> str:
    """The region of the construct's stack; a token when the stack has none."""
    stack = stack_of(construct)
    return str(remembered(stack, "region", lambda: stack.region))


def synthesizer_of(construct: IConstruct) -> Any:
    """What registers assets of the construct's stack (`aws_cdk.IStackSynthesizer`)."""
    stack = stack_of(construct)
    return remembered(stack, "synthesizer", lambda: _bound_synthesizer(stack))


def _bound_synthesizer(stack: cdk.Stack) -> Any:
    """CDK binds a copy of a synthesizer that was made in Python, and jsii gives the original back.

    Both have one manifest of assets, so that is bound, too. Any other refuses, being bound already.
    """
    synthesizer = stack.synthesizer
    with suppress(RuntimeError):
        synthesizer.bind(stack)
    return synthesizer


@cache
def partition() -> str:
    """``aws``, ``aws-cn``, …: one token, whatever the stack."""
    return str(cdk.Aws.PARTITION)


def colon_arn(scope: IConstruct, service: str, resource: str, name: str) -> str:
    """``arn:…:<resource>:<name>``, as services write it that have no slash there: in partition,
    region and account of the stack of ``scope``."""
    stack = stack_of(scope)
    of = remembered(stack, "partition", lambda: stack.partition)
    account = remembered(stack, "account", lambda: stack.account)
    return f"arn:{of}:{service}:{region_of(stack)}:{account}:{resource}:{name}"


def as_text(value: Any, shown: Callable[[str], str]) -> str:
    """A resolved value in one line; ``shown`` is how a reference stands in it, as ``Key.Arn``."""
    if not isinstance(value, dict):
        return str(value)
    ((function, argument),) = value.items()
    if function == "Ref":
        return shown(argument)
    if function == "Fn::GetAtt":
        return shown(".".join(argument))
    if function == "Fn::Sub":
        return re.sub(r"\$\{(.+?)\}", lambda named: shown(named[1]), str(argument))
    if function == "Fn::Join":
        return str(argument[0]).join(as_text(part, shown) for part in argument[1])
    return as_text(argument, shown)
