from __future__ import annotations

import json
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform import inputs, plan
from sagemaker_serving.functions.batch_transform.errors import Refused
from sagemaker_serving.functions.batch_transform.quarantine import Bad, quarantine
from sagemaker_serving.functions.batch_transform.sharding import Input, shards
from sagemaker_serving.functions.batch_transform.store import Store
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import States, begun, manifest, planned, put

NAMES = st.text(st.sampled_from("ab-.0/é"), min_size=1, max_size=5).filter(
    lambda name: not name.endswith("/")
)


@given(
    names=st.sets(NAMES, min_size=1, max_size=40),
    done=st.sets(NAMES, max_size=20),
    window=st.integers(1, 7),
    max_objects=st.integers(1, 10),
    in_parts=st.booleans(),
    by_manifest=st.booleans(),
)
def test_whatever_has_no_output_is_planned_once(
    names: set[str],
    done: set[str],
    window: int,
    max_objects: int,
    in_parts: bool,
    by_manifest: bool,
) -> None:
    s3 = MemoryS3()
    put(s3, dict.fromkeys(names, b"x"))
    s3.now += 1
    put(s3, {f"{name}.out": b"y" for name in done}, "out/")
    source = manifest(s3, [*names, *names]) if by_manifest else "s3://data/in/"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "WINDOW", window)
        patch.setattr(inputs, "MANIFEST_WINDOW", window)
        run = begun(
            s3,
            source=source,
            max_objects_per_shard=max_objects,
            input_type="ManifestFile" if by_manifest else "S3Prefix",
        )
        shards = planned(s3, run, lambda: not in_parts)
    cut = list(chain.from_iterable(shards))
    assert sorted(cut) == sorted(names - done)
    assert all(1 <= len(shard) <= max_objects for shard in shards)
    counts = Store(s3).read_json(run.work_place / "counts.json")
    assert (counts["objects"], counts["answered"]) == (len(names), len(names & done))


@pytest.mark.parametrize("later", [0, 1])
def test_an_output_that_is_not_younger_than_its_input_is_no_answer(
    s3: MemoryS3, later: int
) -> None:
    put(s3, {"a.out": b""}, "out/")
    s3.now += later
    put(s3, {"a": b"changed", "b": b""})
    assert planned(s3, begun(s3)) == [["a", "b"]]


def test_what_is_in_quarantine_stays_there_until_it_changes_or_is_tried_again(
    s3: MemoryS3,
) -> None:
    put(s3, {"a": b"", "b": b"", "c": b""})
    s3.now += 1
    run = begun(s3)
    for name in ("a", "b"):
        quarantine(run, name, [Bad(error="no image")])
    s3.now += 1
    put(s3, {"b": b"mended"})
    assert planned(s3, run) == [["b", "c"]]
    again = begun(
        s3, name="again", states=States(nightly="SUCCEEDED"), given={"retry_quarantined": True}
    )
    assert planned(s3, again) == [["a", "b", "c"]]


def test_names_without_an_object_are_listed_and_the_others_run(s3: MemoryS3) -> None:
    put(s3, {"a": b""})
    run = begun(s3, source=manifest(s3, ["a", "gone"]), input_type="ManifestFile")
    assert planned(s3, run) == [["a"]]
    listed = list(Store(s3).read_lines(run.quarantined / "objects/gone.jsonl"))
    assert listed == [{"object": "gone", "error": "the manifest names it, and there is no object"}]


def test_placeholders_of_folders_are_no_inputs_and_every_other_key_is_one(s3: MemoryS3) -> None:
    put(s3, {"": b"", "sub/": b"", "sub/a": b"", "old/_batch/report.json": b"{}", "_batch/x": b""})
    assert planned(s3, begun(s3)) == [["_batch/x", "old/_batch/report.json", "sub/a"]]


@pytest.mark.parametrize("name", ["work/0123/run.json", "reports/out-1/lock.json"])
def test_a_manifest_cannot_name_the_pipelines_own_files(s3: MemoryS3, name: str) -> None:
    s3.put_object(Bucket="data", Key=name, Body=b"{}")
    body = json.dumps([{"prefix": "s3://data/"}, name]).encode()
    s3.put_object(Bucket="data", Key="some.manifest", Body=body)
    run = begun(s3, source="s3://data/some.manifest", input_type="ManifestFile")
    with pytest.raises(Refused, match=f"names s3://data/{name}; below s3://data/{name[:4]}.*lie"):
        planned(s3, run)


def test_names_begin_at_the_prefixs_folder(s3: MemoryS3) -> None:
    put(s3, {"part-1": b"", "other": b""})
    assert planned(s3, begun(s3, source="s3://data/in/part")) == [["part-1"]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"prefix": "s3://data/in/"}', "it is no list"),
        (b'["a"]', 'a manifest begins with {"prefix": "s3://bucket/path/"}'),
        (b'[{"prefix": "s3://data/in/"}, "a" "b"]', "Expecting ',' delimiter"),
        (b'[{"prefix": "s3://data/in/"}, "a",', "is no manifest"),
        (b'[{"prefix": "s3://data/in/"}, 3]', "names 3; names are texts"),
        (b"\xff", "is no manifest"),
    ],
)
def test_a_manifest_that_is_none_is_refused(s3: MemoryS3, body: bytes, said: str) -> None:
    s3.put_object(Bucket="data", Key="some.manifest", Body=body)
    with pytest.raises(Refused, match=r".*") as refused:
        planned(s3, begun(s3, source="s3://data/some.manifest", input_type="ManifestFile"))
    assert said in str(refused.value)


def test_a_manifest_that_is_too_large_is_refused(
    s3: MemoryS3, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "MANIFEST_BYTES", 100)
    names = [f"ä{number}" for number in range(300)]
    with pytest.raises(Refused, match=r"has more than 100 bytes; divide it$"):
        planned(s3, begun(s3, source=manifest(s3, names), input_type="ManifestFile"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"max_input_objects": 2}, "more than 2 objects, the pipeline's max_input_objects"),
        ({"max_input_bytes": 5}, "more than 5 bytes, the pipeline's max_input_bytes"),
    ],
)
def test_an_input_over_the_pipelines_limits_is_refused(
    s3: MemoryS3, fields: dict[str, Any], said: str
) -> None:
    put(s3, {"a": b"xx", "b": b"xx", "c": b"xx"})
    with pytest.raises(Refused, match=said):
        planned(s3, begun(s3, **fields))


def test_a_name_that_leaves_no_room_for_its_output_is_refused(s3: MemoryS3) -> None:
    put(s3, {"x" * 1000: b""})
    with pytest.raises(Refused, match=r"has 1,000 bytes, and the output leaves 9\d\d of the 1,024"):
        planned(s3, begun(s3))


SIZES = st.lists(st.integers(0, 50), max_size=200)


@given(sizes=SIZES, max_objects=st.integers(1, 20), max_bytes=st.integers(1, 100))
def test_every_input_is_in_one_shard_in_order_and_limits_are_kept(
    sizes: list[int], max_objects: int, max_bytes: int
) -> None:
    inputs = [Input(name=str(n), size=size, modified=0) for n, size in enumerate(sizes)]
    cut = list(shards(inputs, max_objects=max_objects, max_bytes=max_bytes))
    assert [entry for shard in cut for entry in shard] == inputs
    for shard in cut:
        assert 1 <= len(shard) <= max_objects
        assert len(shard) == 1 or sum(entry.size for entry in shard) <= max_bytes


@given(sizes=SIZES, max_objects=st.integers(1, 20), max_bytes=st.integers(1, 100))
def test_no_shard_is_cut_before_it_is_full(
    sizes: list[int], max_objects: int, max_bytes: int
) -> None:
    inputs = [Input(name=str(n), size=size, modified=0) for n, size in enumerate(sizes)]
    cut = list(shards(inputs, max_objects=max_objects, max_bytes=max_bytes))
    for shard, following in pairwise(cut):
        size = sum(entry.size for entry in shard)
        assert len(shard) == max_objects or size + following[0].size > max_bytes
