"""Rules on what ``code/inference.py`` imports: the image or the archive provides it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.archive import ArchiveContents
from sagemaker_serving.archive.image_modules import image_modules, package_of, standard_modules
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import ArtifactFacts

_IMAGES = (
    "aws/deep-learning-containers: TensorFlow inference Dockerfiles 1.15-2.19 (f06ada0) and "
    "2.20 (e0ecede)"
)


@rule(source=_IMAGES, example="import tensorflow, with no requirements.txt")
def handler_imports(facts: ArtifactFacts) -> Iterator[Finding]:
    """What ``code/inference.py`` imports comes with the image, requirements.txt or ``lib/``.

    AWS's TensorFlow Serving images hold no ``tensorflow`` package: the model
    runs in the server beside them. Imports guarded by ``try`` pass. On a multi-model endpoint
    requirements.txt is not installed, and does not count.
    """
    contents = facts.served_by("tensorflow")
    if contents is None or facts.own_image:
        return
    in_lib = contents.has_lib or facts.container.is_multi_model
    if in_lib or not contents.requirements:
        for name, line in _missing(facts, contents):
            yield _says(facts, name, line, "in a code/lib/" if in_lib else "")


@warning(source=_IMAGES, example="import cv2, and requirements.txt names pandas only")
def handler_imports_unlisted(facts: ArtifactFacts) -> Iterator[Finding]:
    """What ``code/inference.py`` imports is named in requirements.txt.

    Another package listed there may depend on it now, and no longer in its next release.
    """
    contents = facts.served_by("tensorflow")
    if contents is None or facts.own_image:
        return
    if contents.requirements and not contents.has_lib and not facts.container.is_multi_model:
        for name, line in _missing(facts, contents):
            yield _says(facts, name, line, "")


@warning(
    source="aws/deep-learning-containers e0ecede, TensorFlow serve.py",
    example="code/requirements.txt beside code/lib/",
)
def handler_requirements_ignored(facts: ArtifactFacts) -> Iterator[Finding]:
    """``code/`` has requirements.txt or ``lib/``; with both the requirements are ignored.

    The container installs nothing where it finds a lib folder.
    """
    contents = facts.served_by("tensorflow")
    if facts.container.is_multi_model:
        return  # multi_model_requirements says more
    if contents is not None and contents.has_lib and contents.requirements:
        yield facts.says(
            "code/requirements.txt is ignored because there "
            "is a code/lib/; install into lib/ what it lists, or remove one of them"
        )


@rule(
    source="AWS SageMaker developer guide, network isolation",
    example="network_isolation: true, and code/requirements.txt names pandas",
)
def handler_requirements_isolated(facts: ArtifactFacts) -> Iterator[Finding]:
    """A container without a way to the internet has its packages in ``code/lib``.

    With network isolation, or in a VPC that ``network.cidr`` makes, requirements.txt cannot be
    installed, and the container never answers its first health check.
    """
    contents = facts.contents
    if contents is None or contents.has_lib or not contents.requirements:
        return
    if facts.container.is_multi_model:
        return
    offline = facts.container.offline
    if offline is not None:
        yield facts.artifact.finding(
            f"artifact is {facts.artifact.text!r} and has a code/requirements.txt, which "
            f"{offline[0]} cannot install; install what it lists into code/lib/, or {offline[1]}"
        )


_BY_IMAGE = {
    "tensorflow": "install them into code/lib/ of the archive, which its container looks into",
    "mxnet": "install them into code/ itself: pip install -t code -r requirements.txt",
    "sklearn": "list them beside the script in the archive that SAGEMAKER_SUBMIT_DIRECTORY names: "
    "that requirements.txt is installed as the container starts",
}
_BY_IMAGE |= {"xgboost": _BY_IMAGE["sklearn"]}
_BY_IMAGE |= dict.fromkeys(("pytorch", "huggingface", "autogluon"), _BY_IMAGE["mxnet"])


@warning(
    source="aws/sagemaker-tensorflow-serving-container#212 and #228; "
    "aws/sagemaker-pytorch-inference-toolkit#105; sagemaker-containers, _modules.py",
    example="multi_model: {archives: [half]}   # with half/code/requirements.txt",
)
def multi_model_requirements(facts: ArtifactFacts) -> Iterator[Finding]:
    """A model of a multi-model endpoint brings its packages, and lists none.

    The container installs what is listed once, as it starts, when no model is there yet. TensorFlow
    Serving's up to 2.8 does not call the code of a model at all.
    """
    contents, container = facts.contents, facts.container
    if contents is None or not container.is_multi_model or facts.own_image:
        return
    instead = _BY_IMAGE.get(facts.framework_name)
    version = re.match(r"([0-9]+)[.]([0-9]+)", container.framework_version.text or "")
    release = (int(version[1]), int(version[2])) if version else None
    code = next((name for name in contents.files if name.startswith("code/")), None)
    if facts.framework_name == "tensorflow" and release is not None and release < (2, 9) and code:
        yield facts.says(
            f"TensorFlow Serving's image of {container.framework_version.text} calls no code of a "
            f"model on a multi-model endpoint, so {code} has no effect; use 2.9 or newer"
        )
    elif contents.requirements and instead is not None:
        yield facts.says(
            "its code/requirements.txt is not installed on a "
            f"multi-model endpoint; {instead}, or use an image of your own that has them"
        )


def _missing(facts: ArtifactFacts, contents: ArchiveContents) -> Iterator[tuple[str, int]]:
    if contents.script is None:
        return
    there = _provided(facts, contents)
    installs = not contents.has_lib and not facts.container.is_multi_model
    lines = contents.requirements if installs else ()
    listed = {_normal(name) for name in map(_distribution, lines or ())}
    for name, line in contents.script.imports.items():
        if name in there or _is_listed(name, listed):
            continue
        yield name, line


def _provided(facts: ArtifactFacts, contents: ArchiveContents) -> set[str]:
    """Standard library, the image's own packages, and what lies in code/ and code/lib/."""
    local = set()
    for path in contents.files:
        for folder in ("code/lib/", "code/"):
            if path.startswith(folder):
                first = path.removeprefix(folder).partition("/")[0]
                local.add(re.sub(r"(\.cpython-.*|\.abi3)?\.(py|so)$", "", first))
                break
    version = facts.container.framework_version.text or "2.19"
    return local | image_modules(version).keys() | standard_modules(version)


def _is_listed(name: str, listed: set[str]) -> bool:
    wanted = {_normal(name), _normal(package_of(name))}
    return any(entry == want or entry.startswith(f"{want}-") for entry in listed for want in wanted)


def _distribution(line: str) -> str:
    return re.split(r"[\s<>=!~;\[@(]", line, maxsplit=1)[0]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _says(facts: ArtifactFacts, name: str, line: int, place: str) -> Finding:
    package = package_of(name)
    advice = (
        "TensorFlow Serving's image has no tensorflow package, the model runs beside it; do "
        f"without it, or list {package}"
        if name == "tensorflow"
        else f"list {package}"
    )
    where = place or "in code/requirements.txt"
    return facts.says(
        f"code/inference.py:{line} imports {name}, which neither the image nor the archive "
        f"provides; {advice.replace('list', 'put', 1) if place else advice} {where}"
    )
