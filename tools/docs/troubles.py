"""docs/troubles.md: what AWS says, why, and what to write, from the cases of tests/troubles."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "troubles.md"
CASES = ROOT / "tests" / "troubles"
BASE = CASES / "base.yaml"
HEAD = """\
# Troubles

What people met, by the message that AWS or the container gave, or by what they saw. Each one is
rebuilt small in `tests/troubles`, wrong and right, and `check` names the wrong one. `make docs`
makes this page from these cases.

```console
$ sagemaker-serving check stack.yaml      # or cdk.out, plan.json, machine.asl.json
```
"""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """A case: what was said, why, what to write, the rule that names it, and who reported it.

    ``says`` are messages, or what is seen, and may be none. ``reports`` are ``owner/repository#1``;
    what nobody reported has its source instead.

    ``folder`` has inputs whose names begin with ``wrong`` and with ``right``: templates,
    environment files, or plans of Terraform (``.json``). ``also`` has more of them by their names:
    the text of a file, with ``changes`` of what ``was`` there, once, to what ``is``.

    ``models`` are the files of the folder ``model`` that an environment file names, of "wrong" and
    of "right", by their paths: a text, or after ``@`` a folder of this repository.
    """

    folder: Path
    title: str
    says: list[str]
    why: str
    write: str
    rule: str
    reports: list[str]
    also: dict[str, dict[str, Any]] = field(default_factory=dict)
    models: dict[str, dict[str, str]] = field(default_factory=dict)

    def inputs(self, kind: str) -> dict[str, str]:
        """The texts of a ``kind``, "wrong" or "right", by the names of their files."""
        names = {path.name for path in self.folder.glob(f"{kind}*")}
        names |= {name for name in self.also if name.startswith(kind)}
        return {name: _with_base(self._text(name)) for name in sorted(names)}

    def write_model(self, kind: str, folder: Path) -> None:
        """Writes the folder ``model`` into ``folder``, where there is one."""
        for name, given in self.models.get(kind, {}).items():
            path = folder / "model" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if given[:1] == "@":
                shutil.copytree(ROOT / given[1:], path)
            else:
                path.write_text(given, encoding="utf-8")

    def _text(self, name: str) -> str:
        """What a file says, or is said to by ``also``."""
        given = self.also.get(name, {"of": name, "changes": []})
        text: str = (self.folder / given["of"]).read_text(encoding="utf-8")
        for change in given["changes"]:
            if text.count(change["was"]) != 1:
                raise ValueError(f"{self.folder.name}, {name}: {change['was']!r} is not there once")
            text = text.replace(change["was"], change["is"])
        return text


def _with_base(text: str) -> str:
    """A template with what it refers to and has not: that resource of base.yaml."""
    base = dict(re.findall(r"(?m)^(  (\w+):\n(?:    .*\n)+)", BASE.read_text(encoding="utf-8")))
    for block, name in reversed(base.items()):  # each refers to those above it
        asked = re.search(rf"!GetAtt {name}\.|\[{name}, |!Ref {name}\b|Ref: {name}\b", text)
        if asked and f"\n  {name}:" not in text:
            before, head, after = text.partition("Resources:\n")
            text = before + head + block + after
    return text


def troubles() -> list[Trouble]:
    """Every case, by its folder's name."""
    found = []
    for path in sorted(CASES.glob("*/about.yaml")):
        about = yaml.safe_load(path.read_text(encoding="utf-8"))
        found.append(Trouble(folder=path.parent, **about))
    return found


def page() -> str:
    """The page."""
    return HEAD + "".join(map("".join, map(_section, troubles())))


def _section(trouble: Trouble) -> Iterator[str]:
    yield f"\n## {trouble.title}\n\n"
    for said in trouble.says:
        yield f"```text\n{said}\n```\n\n"
    rule = f"[`{trouble.rule}`](rules.md#{trouble.rule})"
    links = ", ".join(map(_link, trouble.reports))
    yield f"{trouble.why}\n\n{trouble.write}\n\nNamed by {rule}. Source: {links}.\n"


def _link(report: str) -> str:
    repository, of, number = report.partition("#")
    return report if not of else f"<https://github.com/{repository}/issues/{number}>"
