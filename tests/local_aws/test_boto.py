"""What the local AWS changes about botocore, and what its sessions share."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from local_aws.boto import isolated_session

READS = """
import json
from botocore.loaders import create_loader
from moto.core.utils import get_service_model
from local_aws.boto import read_models_once
from local_aws.emulator import memory

memory.apply()
if {once}:
    read_models_once()
before = json.dumps(create_loader().load_service_model("sqs", "service-2"))
emulators = get_service_model("sqs")
first, second = (create_loader().load_service_model("sqs", "service-2") for _ in range(2))
print(first is second, json.dumps(first) == before, emulators._service_description == first)
"""


def test_a_file_of_botocore_is_read_once_and_by_the_emulator_apart() -> None:
    assert _reads(once=True) == "True True False"
    assert _reads(once=False) == "False True False"


def _reads(*, once: bool) -> str:
    told = subprocess.run(
        [sys.executable, "-c", READS.format(once=once)], capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


@pytest.mark.parametrize(
    "code",
    [
        "isolated_session(region_name='eu-west-1').client('sqs')",
        "read_models_once(); get_service_model('sqs').protocol",
    ],
    ids=["client", "local AWS"],
)
def test_a_description_of_the_users_own_has_no_say(tmp_path: Path, code: str) -> None:
    own = tmp_path / ".aws" / "models" / "sqs" / "2012-11-05"
    own.mkdir(parents=True)
    (own / "service-2.json").write_text("{}")
    imports = (
        "from local_aws.boto import isolated_session, read_models_once\n"
        "from moto.core.utils import get_service_model\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", imports + code],
        env={"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def test_sessions_of_the_local_aws_read_a_services_description_once() -> None:
    first, second = (
        isolated_session(
            endpoint_url="http://localhost:1",
            region_name="eu-west-1",
            aws_access_key_id="own",
            aws_secret_access_key="own",
        ).client("sqs")
        for _ in range(2)
    )
    assert first.meta.service_model.metadata is second.meta.service_model.metadata
