"""docs/troubles.md: what AWS says, why, and what to write, from the cases of tests/troubles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

PAGE = Path(__file__).parents[2] / "docs" / "troubles.md"
CASES = Path(__file__).parents[2] / "tests" / "troubles"
HEAD = """\
# Troubles

What people met, by the message that AWS or the container gave, or by what they saw. Each one is
rebuilt small in `tests/troubles`, wrong and right, and `check` names the wrong one. `make docs`
makes this page from these cases.

```console
$ sagemaker-serving check --template stack.yaml      # or --assembly cdk.out, --plan plan.json
```
"""


@dataclass(frozen=True, kw_only=True)
class Trouble:
    """A case: what was said, why, what to write, the rule that names it, and who reported it.

    ``says`` are messages, or what is seen, and may be none. ``reports`` are ``owner/repository#1``;
    what nobody reported has its source instead.

    ``folder`` has inputs whose names begin with ``wrong`` and with ``right``: templates,
    environment files, or plans of Terraform (``.json``).
    """

    folder: Path
    title: str
    says: list[str]
    why: str
    write: str
    rule: str
    reports: list[str]

    def inputs(self, kind: str) -> list[Path]:
        """The inputs of a ``kind``, "wrong" or "right"."""
        found = [*self.folder.glob(f"{kind}*.yaml"), *self.folder.glob(f"{kind}*.json")]
        return sorted(found)


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
