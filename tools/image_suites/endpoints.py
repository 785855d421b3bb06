"""Runs the tests by which AWS deploys today's TensorFlow image, against the local AWS."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from local_aws import daemon
from sagemaker_serving.client import Aws
from tools.own_environments.environments import environment_of
from tools.roles import trust

ROOT = Path(__file__).parents[2]
TESTS = "tensorflow/integration/inference"
"""Where they lie below ``test`` in aws/deep-learning-containers."""

_REGION, _ROLE = "us-west-2", "SageMakerRole"
_POLICIES = ("AmazonSageMakerFullAccess", "AmazonS3FullAccess")


def lies_in(checkout: Path) -> bool:
    """Whether the checkout has them."""
    return (checkout / "test" / TESTS / "test_tfs_batching.py").exists()


def fails(checkout: Path, version: str, for_pytest: list[str]) -> bool:
    """Whether a test failed; those that need a GPU are left out.

    The SDK asks STS at AWS's own address whatever the shell says: `tools.image_suites.sts`.
    """
    image = f"763104351884.dkr.ecr.{_REGION}.amazonaws.com/tensorflow-inference:{version}-cpu"
    with tempfile.TemporaryDirectory(prefix="image-suite-") as scratch:
        state = Path(scratch, "state")
        address = daemon.start(state, port=0, with_parent=True)
        try:
            iam = Aws.at(address, _REGION).client("iam")
            iam.create_role(RoleName=_ROLE, AssumeRolePolicyDocument=json.dumps(trust("sagemaker")))
            for policy in _POLICIES:
                iam.attach_role_policy(
                    RoleName=_ROLE, PolicyArn=f"arn:aws:iam::aws:policy/{policy}"
                )
            ended = subprocess.run(
                [
                    str(environment_of("image_endpoints") / "bin" / "python"),
                    *("-m", "pytest", TESTS, "-p", "no:cacheprovider", "-k", "not gpu"),
                    *("-p", "tools.image_suites.sts", "--image-uri", image, *for_pytest),
                ],
                cwd=checkout / "test",
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": scratch,
                    "PYTHONPATH": str(ROOT),
                    "PYTHONDONTWRITEBYTECODE": "1",
                    "SM_DEVICE_TYPE": "cpu",
                    **address.environment(_REGION),
                },
                check=False,
            )
        finally:
            daemon.stop(state)
    return bool(ended.returncode)
