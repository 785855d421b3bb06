"""docs/images.md is the catalog's, with the dates of its support data."""

from __future__ import annotations

from sagemaker_serving.catalog import support_as_of
from tools.docs.images import PAGE, page


def test_the_committed_page_is_the_catalogs() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_it_says_of_which_day_it_is_and_until_when_images_are_patched() -> None:
    text = page()
    assert f"support data of {support_as_of()}" in text
    assert "| tensorflow | 2.20 | cpu, gpu | 12.9 | 525 | 3.12 | 2027-08-20 | patched |" in text
    assert "| tensorflow | 2.19 | cpu, gpu | 12.2 | 525 | 3.12 | 2026-03-11 | ended |" in text
    assert "| pytorch | 2.6 | cpu, gpu | 12.4 | 525 | 3.12 | 2026-06-30 | ended |" in text
