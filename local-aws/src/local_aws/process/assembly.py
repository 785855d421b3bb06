"""What a cloud assembly tells before it is deployed: its stacks, their accounts, its images."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from local_aws.credentials import ACCOUNT_ID
from local_aws.errors import Mistake


@dataclass(frozen=True, kw_only=True)
class AssembledStack:
    """A stack of an assembly.

    ``path`` is what the CDK CLI calls it: ``Test/Shop``. ``region`` is None where the stack is for
    any; one that is for any account is for the local AWS's first. ``id`` is its artifact's, and
    ``dependencies`` are those of others; ``properties`` are as the manifest has them.
    """

    name: str
    path: str
    account: str
    region: str | None
    id: str
    dependencies: Sequence[str]
    properties: Mapping[str, Any] = field(repr=False)

    def is_meant_by(self, pattern: str) -> bool:
        """Whether it is its name or its path, or a pattern for one: ``Test/*``."""
        return fnmatchcase(self.name, pattern) or fnmatchcase(self.path, pattern)


@contextmanager
def held(assembly: Path) -> Iterator[None]:
    """Keeps others from writing ``assembly`` and deploying it; raises `Mistake` while one does.

    The lock ends with this process, however that ends.
    """
    assembly.parent.mkdir(parents=True, exist_ok=True)
    with assembly.with_name(f"{assembly.name}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            name = assembly.name.removeprefix("cdk.out-")
            raise Mistake(
                f"another deploy or destroy of {name} runs; wait for its end, or stop it"
            ) from None
        yield


def stacks_of(assembly: Path, patterns: Iterable[str] = ()) -> list[AssembledStack]:
    """The stacks that ``patterns`` mean, those of nested assemblies too; all without any.

    Raises `Mistake` for a pattern that means none.
    """
    stacks = _stacks(assembly)
    patterns = list(patterns)
    for pattern in patterns:
        if not any(stack.is_meant_by(pattern) for stack in stacks):
            known = ", ".join(stack.path for stack in stacks)
            raise Mistake(f"{assembly}: there is no stack {pattern}; there are {known}")
    return [
        stack
        for stack in stacks
        if not patterns or any(stack.is_meant_by(pattern) for pattern in patterns)
    ]


def images_of(assembly: Path) -> list[str]:
    """The image assets, by what the app calls them."""
    return sorted(
        {
            image.get("displayName") or asset_id
            for artifact in artifacts_in(assembly, "cdk:asset-manifest")
            for asset_id, image in _read(artifact["folder"] / artifact["properties"]["file"])
            .get("dockerImages", {})
            .items()
        }
    )


def annotations_in(assembly: Path, level: str) -> list[str]:
    """What constructs say by `aws_cdk.Annotations`, each with its place; ``level`` is ``info``,
    ``warning`` or ``error``."""
    return [
        f"[{level.capitalize()} at {path}] {said['data']}"
        for stack in artifacts_in(assembly, "aws:cloudformation:stack")
        for metadata in (
            stack.get("metadata", {}),
            _read(stack["folder"] / stack.get("additionalMetadataFile", "")),
        )
        for path, all_said in metadata.items()
        for said in all_said
        if said["type"] == f"aws:cdk:{level}"
    ]


def _stacks(assembly: Path) -> list[AssembledStack]:
    found = []
    for artifact in artifacts_in(assembly, "aws:cloudformation:stack"):
        account, _, region = artifact["environment"].removeprefix("aws://").partition("/")
        found.append(
            AssembledStack(
                name=artifact["properties"].get("stackName") or artifact["id"],
                path=artifact["displayName"],
                account=account if account.isdigit() else ACCOUNT_ID,
                region=None if region == "unknown-region" else region,
                id=artifact["id"],
                dependencies=artifact.get("dependencies", ()),
                properties=artifact["properties"],
            )
        )
    return found


def artifacts_in(assembly: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Those of a kind, of nested assemblies too, each with the ``folder`` that it lies in."""
    for name, artifact in _read(assembly / "manifest.json").get("artifacts", {}).items():
        if artifact["type"] == "cdk:cloud-assembly":
            yield from artifacts_in(assembly / artifact["properties"]["directoryName"], kind)
        if artifact["type"] == kind:
            yield {"displayName": name, **artifact, "id": name, "folder": assembly}


def _read(path: Path) -> Any:
    """What a file of the assembly says; the CLI says best of one that is not there."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
