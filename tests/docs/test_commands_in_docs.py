"""Every ``sagemaker-serving …`` and ``local-aws …`` that the documents show is a command, and their
Python is Python."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest
import yaml

from local_aws import cli as local_aws_cli
from sagemaker_serving.cli.commands import group
from tools.transcripts.blocks import PAGES, ROOT, WORKFLOW, Block, blocks

_PROGRAMS = {"sagemaker-serving": group, "local-aws": local_aws_cli.commands}
_PROGRAM = "sagemaker-serving|local-aws"
_ENDS = {"|", "||", "&&", ";", "&", ">", ">>", "<", "<<", "2>&1", ")"}
_UNKNOWN = re.compile(r"[$<\[…]")
"""What stands for a value that the page does not say."""


def _shown() -> Iterator[tuple[str, str, bool]]:
    """Where, the command, and whether it is whole: one to be run, and not one that is named."""
    for page in PAGES:
        for block in blocks(page):
            for command in _commands(block.text):
                yield block.where, command, block.language in ("sh", "console")
        text = page.read_text(encoding="utf-8")
        for inline in re.findall(rf"(?<!`)`((?:{_PROGRAM}) [^`]+)`(?!`)", text):
            yield str(page.relative_to(ROOT)), " ".join(inline.split()), False
    for name, job in yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"].items():
        for step in job["steps"]:
            for command in _commands(step.get("run", "")):
                yield f"{WORKFLOW.relative_to(ROOT)} {name}", command, True


def _commands(text: str) -> Iterator[str]:
    """The lines that begin with the program, with those that they go on in."""
    text = re.sub(r"\s# .*", "", text.replace("\\\n", " "))
    lines = iter(text.splitlines())
    for line in lines:
        found = re.match(rf"\s*(?:\$ )?(?:\.venv/bin/)?((?:{_PROGRAM}) .*)", line)
        if found is not None:
            command = found[1]
            while command.count("'") % 2:
                command += "\n" + next(lines)
            yield command


def _words(command: str) -> list[str]:
    """The words up to a pipe, a redirection or the next command."""
    reader = shlex.shlex(command, posix=True, punctuation_chars="();<>|&")
    reader.whitespace_split = True
    words = []
    for word in reader:
        if word in _ENDS or set(word) <= set("();<>|&"):
            break
        words.append(word)
    return words


def _found(words: list[str]) -> tuple[click.Command, list[str]]:
    command: click.Command = _PROGRAMS[words[0]]
    words = words[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        context = click.Context(command)
        named = command.get_command(context, words[0])
        # `transform MODEL` is `transform start MODEL`.
        below = named if named is not None else command.get_command(context, "start")
        assert below is not None, f"there is no command {words[0]!r}"
        command, words = below, words if named is None else words[1:]
    return command, words


def _must_be_whole(command: click.Command, given: dict[str, Any], left: list[str]) -> None:
    missing = [
        parameter.name
        for parameter in command.params
        if parameter.required and not isinstance(given.get(str(parameter.name)), str | list | tuple)
    ]
    assert missing == [], "what it needs is missing"
    assert left == [], "it takes no such argument"


def _must_convert(command: click.Command, given: dict[str, Any]) -> None:
    plain = (click.Choice, click.IntRange, click.FloatRange, click.types.FloatParamType)
    for parameter in command.params:
        value = given.get(str(parameter.name))
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(parameter.type, plain) or not isinstance(one, str):
                continue
            if not _UNKNOWN.search(one):
                parameter.type(one, parameter)


def test_each_parses() -> None:
    wrong = []
    for where, command, whole in dict.fromkeys(_shown()):
        try:
            _must_parse(command, whole)
        except (AssertionError, click.UsageError) as error:
            wrong.append(f"{where}: {command}: {error}")
    assert wrong == []


def _must_parse(command: str, whole: bool) -> None:
    known, words = _found(_words(command))
    words = [word for word in words if word != "…"]
    try:
        # click keeps the help option of the first context that a command is asked in.
        context = click.Context(known, help_option_names=["-h", "--help"])
        given, left, _ = known.make_parser(context).parse_args(words)
    except click.BadOptionUsage:
        if whole:
            raise
        return  # an option that is named without a value
    _must_convert(known, given)
    if whole and not isinstance(known, click.Group) and "--help" not in words:
        _must_be_whole(known, given, left)


def test_commands_are_found_in_every_kind_of_place() -> None:
    shown = list(_shown())
    assert len(shown) > 100
    assert any(where.startswith("docs/ci/") for where, _, _ in shown)
    assert any("README.md" in where for where, _, _ in shown)


@pytest.mark.parametrize(
    "command",
    ["sagemaker-serving guess", "sagemaker-serving check x --no-such", "sagemaker-serving watch"],
)
def test_what_there_is_not_is_found_out(command: str) -> None:
    with pytest.raises((AssertionError, click.UsageError)):
        _must_parse(command, True)


_OURS = ("sagemaker_serving", "stacks", "aws_cdk", "boto3")


def _python() -> Iterator[Block]:
    for page in PAGES:
        yield from blocks(page, "python")


@pytest.mark.parametrize("block", list(_python()), ids=lambda block: block.where)
def test_it_compiles_and_imports_what_exists(block: Block) -> None:
    tree = ast.parse(block.text, filename=block.where)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(_OURS):
            module = importlib.import_module(node.module)
            for alias in node.names:
                if alias.name != "*" and not hasattr(module, alias.name):
                    importlib.import_module(f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(_OURS):
                    importlib.import_module(alias.name)
