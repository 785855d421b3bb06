"""A CDK project as a clone has it, with one environment of its own, deployed by the CDK CLI."""

from __future__ import annotations

import shutil
from pathlib import Path

from benchmarks.hosting import REGION
from local_aws.credentials import ACCOUNT_ID
from local_aws.process.address import Address
from local_aws.process.cdk import CdkCli

ROOT = Path(__file__).parents[1]


def deploy(folder: Path, address: Address, name: str, environment: str) -> None:
    """Makes the project in ``folder`` and deploys the environment ``name``, given as its text."""
    for file in ("app.py", "cdk.json"):
        shutil.copy(ROOT / file, folder / file)
    for part in ("stacks", "model_assets"):
        shutil.copytree(ROOT / part, folder / part)
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    (folder / "environments").mkdir()
    (folder / "environments" / f"{name}.yaml").write_text(environment)
    with (folder / "cdk.log").open("w+") as log:
        cdk = CdkCli(folder, address, REGION, log=log)
        cdk.synth(folder / "cdk.out", {"env": name, "account": ACCOUNT_ID})
        cdk.bootstrap()
        cdk.deploy(folder / "cdk.out")
