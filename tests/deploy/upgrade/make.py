"""Makes the assembly from which the upgrade begins, with the code of an earlier commit.

::

    pip install --target before cityhash google-crc32c
    PYTHONPATH=before python -m tests.deploy.upgrade.make 79690b6

That is the last commit of version 0.2.0. It is read from this repository. Its packages are today's,
and those two, which it needed beside them.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
ENVIRONMENT = HERE / "trial.yaml"
ASSEMBLY = HERE / "before.tar.gz"
_ABOUT_IT = (".metadata.json", "tree.json", "validation-report.json")
_TOLD = ("cdk:tree", "cdk:feature-flag-report")


def main() -> None:
    """Synthesizes `ENVIRONMENT` as the commit named on the command line does, and packs it."""
    (commit,) = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        project, assembly = Path(folder) / "project", Path(folder) / "cdk.out"
        git = ["git", "archive", commit]
        source = subprocess.run(git, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
        with tarfile.open(fileobj=io.BytesIO(source)) as tar:
            tar.extractall(project, filter="data")
        for other in (project / "environments").glob("*.yaml"):
            other.unlink()
        shutil.copy(ENVIRONMENT, project / "environments")
        context = json.loads((project / "cdk.json").read_text())["context"]
        context |= {"env": ENVIRONMENT.stem, "account": "123456789012"}
        node = ROOT / ".venv" / "node"
        own = [str(project / "constructs"), str(project / "local-aws" / "src")]
        environment = {
            **os.environ,
            "CDK_OUTDIR": str(assembly),
            "CDK_CONTEXT_JSON": json.dumps(context),
            "PATH": os.pathsep.join([str(node), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join([*own, os.environ.get("PYTHONPATH", "")]),
            "SAGEMAKER_SERVING_CACHE_BYTES": "0",
        }
        subprocess.run([sys.executable, "app.py"], cwd=project, env=environment, check=True)
        _pack(assembly, commit)


def _pack(assembly: Path, commit: str) -> None:
    """What is deployed, without what is only told of it; the same bytes for the same files."""
    manifest = assembly / "manifest.json"
    manifest.write_text(json.dumps(_without_what_is_told(json.loads(manifest.read_text()))))
    for file in assembly.iterdir():
        if file.name.endswith(_ABOUT_IT):
            file.unlink()
    (assembly / "made-with.txt").write_text(f"{commit}\n")

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime, member.uid, member.gid, member.uname, member.gname = 0, 0, 0, "", ""
        return member

    with tarfile.open(ASSEMBLY, "w:gz") as tar:
        for file in sorted(assembly.rglob("*")):
            if "__pycache__" not in file.parts:
                tar.add(file, file.relative_to(assembly), recursive=False, filter=plain)


def _without_what_is_told(manifest: dict[str, Any]) -> dict[str, Any]:
    artifacts = {
        name: {key: value for key, value in each.items() if key != "additionalMetadataFile"}
        for name, each in manifest["artifacts"].items()
        if each["type"] not in _TOLD
    }
    return {**manifest, "artifacts": artifacts}


if __name__ == "__main__":
    main()
