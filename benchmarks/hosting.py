"""What the benchmarks of endpoints share: a role and models of half_plus_three."""

from __future__ import annotations

import io
import json
import tarfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sagemaker_serving.catalog.images import container_image
from sagemaker_serving.client import Aws
from tools.roles import MODEL_POLICY, trust

MODEL = Path(__file__).parents[1] / "model_assets" / "half_plus_three" / "model"
BODY = b'{"instances": [1.0, 2.0, 5.0]}'
ANSWER = {"predictions": [3.5, 4.0, 5.5]}
REGION = "eu-west-1"
BUCKET = "models"


class Hosting:
    """A region of a local AWS with the bucket `BUCKET` and a role for models."""

    def __init__(self, aws: Aws) -> None:
        self.sagemaker = aws.client("sagemaker")
        self.cloudwatch = aws.client("cloudwatch")
        self.runtime = aws.client("sagemaker-runtime")
        self.s3 = aws.client("s3")
        self.s3.create_bucket(
            Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        iam = aws.client("iam")
        made = iam.create_role(
            RoleName="bench", AssumeRolePolicyDocument=json.dumps(trust("sagemaker"))
        )
        self._role = made["Role"]["Arn"]
        alarms = {"Effect": "Allow", "Action": "cloudwatch:DescribeAlarms", "Resource": "*"}
        policy = {**MODEL_POLICY, "Statement": [*MODEL_POLICY["Statement"], alarms]}
        iam.put_role_policy(RoleName="bench", PolicyName="model", PolicyDocument=json.dumps(policy))
        self._image = container_image(framework="tensorflow", version="2.20", region=REGION).uri

    def put(self, key: str, files: Mapping[str, bytes]) -> str:
        """An archive of files in the bucket; its address."""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=packed.getvalue())
        return f"s3://{BUCKET}/{key}"

    def config(self, name: str, url: str, **container: Any) -> str:
        """A model and a config of it, both of this name."""
        self.sagemaker.create_model(
            ModelName=name,
            ExecutionRoleArn=self._role,
            PrimaryContainer={"Image": self._image, "ModelDataUrl": url, **container},
        )
        variant = {
            "VariantName": "cpu",
            "ModelName": name,
            "InstanceType": "ml.c5.large",
            "InitialInstanceCount": 1,
        }
        self.sagemaker.create_endpoint_config(EndpointConfigName=name, ProductionVariants=[variant])
        return name

    def in_service(self, endpoint: str) -> Any:
        """The endpoint's description once nothing is done to it any more."""
        while True:
            found = self.sagemaker.describe_endpoint(EndpointName=endpoint)
            if found["EndpointStatus"] not in ("Creating", "Updating"):
                return found
            time.sleep(0.05)


def model_files(*, nested: bool) -> dict[str, bytes]:
    """half_plus_three as an archive has it; multi-model containers want its versions at the top."""
    root = MODEL if nested else MODEL / "half_plus_three"
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }
