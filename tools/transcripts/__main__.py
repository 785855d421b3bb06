"""``python -m tools.transcripts FOLDER PAGE``: writes a page anew, as its commands print.

FOLDER is the environment that the package is installed in, with the extras that the page says for
its ``--part``, PAGE docs/first-hour.md or another; the commands run in an empty folder. Blocks that
``…`` shortens are only held against what is printed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from tools.transcripts import follow, must_show
from tools.transcripts.blocks import ROOT


def main() -> None:
    """Runs the page's commands, then writes it."""
    parser = argparse.ArgumentParser(prog="python -m tools.transcripts", description=__doc__)
    parser.add_argument("environment", type=Path, metavar="FOLDER")
    parser.add_argument("page", type=Path, metavar="PAGE")
    parser.add_argument("--part", type=int, default=0)
    asked = parser.parse_args()
    programs, page = asked.environment.resolve() / "bin", asked.page.resolve()
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "node_modules").symlink_to(ROOT / "node_modules")
        environment = {
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
        }
        for block, printed in follow(page, Path(folder), environment, part=asked.part):
            if "…" in block.text.splitlines():
                must_show(block.text, printed, block.where)
            else:
                shown = "".join(f"{line}\n" for line in printed).strip("\n")
                text = text.replace(f"```text\n{block.text}```", f"```text\n{shown}\n```", 1)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
