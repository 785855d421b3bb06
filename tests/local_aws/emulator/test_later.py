"""EC2 and Batch of the emulator: loaded when somebody asks for them, and then as ever."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ASKS = """
import sys
from pathlib import Path
from local_aws.gateway import Gateway

def loaded():
    return [name for name in ("ec2", "batch") if f"moto.{name}.models" in sys.modules]

gateway = Gateway(Path(sys.argv[1]), services=())
gateway.start()
for service in gateway.services():
    if service.warm_up is not None:
        getattr(gateway.context.client(service.name, gateway.region), service.warm_up)()
print("warm:", *loaded())
ec2 = gateway.context.client("ec2", gateway.region)
vpc = ec2.create_vpc(CidrBlock="10.9.0.0/16")["Vpc"]["VpcId"]
print("asked:", *loaded())

import moto.batch, moto.ec2, moto.ec2.models, moto.ssm.models
account = gateway.context.account_id
for each in (moto.ec2.ec2_backends, moto.ssm.models.ec2_backends):
    print(vpc in each[account][gateway.region].vpcs, list(each) == [account], len(each))
print(moto.ec2.ec2_backends.service_name, moto.batch.batch_backends.service_name)
gateway.stop()
"""


def test_what_few_ask_for_is_loaded_for_who_asks(tmp_path: Path) -> None:
    asked = subprocess.run(
        [sys.executable, "-c", ASKS, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert asked.stdout.splitlines() == [
        "warm:",
        "asked: ec2",
        *["True True 1"] * 2,
        "ec2 batch",
    ]
