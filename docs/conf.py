"""How Sphinx builds the site from these pages: ``make site``."""

import tomllib
from pathlib import Path

_PROJECT = Path(__file__).parents[1] / "pyproject.toml"
project = "sagemaker-serving"
release = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"]
author = "the sagemaker-serving team"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_site"]
smartquotes = False  # they would make a dash of the two hyphens of an option
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = True
html_theme = "furo"
html_title = f"sagemaker-serving {release}"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
# Pages link into the repository (tests, benchmarks), which the site does not carry.
suppress_warnings = ["myst.xref_missing"]
