"""The documentation site builds without a warning, and nothing in it leads astray."""

from __future__ import annotations

import asyncio
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.browser import CHROMIUM, Tab, tab_of_chromium
from tools.site import build
from tools.transcripts.blocks import PAGES, ROOT

in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")

TELEPHONE, SCREEN = 375, 1280
"""Widths in pixels."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return folder


@pytest.fixture
def served(site: Path) -> Iterator[str]:
    """The address of the site, on the loopback."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_builds_without_a_warning(site: Path) -> None:
    index = (site / "index.html").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert (site / f"{page.stem}.html").exists()
        assert page.stem == "index" or f'href="{page.stem}.html"' in index
    assert "architecture.svg" in (site / "architecture.html").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(600)
@in_a_browser
def test_every_page_fits_a_telephone_and_leads_somewhere(
    site: Path, served: str, tmp_path: Path
) -> None:
    """In a real browser: no sideways scrolling, no dead link or anchor, nothing from elsewhere."""
    pages = sorted(path.name for path in site.glob("*.html"))
    links: dict[str, set[str]] = {}
    anchors: dict[str, set[str]] = {}

    async def look() -> None:
        async with tab_of_chromium(tmp_path) as tab:
            await tab.resize(TELEPHONE)
            for name in pages:
                await tab.open(f"{served}/{name}")
                assert await tab.run("document.documentElement.scrollWidth") <= TELEPHONE, name
                links[name] = set(await tab.run("[...document.links].map(each => each.href)"))
                anchors[name] = set(
                    await tab.run("[...document.querySelectorAll('[id]')].map(each => each.id)")
                )
            await _is_dark_where_the_reader_is(tab, served)
            asked = {url for url in tab.requested if not url.startswith("data:")}
            assert {url for url in asked if not url.startswith(f"{served}/")} == set()

    asyncio.run(look())
    dead = set()
    for page, hrefs in links.items():
        for href in hrefs:
            if not href.startswith(f"{served}/"):
                assert href.startswith("https://"), (page, href)
                continue
            split = urlsplit(href)
            name = unquote(split.path).removeprefix("/")
            if not (site / name).is_file():
                dead.add((page, name))
            elif split.fragment and unquote(split.fragment) not in anchors.get(name, set()):
                dead.add((page, href))
    assert dead == set()
    assert sum(map(len, links.values())) > 1000


async def _is_dark_where_the_reader_is(tab: Tab, served: str) -> None:
    shades = []
    for dark in (False, True):
        await tab.resize(SCREEN, dark=dark)
        await tab.open(f"{served}/index.html")
        colour = await tab.run("getComputedStyle(document.body).backgroundColor")
        shades.append(sum(int(each) for each in re.findall(r"\d+", colour)[:3]) / 3)
    light, dark_shade = shades
    assert (light > 230, dark_shade < 40) == (True, True), shades


@pytest.mark.slow
@pytest.mark.timeout(600)
@in_a_browser
def test_it_is_read_and_searched_by_keyboard_without_a_server(site: Path, tmp_path: Path) -> None:
    async def look() -> None:
        async with tab_of_chromium(tmp_path) as tab:
            await tab.resize(SCREEN)
            await tab.open(f"{site.as_uri()}/index.html")
            await tab.press("Tab")
            assert await tab.run("document.activeElement.textContent") == "Skip to content"
            await tab.press("Tab")
            assert await tab.run(OUTLINE) not in ("none", "0px")
            await tab.press("/", "/")
            assert await tab.run("document.activeElement.name") == "q"
            assert await tab.run(OUTLINE) == "solid"
            await tab.ask("Input.insertText", text="batch_timeout_micros")
            await tab.press("Enter", "\r")
            found = await tab.until(
                "[...document.querySelectorAll('#search-results a')].map(each => each.href)"
                ".find(href => href.includes('environment-files.html'))"
            )
            assert found.startswith(f"{site.as_uri()}/environment-files.html")
            await tab.open(found)
            assert "batch_timeout_micros" in await tab.run("document.body.innerText")

    asyncio.run(look())


OUTLINE = "getComputedStyle(document.activeElement).outlineStyle"


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
