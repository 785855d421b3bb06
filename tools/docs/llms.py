"""docs/llms.txt: the pages with what each says, as llmstxt.org has it for programs that read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sagemaker_serving.cli.docs import about, pages

_DOCS = Path(__file__).parents[2] / "docs"
PAGE = _DOCS / "llms.txt"
_SECTION = re.compile(r":::\{toctree\}\n:caption: (.*)\n.*\n\n((?:.+\n)*):::")

_HEAD = """# sagemaker-serving

> An AWS CDK project in Python: a model on disk becomes a SageMaker endpoint and a batch pipeline.
> `check` names every mistake before a deploy, and a local AWS runs the same templates.

Once it is installed, `sagemaker-serving docs PAGE` prints each page below without its `.md`, and
`sagemaker-serving docs skill` what an agent needs to deploy with it.
"""


def page() -> str:
    """The page, in the sections of docs/index.md."""
    return "\n".join([_HEAD, *_sections()])


def _sections() -> Iterator[str]:
    known = pages()
    index = (_DOCS / "index.md").read_text(encoding="utf-8")
    for caption, names in _SECTION.findall(index):
        yield f"## {caption}\n"
        for name in names.split():
            title, sentence = about(known[name])
            yield f"- [{title}]({name}.md): {sentence}"
        yield ""
