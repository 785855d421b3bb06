"""docs/api.md is what the source says, and its links lead somewhere."""

from __future__ import annotations

import re

from sagemaker_serving import infra
from tools.docs.api import PAGE, page

TEXT = page()


def test_the_committed_page_is_the_sources() -> None:
    assert PAGE.read_text(encoding="utf-8") == TEXT, "run `make docs`"


def test_every_public_name_has_a_heading_of_its_own() -> None:
    assert sorted(re.findall("^### (.+)$", TEXT, re.M)) == sorted(infra.__all__)


def test_a_reference_in_a_docstring_is_a_link() -> None:
    assert "a [DataBucket](#databucket) that outlives the stack" in TEXT
    assert not re.search(r"[^`]``[^`]", TEXT), "a literal of reStructuredText"


def test_signatures_have_what_a_caller_gives() -> None:
    assert ".grant_start(grantee: iam.IGrantable) -> iam.Grant" in TEXT
    assert "    settings: BatchTransformSettings,\n    bucket: s3.IBucket | None = None,\n" in TEXT
    assert "self" not in re.findall(r"\w+", " ".join(re.findall("```text.*?```", TEXT, re.S)))


def test_what_follows_the_parameters_is_not_about_the_last_of_them() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| `extra` |")]
    assert rows
    assert not [row for row in rows if "Raises" in row]
