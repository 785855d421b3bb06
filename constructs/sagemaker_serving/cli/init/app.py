"""The CDK app that deploys what lies in environments/, laid where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import sagemaker_serving

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
            "a deploy needs a CDK app, which init does not add, since it would replace "
            f"{' and '.join(taken)}; run init in another folder"
        )
    source = _source()
    try:
        for part in _PARTS:
            if (source / part).is_dir():
                shutil.copytree(source / part, part, ignore=_NO_CACHE)
            else:
                shutil.copyfile(source / part, part)
    except BaseException:
        for part in _PARTS:
            shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
        raise
    return "app.py, stacks/, cdk.json: the CDK app that deploys it; change it as you like"


def _source() -> Path:
    """The wheel carries it inside the package; in a clone it stands at the top."""
    package = Path(sagemaker_serving.__file__).parent
    carried = package / "project"
    return carried if carried.is_dir() else package.parents[1]
