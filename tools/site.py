"""Builds the documentation site into docs/_site: ``make site``.

Sphinx and its theme live in an environment of their own; a warning fails the build.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tools.own_environments.environments import environment_of

ROOT = Path(__file__).parents[1]


def build(folder: Path) -> None:
    """Writes the site into ``folder``; raises `CalledProcessError` for any warning."""
    sphinx = environment_of("docs") / "bin" / "python"
    subprocess.run(
        [
            str(sphinx),
            *("-m", "sphinx", "--builder", "html", "--fail-on-warning", "--quiet"),
            *(str(ROOT / "docs"), str(folder)),
        ],
        check=True,
    )
    # Beside the pages of HTML, for programs: llms.txt names these.
    for page in (ROOT / "docs").glob("*.md"):
        shutil.copy(page, folder)
    shutil.copy(ROOT / "docs" / "llms.txt", folder)


if __name__ == "__main__":
    build(ROOT / "docs" / "_site")
    print("docs/_site/index.html", file=sys.stdout)
