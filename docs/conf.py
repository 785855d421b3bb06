"""How Sphinx builds the site from these pages: ``make site``."""

project = "sagemaker-serving"
author = "the sagemaker-serving team"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_site"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
myst_links_external_new_tab = True
html_theme = "furo"
html_title = "sagemaker-serving"
html_show_sphinx = False
# Pages link into the repository (tests, benchmarks), which the site does not carry.
suppress_warnings = ["myst.xref_missing"]
