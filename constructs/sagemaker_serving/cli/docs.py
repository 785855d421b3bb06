"""``sagemaker-serving docs``: the documentation's pages, as the installed package carries them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from local_aws.cli.options import json_option
from local_aws.suggest import nearest
from sagemaker_serving.cli.carried import carried
from sagemaker_serving.cli.tables import print_table
from sagemaker_serving.errors import NotFound

_NOW_IN = {
    **dict.fromkeys(("golden", "replay", "bench"), "compare"),
    **dict.fromkeys(("typescript", "terraform", "testing-your-cdk-app"), "your-app"),
    **dict.fromkeys(
        ("local-aws-stacks", "local-aws-functions", "local-aws-access"), "local-aws-apps"
    ),
    **dict.fromkeys(("local-aws-state", "local-aws-faults"), "local-aws"),
    "hosts": "kinds",
    "first-hour-pytorch": "first-hour",
    "adding-a-service": "architecture",
}
"""Where the pages of version 0.2 are that had names of their own."""


class _PageName(click.ParamType):  # type: ignore[type-arg]
    name = "page"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        return [CompletionItem(name) for name in pages() if name.startswith(incomplete)]


@click.command()
@click.argument("page", required=False, type=_PageName())
@json_option
def docs(page: str | None, as_json: bool) -> None:
    """Print a PAGE of the documentation, or list the pages.

    On a terminal it is laid out for its width; in a pipe it is the page's Markdown. Programs begin
    with `skill`: what a coding agent needs to check, deploy and ask a model.

    \b
    Examples:
      sagemaker-serving docs
      sagemaker-serving docs operations
      sagemaker-serving docs environment-files | grep -n canary
      sagemaker-serving docs skill
    """
    known = pages()
    if page is None:
        rows = [{"page": name, "about": about(path)[1]} for name, path in known.items()]
        print_table(rows, as_json=as_json)
        return
    # As links and messages of earlier versions name it, too.
    name = page.removeprefix("docs/").partition("#")[0].removesuffix(".md")
    name = _NOW_IN.get(name, name)
    if name not in known:
        near = nearest(name, known)
        meant = f"did you mean '{near}'?" if near else "sagemaker-serving docs lists them"
        raise NotFound(f"there is no page '{page}'; {meant}")
    text = known[name].read_text(encoding="utf-8")
    if as_json:
        print_table([{"page": name, "about": about(known[name])[1], "text": text}], as_json=True)
    elif sys.stdout.isatty():
        from rich.markdown import Markdown

        from local_aws.terminal import console, print_own

        told = console()
        with told.capture() as drawn:
            told.print(Markdown(text, hyperlinks=False))
        if sys.stdin.isatty():
            click.echo_via_pager(drawn.get(), color=True)
        else:
            print_own(drawn.get())
    else:
        click.echo(text, nl=False)


def pages() -> dict[str, Path]:
    """Each page's name and file."""
    skill = Path(__file__).parents[1] / ".agents" / "skills" / "sagemaker-serving" / "SKILL.md"
    found = {path.stem: path for path in sorted(carried("docs").glob("*.md"))}
    del found["index"]
    return {"skill": skill, **found}


def about(page: Path) -> tuple[str, str]:
    """Its title, and the first sentence below that."""
    text = page.read_text(encoding="utf-8")
    title = re.search(r"^# (.*)$", text, re.MULTILINE)
    assert title is not None
    first = re.search(r"^(?![#|:!<]|```)\S.*(?:\n.+)*", text[title.end() :], re.MULTILINE)
    assert first is not None
    said = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(first[0].split()))
    return title[1], re.split(r"(?<=[.?])\s", said)[0]
