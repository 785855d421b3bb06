"""What a cloud assembly tells before it is deployed: whose accounts it names, which images."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from local_aws.context import ACCOUNT_ID
from local_aws.errors import Mistake


def refuse_other_accounts(assembly: Path) -> None:
    """Raise `Mistake` when a stack names another account than the local one, for all of them."""
    named: dict[str, list[str]] = {}
    for artifact in _artifacts(assembly, "aws:cloudformation:stack"):
        account = artifact["environment"].removeprefix("aws://").partition("/")[0]
        if account.isdigit() and account != ACCOUNT_ID:
            named.setdefault(account, []).append(artifact["displayName"])
    if named:
        told = "; ".join(
            f"account {account} is named by {', '.join(sorted(stacks))}"
            for account, stacks in sorted(named.items())
        )
        raise Mistake(
            f"{assembly}: {told}; the local AWS has one account, {ACCOUNT_ID}; leave `account` out "
            "of their env, read it from CDK_DEFAULT_ACCOUNT, or give it as the app asks for it: "
            f"-c NAME={ACCOUNT_ID}"
        )


def images_of(assembly: Path) -> list[str]:
    """The image assets, by what the app calls them."""
    return sorted(
        {
            image.get("displayName") or asset_id
            for artifact in _artifacts(assembly, "cdk:asset-manifest")
            for asset_id, image in _read(artifact["folder"] / artifact["properties"]["file"])
            .get("dockerImages", {})
            .items()
        }
    )


def _artifacts(assembly: Path, kind: str) -> Iterator[dict[str, Any]]:
    """Those of a kind, of nested assemblies too, each with the ``folder`` that it lies in."""
    for name, artifact in _read(assembly / "manifest.json").get("artifacts", {}).items():
        if artifact["type"] == "cdk:cloud-assembly":
            yield from _artifacts(assembly / artifact["properties"]["directoryName"], kind)
        if artifact["type"] == kind:
            yield {"displayName": name, **artifact, "folder": assembly}


def _read(path: Path) -> Any:
    """What a file of the assembly says; the CLI says best of one that is not there."""
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
