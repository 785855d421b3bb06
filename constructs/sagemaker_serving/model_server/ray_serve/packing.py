"""A PyTorch model for Ray Serve's image: what is packed beside it, or why that would not do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from inspect import getfile
from pathlib import Path

import sagemaker_serving
from sagemaker_serving.archive import ArchiveContents, Source, contents_of
from sagemaker_serving.archive.handlers import SCRIPT, script_of, script_variables
from sagemaker_serving.archive.tree import walk
from sagemaker_serving.errors import Mistake, ReportedError

APPLICATION = ("config.yaml", "deployment.py")


def add_application(sources: Sequence[Source]) -> list[Source]:
    """``sources`` and, beside them, the application that calls their ``inference.py``.

    ``inference.py`` and ``requirements.txt`` at the top of a single folder go to ``code/``. Raises
    `Mistake` with every reason why the image could not serve it, but for what rules judge.
    """
    model = _laid_out(sources)
    reasons = [*_why_not(contents_of(model, convert=False), sources)]
    if reasons:
        raise Mistake("\n".join(reasons))
    return [*model, *_application()]


_CODE = ("inference.py", "requirements.txt")
_NOT_THERE = {
    "sagemaker_inference": "list sagemaker-inference in code/requirements.txt",
    "sagemaker_pytorch_serving_container": "do without it",
    "ts": "do without it",
}
"""Of the PyTorch image's own packages, those that Ray Serve's has not, and what to do.
(aws/deep-learning-containers e0ecede, docker/ray/pyproject.toml.)"""

_MODULES = (
    "sagemaker_serving/errors.py",
    "sagemaker_serving/archive/handlers.py",
    *(f"sagemaker_serving/catalog/{name}.py" for name in ("ecr", "servers", "snapshot")),
    *(
        f"sagemaker_serving/model_server/{name}.py"
        for name in (
            *("pytorch/codecs", "pytorch/defaults", "pytorch/service"),
            *("toolkit/context", "toolkit/contract", "toolkit/forms"),
            *("toolkit/service", "toolkit/settings"),
        )
    ),
)
"""What deployment.py imports, beside ``local_aws.errors``. Without ``__init__.py``: where the
packages are installed those are taken, as a folder without one never hides them."""


def _laid_out(sources: Sequence[Source]) -> list[Source]:
    if len(sources) != 1 or not sources[0].path.is_dir():
        return list(sources)
    return [
        Source(path=entry.path, inside=f"code/{entry.name}" if entry.name in _CODE else entry.name)
        for entry in walk(sources[0].path)
    ]


def _why_not(contents: ArchiveContents, sources: Sequence[Source]) -> Iterator[str]:
    given = " ".join(str(source.path) for source in sources)
    if contents.packed_size is not None:
        yield f"{given} is a finished archive; --for ray-serve packs the model's folder or files"
        return
    there = [name for name in APPLICATION if name in contents.files]
    if there:
        yield (
            f"{given} has its own {' and '.join(there)}, which --for ray-serve would write; pack "
            "it without --for"
        )
        return
    variables = script_variables("pytorch", contents.scripts)
    called = script_of("pytorch", variables) or SCRIPT
    script = contents.scripts.get(called)
    if script is None and "pytorch" not in contents.frameworks:
        yield (
            f"{given} has no code/inference.py, and no .pt or .pth file: nothing that AWS's "
            "PyTorch image would serve; --for ray-serve makes an application of such a model"
        )
    for name, line in ({} if script is None else script.imports).items():
        package = name.replace("_", "-")
        listed = any(each.startswith(package) for each in contents.requirements or ())
        if name in _NOT_THERE and not listed:
            yield (
                f"{given}: {called}:{line} imports {name}, which is in the PyTorch image "
                f"and not in Ray Serve's; {_NOT_THERE[name]}"
            )


def _application() -> Iterator[Source]:
    for name in APPLICATION:
        yield Source(path=Path(__file__).with_name("application") / name, inside=name)
    here = Path(sagemaker_serving.__path__[0]).parent
    for name in _MODULES:
        yield Source(path=here / name, inside=name)
    yield Source(path=Path(getfile(ReportedError)), inside="local_aws/errors.py")
