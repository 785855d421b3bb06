"""The documents' pages and their code blocks, as tools and tests read them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "constructs/sagemaker_serving/.agents/skills/sagemaker-serving/SKILL.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")), SKILL]
WORKFLOW = ROOT / "docs" / "ci" / "github-actions.yml"

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)\n(?P<text>.*?)^(?P=indent)```$", re.M | re.S
)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block: ``line`` is the page's line of the opening fence."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        """As compilers say it: ``docs/ci.md:12``."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, *languages: str) -> Iterator[Block]:
    """The fenced blocks of ``page`` in any of ``languages``, all of them without any, in order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        if not languages or found["language"] in languages:
            yield Block(
                page=page,
                line=text.count("\n", 0, found.start()) + 1,
                language=found["language"],
                text=textwrap.dedent(found["text"]),
            )
