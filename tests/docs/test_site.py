"""The documentation site builds without a warning, and nothing in it leads astray."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tools.site import build
from tools.transcripts.blocks import PAGES, ROOT


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_builds_without_a_warning(tmp_path: Path) -> None:
    build(tmp_path)
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert (tmp_path / f"{page.stem}.html").exists()
        assert page.stem == "index" or f'href="{page.stem}.html"' in index
    assert "architecture.svg" in (tmp_path / "architecture.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_headings_lead_to_one(page: Path) -> None:
    links = re.findall(r"\]\(([\w./-]*)#([\w-]+)\)", page.read_text(encoding="utf-8"))
    for name, anchor in links:
        target = page if not name else (page.parent / name).resolve()
        assert anchor in _anchors(target), f"{name}#{anchor}"


def test_the_picture_is_legible_in_light_and_in_dark_and_without_eyes() -> None:
    text = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    svg = ET.fromstring(text)
    names = {element.tag.rpartition("}")[2] for element in svg.iter()}
    assert {"title", "desc"} <= names
    assert not names & {"script", "image", "foreignObject"}
    light, dark = text.split("@media (prefers-color-scheme: dark)")
    for kind in ("page", "panel", "box", "ours", "result", "mistake"):
        assert f".{kind} {{ fill:" in light
        assert f".{kind} {{ fill:" in dark


def _anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub and the site make them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#{1,3} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
