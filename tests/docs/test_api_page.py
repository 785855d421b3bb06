"""docs/api.md is what the source says, and its links lead somewhere."""

from __future__ import annotations

import re

import pytest

from sagemaker_serving import infra
from tools.docs.api import page


@pytest.fixture(scope="module")
def text() -> str:
    return page()


def test_every_public_name_has_a_heading_of_its_own(text: str) -> None:
    assert sorted(re.findall("^### (.+)$", text, re.M)) == sorted(infra.__all__)


def test_a_reference_in_a_docstring_is_a_link(text: str) -> None:
    assert "a [DataBucket](#databucket) that outlives the stack" in text
    assert not re.search(r"[^`]``[^`]", text), "a literal of reStructuredText"


def test_signatures_have_what_a_caller_gives(text: str) -> None:
    assert ".grant_start(grantee: iam.IGrantable) -> iam.Grant" in text
    assert "    settings: BatchTransformSettings,\n    bucket: s3.IBucket | None = None,\n" in text
    assert "self" not in re.findall(r"\w+", " ".join(re.findall("```text.*?```", text, re.S)))


def test_what_follows_the_parameters_is_not_about_the_last_of_them(text: str) -> None:
    rows = [line for line in text.splitlines() if line.startswith("| `extra` |")]
    assert rows
    assert not [row for row in rows if "Raises" in row]
