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


@pytest.mark.parametrize("by", ["home", "variable"])
def test_a_description_of_the_users_own_has_no_say(tmp_path: Path, by: str) -> None:
    models = tmp_path / ".aws" / "models"
    (models / "sqs" / "2012-11-05").mkdir(parents=True)
    (models / "sqs" / "2012-11-05" / "service-2.json").write_text("{}")
    environment = {"HOME": str(tmp_path)} if by == "home" else {"AWS_DATA_PATH": str(models)}
    code = (
        "from local_aws.boto import isolated_session\n"
        "print(isolated_session(region_name='eu-west-1').client('sqs').meta.service_model.api_version)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout == "2012-11-05\n"


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
