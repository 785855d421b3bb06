"""An assembly deployed through CloudFormation's API alone: a fraction of what the CDK CLI takes."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.local_aws.aws import Aws, eventually

_BOOTSTRAP = "hnb659fds"
_DONE = ("COMPLETE", "FAILED")


class DirectDeploy:
    """One assembly on a local AWS: assets in the bootstrap's bucket, then stack after stack."""

    def __init__(self, aws: Aws, assembly: Path, account: str, region: str) -> None:
        self._assembly = assembly
        self._place = {"${AWS::AccountId}": account, "${AWS::Region}": region}
        self._place["${AWS::Partition}"] = "aws"
        self._bucket = f"cdk-{_BOOTSTRAP}-assets-{account}-{region}"
        self._s3 = aws.client("s3", region)
        self._stacks = aws.client("cloudformation", region)
        self._ssm = aws.client("ssm", region)
        self._region = region

    def run(self) -> list[str]:
        """Deploys and destroys; returns why stacks failed, in the order in which it was told."""
        failed = self.deploy()
        for name in reversed(self.deployed):
            failed += self.destroy(name)
        return failed

    def deploy(self, *, rolls_back: bool = True) -> list[str]:
        """Makes the stacks, or updates those that are there, up to the first that fails; returns
        why it did. ``deployed`` has their names. An update that fails is taken back unless told."""
        self._bootstrap()
        for folder in self._folders():
            self._publish(folder)
        self.deployed: list[str] = []
        for name, template in self._ordered():
            failed = self._deploy(name, template, rolls_back)
            self.deployed.append(name)
            if failed:
                return failed
        return []

    def destroy(self, name: str) -> list[str]:
        """Deletes a stack with what its bucket has; returns why it could not."""
        self._stacks.update_termination_protection(
            StackName=name, EnableTerminationProtection=False
        )
        for resource in self._stacks.describe_stack_resources(StackName=name)["StackResources"]:
            bucket = resource.get("PhysicalResourceId")
            if resource["ResourceType"] == "AWS::S3::Bucket" and bucket:
                self._empty(bucket)
        self._stacks.delete_stack(StackName=name)
        return [] if self._settled(name) in ("GONE", "DELETE_COMPLETE") else self._reasons(name)

    def _empty(self, bucket: str) -> None:
        for page in self._s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
            for entry in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                self._s3.delete_object(
                    Bucket=bucket, Key=entry["Key"], VersionId=entry["VersionId"]
                )

    def _bootstrap(self) -> None:
        if self._bucket in [each["Name"] for each in self._s3.list_buckets()["Buckets"]]:
            return
        place = {"LocationConstraint": self._region}
        more = {} if self._region == "us-east-1" else {"CreateBucketConfiguration": place}
        self._s3.create_bucket(Bucket=self._bucket, **more)
        name = f"/cdk-bootstrap/{_BOOTSTRAP}/version"
        self._ssm.put_parameter(Name=name, Value="30", Type="String")

    def _folders(self) -> Iterator[Path]:
        """The assembly's, and those of the stages within."""
        yield self._assembly
        yield from sorted(each for each in self._assembly.glob("assembly-*") if each.is_dir())

    def _publish(self, folder: Path) -> None:
        for manifest in folder.glob("*.assets.json"):
            files = json.loads(manifest.read_text()).get("files", {})
            for asset in files.values():
                source = folder / asset["source"]["path"]
                packed = asset["source"]["packaging"] == "zip"
                content = _zipped(source) if packed else source.read_bytes()
                for destination in asset["destinations"].values():
                    self._s3.put_object(
                        Bucket=self._placed(destination["bucketName"]),
                        Key=self._placed(destination["objectKey"]),
                        Body=content,
                    )

    def _placed(self, text: str) -> str:
        for name, value in self._place.items():
            text = text.replace(name, value)
        return text

    def _ordered(self) -> Iterator[tuple[str, Path]]:
        """Each stack's name and template, after those that it needs."""
        stacks: dict[str, tuple[str, Path, list[str]]] = {}
        for folder in self._folders():
            manifest = json.loads((folder / "manifest.json").read_text())
            for key, artifact in manifest.get("artifacts", {}).items():
                if artifact["type"] == "aws:cloudformation:stack":
                    properties: Mapping[str, Any] = artifact["properties"]
                    name = properties.get("stackName", key)
                    template = folder / properties["templateFile"]
                    stacks[key] = name, template, artifact.get("dependencies", [])
        while stacks:
            ready = [key for key, each in stacks.items() if not set(each[2]) & set(stacks)]
            for key in ready:
                name, template, _ = stacks.pop(key)
                yield name, template

    def _deploy(self, name: str, template: Path, rolls_back: bool) -> list[str]:
        key = f"templates/{name}.json"
        self._s3.put_object(Bucket=self._bucket, Key=key, Body=template.read_bytes())
        suffix = "amazonaws.com.cn" if self._region.startswith("cn-") else "amazonaws.com"
        asked: dict[str, Any] = {
            "StackName": name,
            "TemplateURL": f"https://{self._bucket}.s3.{self._region}.{suffix}/{key}",
            "Capabilities": ["CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"],
        }
        try:
            if self._settled(name) in ("GONE", "DELETE_COMPLETE"):
                self._stacks.create_stack(**asked, DisableRollback=True)
            else:
                self._stacks.update_stack(**asked, DisableRollback=not rolls_back)
        except self._stacks.exceptions.ClientError as refused:
            return [] if "No updates" in str(refused) else [f"{name}: {refused}"]
        if self._settled(name) in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
            return []
        return self._reasons(name)

    def _reasons(self, name: str) -> list[str]:
        events = self._stacks.describe_stack_events(StackName=name)["StackEvents"]
        return [
            f"{name} {event['LogicalResourceId']} ({event['ResourceType']}): "
            f"{event.get('ResourceStatusReason')}"
            for event in reversed(events)
            if event["ResourceStatus"].endswith("FAILED")
        ]

    def _settled(self, name: str) -> str:
        def look() -> str | None:
            found = [
                each
                for each in self._stacks.list_stacks()["StackSummaries"]
                if each["StackName"] == name
            ]
            if not found:
                return "GONE"
            status: str = max(found, key=lambda each: each["CreationTime"])["StackStatus"]
            return status if status.endswith(_DONE) else None

        # A look takes the processor from the gateway, which is in this process.
        return str(eventually(look, 900))


def _zipped(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return packed.getvalue()
