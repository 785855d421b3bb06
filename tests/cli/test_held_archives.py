"""`archives` as a shell sees it: what a multi-model endpoint holds, put there and taken away."""

from __future__ import annotations

import io
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.held_archives import HeldArchives, held_archives
from tests.cli.conftest import Run
from tests.local_aws.aws import IMAGE, REGION, Aws, archive, client_of, shell_of, stand_in_aws
from tests.models import saved_model

FILE = f"""
name: prod
region: {REGION}
models:
  many:
    multi_model: {{archives: {{one: one.tar.gz}}}}
    image_uri: {IMAGE}
    variants: [{{name: blue, instance_type: ml.m5.large}}]
"""
MODEL = archive({"1/saved_model.pb": saved_model(), "file": b"first"})
OTHER = archive({"1/saved_model.pb": saved_model(), "file": b"other, and longer"})
OWN_IMAGE = f"123456789012.dkr.ecr.{REGION}.amazonaws.com/words:1"


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as local:
        for prefix in ("many", "others"):
            local.s3.put_object(Bucket="models", Key=f"{prefix}/", Body=b"")
        many = "s3://models/many"
        local.model("one")
        local.model("many", Mode="MultiModel", ModelDataUrl=many)
        local.model("others", Mode="MultiModel", ModelDataUrl="s3://models/others/")
        local.model("own", Mode="MultiModel", ModelDataUrl=many, Image=OWN_IMAGE)
        local.endpoint("prod-many", local.config("many", {"blue": "many"}))
        local.endpoint("prod-one", local.config("one", {"blue": "one"}))
        local.endpoint("prod-own", local.config("own", {"blue": "own"}))
        local.endpoint("prod-both", local.config("both", {"blue": "many", "green": "others"}))
        yield local


@pytest.fixture
def archives(run: Run, aws: Aws, tmp_path: Path) -> Run:
    """Runs ``archives`` beside an environment and two archives, at endpoints that hold none."""
    for held in aws.s3.list_objects_v2(Bucket="models").get("Contents", ()):
        if held["Key"].endswith(".tar.gz") and "/" in held["Key"]:
            aws.s3.delete_object(Bucket="models", Key=held["Key"])
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments/prod.yaml").write_text(FILE)
    (tmp_path / "one.tar.gz").write_bytes(MODEL)
    (tmp_path / "other.tar.gz").write_bytes(OTHER)
    return lambda *arguments: run(
        "archives", *arguments, AWS_DEFAULT_REGION=REGION, **shell_of(aws.gateway)
    )


@pytest.fixture
def held(aws: Aws) -> HeldArchives:
    """What is held at prod-many."""
    return held_archives("prod-many", client_of(aws.gateway))


def names(held: HeldArchives) -> list[str]:
    return [archive.name for archive in held.all()]


def test_what_is_put_can_be_requested_and_is_listed(archives: Run, aws: Aws) -> None:
    ended = archives("prod-many", "--put", "half=one.tar.gz", "--put", "other.tar.gz")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == ["half.tar.gz: put", "other.tar.gz: put"]
    assert aws.ask("prod-many", b"x", TargetModel="half.tar.gz") == b"first"
    rows = [line.split("\t") for line in archives("prod-many").stdout.splitlines()]
    assert [row[:2] for row in rows] == [
        ["half.tar.gz", str(len(MODEL))],
        ["other.tar.gz", str(len(OTHER))],
    ]


def test_a_request_that_names_its_model_wrongly_or_not_is_told_how_to(
    archives: Run, run: Run, aws: Aws
) -> None:
    archives("prod-many", "--put", "half=one.tar.gz")
    for endpoint, target, said in (
        ("prod-many", ("--target-model", "half"), "an archive's name has its suffix: half.tar.gz"),
        ("prod-many", (), "--target-model NAME.tar.gz says which one answers"),
        ("prod-gone", ("--target-model", "half"), "not found"),
    ):
        asked = ("predict", endpoint, "x", *target, "--region", REGION)
        ended = run(*asked, **shell_of(aws.gateway))
        assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr
    assert "suffix" not in ended.stderr


def test_an_empty_place_is_told(archives: Run) -> None:
    ended = archives("prod-many")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "s3://models/many/" in ended.stderr


def test_a_model_of_an_environment_file_names_its_endpoint(
    archives: Run, held: HeldArchives
) -> None:
    assert archives("prod/many/blue", "--put", "one.tar.gz").returncode == 0
    assert names(held) == ["one.tar.gz"]


def test_a_name_with_other_content_is_not_put_unless_told(
    archives: Run, held: HeldArchives, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.tar.gz", tmp_path / "other.tar.gz"
    held.put({"a.tar.gz": one})
    assert held.put({"a.tar.gz": one}) == {"a.tar.gz": "unchanged"}
    refused = archives("prod-many", "--put", "b=one.tar.gz", "--put", "a=other.tar.gz")
    assert refused.returncode == 2
    assert "a.tar.gz below s3://models/many/" in refused.stderr
    assert "--replace" in refused.stderr
    assert names(held) == ["a.tar.gz"]
    replaced = archives("prod-many", "--put", "a=other.tar.gz", "--replace")
    assert replaced.stdout.startswith("a.tar.gz: replaced; an instance that has loaded it serves")
    assert held.put({"a.tar.gz": other}) == {"a.tar.gz": "unchanged"}


def test_content_of_the_same_size_is_compared(
    held: HeldArchives, archives: Run, aws: Aws, tmp_path: Path
) -> None:
    aws.s3.put_object(Bucket="models", Key="many/a.tar.gz", Body=b"x" * len(MODEL))
    with pytest.raises(Mistake, match="other content"):
        held.put({"a.tar.gz": tmp_path / "one.tar.gz"})


def test_what_is_removed_is_served_on_where_it_is_loaded(
    archives: Run, held: HeldArchives, aws: Aws, tmp_path: Path
) -> None:
    held.put(dict.fromkeys(["loaded.tar.gz", "new.tar.gz"], tmp_path / "one.tar.gz"))
    aws.ask("prod-many", b"x", TargetModel="loaded.tar.gz")
    assert archives("prod-many", "--remove", "loaded").returncode == 2  # nobody to ask
    assert names(held) == ["loaded.tar.gz", "new.tar.gz"]
    ended = archives("prod-many", "--remove", "loaded", "--remove", "new.tar.gz", "--yes", "--json")
    assert json.loads(ended.stdout) == [
        {"name": "loaded.tar.gz", "change": "removed"},
        {"name": "new.tar.gz", "change": "removed"},
    ]
    assert aws.ask("prod-many", b"x", TargetModel="loaded.tar.gz") == b"first"
    with pytest.raises(aws.runtime.exceptions.ValidationError):
        aws.ask("prod-many", b"x", TargetModel="new.tar.gz")


def test_a_folder_is_packed_as_the_container_loads_it(
    archives: Run, aws: Aws, tmp_path: Path
) -> None:
    folder = tmp_path / "export/half/1"
    folder.mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(saved_model())
    ended = archives("prod-both", "--variant", "green", "--put", "export/half")
    assert ended.stdout == "half.tar.gz: put\n", ended.stderr
    packed = aws.s3.get_object(Bucket="models", Key="others/half.tar.gz")["Body"].read()
    with tarfile.open(fileobj=io.BytesIO(packed)) as held:
        assert "1/saved_model.pb" in held.getnames()


def test_an_archive_in_s3_is_put_under_its_name(
    archives: Run, held: HeldArchives, aws: Aws
) -> None:
    aws.s3.put_object(Bucket="models", Key="trained/words.tar.gz", Body=MODEL)
    place = "s3://models/trained/words.tar.gz"
    archives("prod-many", "--put", place, "--put", f"texts={place}")
    assert names(held) == ["texts.tar.gz", "words.tar.gz"]


def test_nothing_is_put_where_one_of_several_is_wrong(
    archives: Run, held: HeldArchives, tmp_path: Path
) -> None:
    (tmp_path / "wrong.tar.gz").write_bytes(archive({"notes.txt": b"no model"}))
    given = ("one.tar.gz", "wrong.tar.gz", "gone.tar.gz")
    ended = archives("prod-many", *(f"--put={each}" for each in given))
    assert ended.returncode == 2
    assert "saved_model.pb" in ended.stderr
    assert "gone.tar.gz" in ended.stderr
    assert names(held) == []


def test_an_image_of_ones_own_is_not_judged_as_tensorflow(archives: Run, tmp_path: Path) -> None:
    (tmp_path / "words.tar.gz").write_bytes(archive({"words.txt": b"one's own format"}))
    ended = archives("prod-own", "--put", "words.tar.gz")
    assert (ended.stdout, ended.stderr) == ("words.tar.gz: put\n", "")


@pytest.mark.parametrize(
    ("endpoint", "variant", "said"),
    [
        ("gone", None, "there is no endpoint 'gone'"),
        ("prod-one", None, "prod-one is not multi-model"),
        ("prod-both", None, "(blue: s3://models/many/, green: s3://models/others/)"),
        ("prod-both", "red", "it has blue, green"),
    ],
)
def test_an_endpoint_that_tells_no_single_place_is_refused(
    aws: Aws, endpoint: str, variant: str | None, said: str
) -> None:
    with pytest.raises(Mistake, match=re.escape(said)):
        held_archives(endpoint, client_of(aws.gateway), variant=variant)


def test_an_archive_that_is_not_there_names_those_that_are(
    held: HeldArchives, archives: Run, tmp_path: Path
) -> None:
    with pytest.raises(NotFound, match="it is empty"):
        held.found("half")
    held.put({"half.tar.gz": tmp_path / "one.tar.gz"})
    with pytest.raises(NotFound, match=r"did you mean half\.tar\.gz"):
        held.found("halve")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dev/many",), "no model of environments/*.yaml"),
        (("prod-many", "--put", ".."), "give it one: NAME=.."),
        (("prod-many", "--put", "one.tar.gz", "--put", "one=other.tar.gz"), "one.tar.gz twice"),
        (("prod-many", "--replace"), "--replace is for --put"),
    ],
)
def test_a_mistake_gets_one_clear_message(
    archives: Run, arguments: tuple[str, ...], said: str
) -> None:
    ended = archives(*arguments)
    assert ended.returncode == 2, ended.stdout
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
