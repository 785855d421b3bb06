"""The report as a page: whatever names and errors say, it runs nothing and fetches nothing."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest

from sagemaker_serving.functions.batch_transform.reasons import MOST, OTHER, Reasons
from sagemaker_serving.functions.batch_transform.report_page import (
    MAX_BARS,
    MAX_ENTRIES,
    report_page,
)
from sagemaker_serving.functions.batch_transform.store import Store
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import REPORTS, begun, put
from tests.functions.batch_transform.simulation import Simulation

HOSTILE = "<script>alert(1)</script>\"'><img src=//evil onerror=x>&amp;\u202e\x00\x1b[31m"


class Read(HTMLParser):
    """A page's elements, its text, and the attributes of each kind."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: dict[str, list[str]] = {}
        self.words: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)


def executed(s3: MemoryS3, files: dict[str, bytes], **fields: Any) -> tuple[str, dict[str, Any]]:
    """The page and the report of an execution whose model refuses what says so, in its words."""
    put(s3, files)

    def answer(payload: bytes) -> bytes | None:
        return None if b"refuse" in payload else payload

    Simulation(s3, answer).execute(begun(s3, **fields))
    store = Store(s3)
    page = store.read(REPORTS / "report.html").decode()
    return page, store.read_json(REPORTS / "report.json")


def test_the_page_has_counts_reasons_entries_and_a_bar_for_each_shard(s3: MemoryS3) -> None:
    files = {f"{number:02}.txt": b"fine" for number in range(10)}
    files |= {"bad.txt": b"1\nrefuse\n3\n", "worse.txt": b"refuse\nrefuse\n"}
    page, report = executed(
        s3,
        files,
        split_type="Line",
        batch_strategy="SingleRecord",
        assemble_with="Line",
        max_objects_per_shard=4,
    )
    read = Read(page)
    assert report["counts"]["records"] == 15
    for said in ("nightly", "s3://data/in/", "s3://data/out/", "SingleRecord", "12", "15", "2"):
        assert said in read.text
    assert read.attributes["title"] == [
        "shard 0: 4 answered",
        "shard 1: 4 answered",
        "shard 2: 2 answered, 1 answered in part, 1 in quarantine",
    ]
    (reason,) = report["reasons"]
    assert (reason["lines"], reason["first"]) == (3, {"object": "worse.txt", "record": 1})
    assert read.attributes["href"] == ["#reason-0", "#entry-1", "#entry-2", "#entry-3"]
    assert "s3://data/in/bad.txt" in read.text
    assert "record 2, 7 bytes from byte 2" in read.text
    assert read.elements.count("pre") == 3


def test_every_link_of_the_page_leads_to_a_place_on_it(s3: MemoryS3) -> None:
    page, _ = executed(s3, {f"{n}": b"refuse" for n in range(5)})
    read = Read(page)
    places = read.attributes["id"]
    assert {href.removeprefix("#") for href in read.attributes["href"]} <= set(places)
    assert len(set(places)) == len(places)


def test_nothing_that_was_given_becomes_a_part_of_the_page(s3: MemoryS3) -> None:
    """Names, errors, bytes and what was asked are strangers' words."""
    name = HOSTILE.replace("\x00", "")
    page, _ = executed(
        s3, {name: HOSTILE.encode() + b"\nrefuse" + HOSTILE.encode()}, split_type="Line"
    )
    read = Read(page)
    assert "script" not in read.elements
    assert "img" not in read.elements
    assert not {each for each in read.attributes if each.startswith("on")}
    assert "<script>alert(1)</script>" in read.text
    assert not {"\u202e", "\x1b", "\x00"} & set(page)


def test_the_page_runs_no_script_and_asks_nobody(s3: MemoryS3) -> None:
    page, _ = executed(s3, {"a": b"1", "b": b"refuse"})
    read = Read(page)
    assert not {"script", "link", "iframe", "img", "object", "base"} & set(read.elements)
    assert not {"src", "srcset", "action"} & read.attributes.keys()
    assert all(href.startswith("#") for href in read.attributes["href"])
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_the_page_is_for_small_screens_and_for_dark_ones(s3: MemoryS3) -> None:
    page, _ = executed(s3, {"a": b"1"})
    assert "width=device-width" in page
    assert "prefers-color-scheme: dark" in page


def report_of(*, lines: int = 0, reasons: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    names = (
        *("objects", "answered", "quarantined", "unaccounted", "records", "records_answered"),
        *("records_quarantined", "bytes", "answered_before", "quarantined_before", "in_part"),
    )
    return {
        "status": "COMPLETE",
        "execution": "arn:aws:states:eu-west-1:123456789012:execution:m:e",
        "input": "s3://b/in/",
        "output": "s3://b/out/",
        "began": 0,
        "ended": 3725,
        "seconds": 3725,
        "counts": {**dict.fromkeys(names, 0), "quarantine_lines": lines},
        "quarantine": "s3://b/quarantine.jsonl",
        "unaccounted": "s3://b/unaccounted.jsonl",
        "reasons": reasons or [],
        "first_unaccounted": [],
        "asked": {},
    }


@pytest.mark.parametrize(
    ("shards", "bars", "said"),
    [
        (MAX_BARS, MAX_BARS, None),
        (MAX_BARS + 1, 501, "1,001 shards, 2 in each bar."),
        (20 * MAX_BARS, MAX_BARS, "20,000 shards, 20 in each bar."),
    ],
)
def test_many_shards_share_bars_and_the_page_says_so(
    shards: int, bars: int, said: str | None
) -> None:
    page = report_page(report_of(), entries=[], shards=[[3, 0, 1, 0]] * shards, folder="s3://b/in/")
    titles = Read(page).attributes["title"]
    assert len(titles) == bars
    assert ("in each bar" in page) is (said is not None)
    assert said is None or said in page
    total = sum(int(title.split(": ")[1].split(" ")[0].replace(",", "")) for title in titles)
    assert total == 3 * shards


def test_a_long_list_is_cut_and_the_page_says_where_all_of_it_is() -> None:
    reasons = [{"error": "no", "lines": 5000, "first": {"object": "a"}}]
    entries = [{"object": f"{number}", "error": "no"} for number in range(MAX_ENTRIES)]
    page = report_page(
        report_of(lines=5000, reasons=reasons), entries=entries, shards=[], folder="s3://b/in/"
    )
    assert "Here are the first 1,000 of 5,000; all are in s3://b/quarantine.jsonl." in page
    assert page.count("s3://b/in/") == MAX_ENTRIES + 1
    assert "1 h 2 min 5 s" in page


def test_errors_that_differ_in_numbers_and_quotes_only_are_one_reason() -> None:
    reasons = Reasons()
    for number in range(1, 40):
        reasons.add({"object": "a", "record": number, "error": f"{number:,} records in, 1 answer"})
    reasons.add({"object": "b", "error": "it begins with b'GIF'"})
    reasons.add({"object": "c", "error": "it begins with b'JFIF'"})
    reasons.add({"object": "d", "error": '{"error": "one"}'})
    reasons.add({"object": "d", "error": '{"error": "other"}'})
    assert [(each["lines"], each["first"]["object"]) for each in reasons.by_number()] == [
        (39, "a"),
        (2, "b"),
        (1, "d"),
        (1, "d"),
    ]
    assert reasons.by_number()[0]["error"] == "1 records in, 1 answer"


def test_of_endless_reasons_the_rest_is_counted_together() -> None:
    reasons = Reasons()
    for number in range(MOST + 50):
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(number))
        reasons.add({"object": "x", "error": f"never the same: {letters}"})
    found = reasons.by_number()
    assert len(found) == MOST + 1
    assert (found[0]["error"], found[0]["lines"]) == (OTHER, 50)
    json.dumps(found)
