"""An option means the same in every command: its type, its letters, and how its help begins."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from local_aws.cli import commands as local_aws
from sagemaker_serving.cli.commands import group as sagemaker_serving
from sagemaker_serving.cli.completing import EnvironmentPath
from sagemaker_serving.cli.options import WrittenFile

MEANINGS: dict[str, tuple[type | tuple[type, ...] | None, str]] = {
    "--json": (type(click.BOOL), "Print JSON, for programs"),
    "--local": (type(click.BOOL), "Use the local AWS of this folder."),
    "--profile": (type(click.STRING), ""),
    "--region": (type(click.STRING), "The AWS region"),
    "--state-dir": (click.Path, "The local AWS's folder."),
    "--today": (click.DateTime, "The day to judge support by"),
    "--yes": (type(click.BOOL), ""),
    "--force": (type(click.BOOL), "Replace "),
    "--follow": (type(click.BOOL), ""),
    "--file": ((click.Path, EnvironmentPath), ""),
    "--output": (None, ""),
}
LETTERS = {"-f": "--follow", "-o": "--output", "-y": "--yes", "-e": "--environment"}


def options_of(command: click.Command, name: str) -> Iterator[tuple[str, click.Option]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from options_of(found, f"{name} {inner}")
    for option in command.params:
        if isinstance(option, click.Option):
            yield name, option


OPTIONS = [
    *options_of(sagemaker_serving, "sagemaker-serving"),
    *options_of(local_aws, "local-aws"),
]


@pytest.mark.parametrize("name", MEANINGS)
def test_an_option_means_the_same_in_every_command(name: str) -> None:
    kind, help_begins = MEANINGS[name]
    found = [(command, option) for command, option in OPTIONS if name in option.opts]
    assert found
    for command, option in found:
        assert kind is None or isinstance(option.type, kind), command
        assert (option.help or "").startswith(help_begins), command


def test_a_letter_stands_for_one_option() -> None:
    # The -o of `package` has no long name: its --output is a frozen graph's.
    short = {
        (letter, next((opt for opt in option.opts if opt.startswith("--")), "--output"))
        for _, option in OPTIONS
        for letter in option.opts
        if not letter.startswith("--")
    }
    assert {pair for pair in short if pair[0] in LETTERS} == set(LETTERS.items())
    assert len({letter for letter, _ in short}) == len(short)


def test_every_command_that_asks_aws_can_ask_the_local_one_in_a_region() -> None:
    by_command: dict[str, set[str]] = {}
    for command, option in OPTIONS:
        by_command.setdefault(command, set()).update(option.opts)
    asking = [opts for opts in by_command.values() if "--local" in opts]
    assert asking
    assert all({"--region", "--profile", "--state-dir"} <= opts for opts in asking)


@pytest.mark.parametrize("place", ["new/", "a/b/"])
def test_a_file_is_written_to_no_place_that_names_a_folder(place: str) -> None:
    files = [option for _, option in OPTIONS if isinstance(option.type, WrittenFile)]
    assert len(files) >= 3
    for option in files:
        with pytest.raises(click.BadParameter, match="is a folder; name a file in it"):
            option.type.convert(place, option, None)
