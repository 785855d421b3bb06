"""What deploys environments/: the CDK app, laid where there is none, and a workflow for CI."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from sagemaker_serving import __version__
from sagemaker_serving.cli.carried import carried
from sagemaker_serving.cli.completing import FOLDER, environment_files
from sagemaker_serving.errors import Mistake
from sagemaker_serving.extras import installed
from sagemaker_serving.spec import read_environment
from sagemaker_serving.whole_files import write_whole

_PARTS = (Path("app.py"), Path("stacks"), Path("cdk.json"))
_NO_CACHE = shutil.ignore_patterns("__pycache__")


def lay_app() -> str | None:
    """Copies the app into this folder, unless there is a CDK app already; what to say of it.

    From then on it is the user's, to read and to change. None is laid beside a file or folder that
    has the place of one of its own.
    """
    if Path("cdk.json").exists():
        return None
    taken = [str(part) for part in _PARTS if part.exists()]
    if taken:
        return (
            "a deploy needs a CDK app, which is not added here, since it would replace "
            f"{' and '.join(taken)}; move environments/ to another folder"
        )
    try:
        for part in _PARTS:
            source = carried(str(part))
            if source.is_dir():
                shutil.copytree(source, part, ignore=_NO_CACHE)
            else:
                shutil.copyfile(source, part)
    except BaseException:
        for part in _PARTS:
            shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        raise
    return "app.py, stacks/, cdk.json: the CDK app that deploys it; change it as you like"


_WORKFLOW = Path(".github", "workflows", "deploy.yml")
_DEPLOYED = ("staging", "prod")
_REQUIREMENTS = """\
# What CI installs. Wheels that no index has are looked for in wheels/.
--find-links wheels
sagemaker-serving[{extras}]=={version}
cdk-nag>=3.0.2
"""


def may_lay_workflow(*, force: bool) -> None:
    """Raises `Mistake` where there is a workflow already, unless ``force``."""
    if _WORKFLOW.exists() and not force:
        raise Mistake(f"{_WORKFLOW} exists; --force replaces it")


def lay_workflow() -> Iterator[str]:
    """Writes the workflow for GitHub, and what it installs where nothing says so; what to say."""
    files = {path.stem: read_environment(path).sound.models for path in environment_files()}
    judged = [files[name] for name in _DEPLOYED if name in files] or list(files.values())
    models = sorted({name for file in judged for name, each in file.items() if each.variants})
    text = carried("docs").joinpath("ci", "github-actions.yml").read_text(encoding="utf-8")
    _WORKFLOW.parent.mkdir(parents=True, exist_ok=True)
    write_whole(_WORKFLOW, re.sub(r"(?m)^  MODELS: \w+", f"  MODELS: {' '.join(models)}", text))
    yield f"{_WORKFLOW}: checks, synthesizes, and deploys to staging and then to prod"
    missing = [f"{FOLDER}/{name}.yaml" for name in _DEPLOYED if name not in files]
    if missing:
        yield f"it deploys {' and '.join(missing)}, which you write before its first run"
    requirements, node = Path("requirements.txt"), Path("package.json")
    if not requirements.exists():
        extras = ",".join(sorted({"cdk", *installed()}))
        write_whole(requirements, _REQUIREMENTS.format(extras=extras, version=__version__))
        yield f"{requirements}: what it installs with pip"
    elif "sagemaker-serving" not in requirements.read_text(encoding="utf-8"):
        yield f"{requirements} is yours: add sagemaker-serving[cdk]=={__version__} and cdk-nag"
    if not node.exists():
        wanted = {"private": True, "devDependencies": {"aws-cdk": "2"}}
        write_whole(node, json.dumps(wanted, indent=2) + "\n")
        yield f"{node}: the CDK CLI; commit it with package-lock.json, which npm install writes"
    elif '"aws-cdk"' not in node.read_text(encoding="utf-8"):
        yield f"{node} is yours: npm install --save-dev aws-cdk@2 adds the CDK CLI to it"
    yield "the roles that it assumes, and GitHub's settings: sagemaker-serving docs ci"
