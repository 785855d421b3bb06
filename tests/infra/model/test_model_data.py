"""An archive reaches the cloud assembly without being copied, and its key ends in .tar.gz."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sagemaker_serving.infra import ModelData
from tests.models import archive, saved_model


def file_assets(bench: Any) -> list[dict[str, Any]]:
    """What the CDK CLI would upload beside the template."""
    bench.app.synth()
    manifest = json.loads(Path(bench.app.outdir, "Stack.assets.json").read_text())
    assets = [*manifest["files"].values()]
    return [asset for asset in assets if not asset["source"]["path"].endswith(".template.json")]


def test_a_ready_archive_is_linked_and_never_copied(bench: Any, tmp_path: Path) -> None:
    ready = tmp_path / "model.tar.gz"
    ready.write_bytes(archive({"m/1/saved_model.pb": saved_model()}))
    ModelData.from_path(ready).bind(bench.stack, bench.role)
    (asset,) = file_assets(bench)
    (destination,) = asset["destinations"].values()
    assert Path(bench.app.outdir, asset["source"]["path"]).samefile(ready)
    assert asset["source"]["packaging"] == "file"
    assert destination["objectKey"].endswith(".tar.gz")


def test_a_folder_is_written_straight_into_the_assembly(bench: Any) -> None:
    ModelData.from_path(bench.model_folder).bind(bench.stack, bench.role)
    (asset,) = file_assets(bench)
    (written,) = Path(bench.app.outdir).rglob("*.tar.gz")
    assert Path(bench.app.outdir, asset["source"]["path"]).samefile(written)


def test_binding_twice_packs_once(bench: Any) -> None:
    first = ModelData.from_path(bench.model_folder).bind(bench.stack, bench.role)
    second = ModelData.from_path(bench.model_folder).bind(bench.stack, bench.role)
    assert first.identity == second.identity
    assert len(file_assets(bench)) == 1
