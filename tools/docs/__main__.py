"""Writes what is made from the code: ``python -m tools.docs``, or ``python -m tools.docs rules``.

Each page is a module here, with its path as ``PAGE`` and its text as ``page()``.
"""

from __future__ import annotations

import argparse
from importlib import import_module

PAGES = (
    "schema",
    "fields",
    "rules",
    "images",
    "acknowledged",
    "acknowledgements",
    "local_aws",
    "commands",
    "api",
    "troubles",
    "llms",
)


def main() -> None:
    """Writes all pages, or those that are named."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs")
    parser.add_argument("pages", nargs="*", help=f"of {', '.join(PAGES)}; absent: all")
    named = parser.parse_args().pages
    for name in [*dict.fromkeys(named)] if named else PAGES:
        if name not in PAGES:
            parser.error(f"there is no page '{name}'; there are {', '.join(PAGES)}")
        module = import_module(f"tools.docs.{name}")
        module.PAGE.write_text(module.page(), encoding="utf-8")


if __name__ == "__main__":
    main()
